"""What we add to a match: per move, from one game to the next, and per recorded game.

    python -m benchmarks.match_overhead [--games N] [--out FILE]

The programs answer at once with recorded moves. The same programs then get the same bytes from a
bare server that does nothing but send what was recorded: that is the wire itself, in the same run.
What a move takes beyond that is ours. Players in our own process are `random`: there the processor
time of a match that is twice as long tells what a game costs, whatever starting up takes.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import resource
import shutil
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielleiter import games
from spielleiter.match import Ended, Event, TurnBegan
from spielleiter.programs.server_executor import ServerExecutor
from spielleiter.programs.settings import Setting
from spielleiter.protocol.lobby import Memento, MoveRequest, RoomData
from spielleiter.protocol.xml import encode
from spielleiter.sandbox import Level, probe
from spielleiter.server import ServedGame
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.time_control import TimeControl

GAME = "piranhas-2026"
CLIENT = Path(__file__).parent / "scripts" / "instant.py"
TARGETS = {
    "overhead_us_per_move": (150, 75),
    "overhead_us_per_move_mean": (150, 75),
    "start_ms_already_running": (10, 2),
    "file_games_per_s": (200, 200),
    "file_games_per_s_isolated": (200, 200),
    "recorded_games_per_cpu_s": (500, 3000),
}
_SEED = 7
_BY_LOT = """import random

from spielleiter import Bot


class Player(Bot):
    def choose(self, position, clock):
        return random.choice(position.legal_moves())
"""


# ------------------------------------------------------------------------------------ a known game


@dataclass(frozen=True, slots=True)
class Script:
    """One game as bytes: what is sent before each answer, and the answers."""

    states: list[bytes]
    answers: list[bytes]

    def write(self, folder: Path) -> list[Path]:
        """A file of answers for each seat."""
        files = []
        for seat in (0, 1):
            parts = [struct.pack(">I", len(each)) + each for each in self.answers[seat::2]]
            files.append(folder / f"seat{seat}.answers")
            files[-1].write_bytes(b"".join(parts))
        (folder / CLIENT.name).write_bytes(CLIENT.read_bytes())  # a program has one folder
        return files


def script() -> Script:
    """The first legal game that a fixed choice of moves gives."""
    edition = games.load(GAME)
    table, position = ServedGame.of(edition), edition.start(_SEED)
    states: list[bytes] = []
    answers: list[bytes] = []
    last = None
    while position.outcome() is None:
        state = table.wire.state(position, last, ("A", "B"))
        request = encode(MoveRequest("ROOM"), table.wire.dialect)
        states.append(encode(Memento("ROOM", state), table.wire.dialect) + request)
        moves = position.legal_moves()
        move = moves[len(answers) * 7 % len(moves)]
        last = table.wire.sent(position, move)
        answers.append(encode(RoomData("ROOM", last.element), table.wire.dialect))
        position.play(move)
    return Script(states, answers)


# ---------------------------------------------------------------------------------- the wire alone


def bare(files: list[Path], known: Script) -> list[float]:
    """Seconds of each move, if the other side only sends what was recorded."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])
        words = [sys.executable, "-I", "-S", str(files[0].with_name(CLIENT.name)), port, "code"]
        lines, clients = [], []
        for file in files:
            clients.append(subprocess.Popen([*words, str(file)]))
            line, _ = listener.accept()
            line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            line.recv(1 << 16)
            line.sendall(b'<joined roomId="ROOM"/>')
            lines.append(line)
        time.sleep(0.05)
        spent = []
        for number, state in enumerate(known.states):
            seat, began = number % 2, time.perf_counter()
            lines[1 - seat].sendall(state.partition(b'class="moveRequest"')[0])
            lines[seat].sendall(state)
            lines[seat].recv(1 << 16)
            spent.append(time.perf_counter() - began)
        for line in lines:
            line.sendall(b"<left />")
            line.close()
        for client in clients:
            client.wait()
    return spent


# ----------------------------------------------------------------------------------------- our own


class Watched(ServerExecutor):
    """Keeps what the referee told."""

    events: list[list[Event]]

    def _recorded(self, pairing: Pairing, sitting: Any, printed: Any) -> Any:
        record = super()._recorded(pairing, sitting, printed)
        assert record.failures == (None, None), (record.failures, record.log)
        self.events.append(list(sitting.events))
        return record

    def ready(self, pairing: Pairing) -> None:
        """Until the players of a game have their seats."""
        self._expected[pairing.key].result()


def served(files: list[Path], count: int, level: Level, *, warm: bool) -> list[list[Event]]:
    """So many games between the two programs, and what the referee told of each."""
    client = files[0].with_name(CLIENT.name)
    command = f"{sys.executable} -I -S {client} {{port}} {{reservation}} "
    players: dict[str, str | None] = {"A": command + str(files[0]), "B": command + str(files[1])}
    edition = games.load(GAME)
    place = Watched(
        edition,
        players,
        TimeControl(2.0),
        lambda opening: edition.start(opening.seed),
        Setting(probe().box(level), warm=warm),
    )
    place.events = []
    pairings = [Pairing(f"match/{number}", ("A", "B"), Opening(_SEED)) for number in range(count)]
    for pairing in pairings[: count * warm]:
        place.expect(pairing)
        place.ready(pairing)
    for pairing in pairings:
        place.play(pairing)
    return place.events


def spent_by(events: list[Event]) -> list[float]:
    """Seconds from each request of a game to the next."""
    asked = [event.at for event in events if isinstance(event, TurnBegan)]
    return [after - before for before, after in itertools.pairwise(asked)]


def by_number(ours: list[list[float]], wire: list[list[float]]) -> dict[str, float]:
    """What moves take beyond the wire, by their number in the game, and how much of the mean."""
    moves = len(ours[0])
    beyond = [
        statistics.fmean(each[at] for each in ours) - statistics.fmean(each[at] for each in wire)
        for at in range(moves)
    ]
    found = {}
    for name, first, last in (("1", 0, 1), ("2", 1, 2), ("3_to_10", 2, 10), ("later", 10, moves)):
        found[f"overhead_us_move_{name}"] = 1e6 * statistics.fmean(beyond[first:last])
        found[f"share_of_mean_us_move_{name}"] = 1e6 * sum(beyond[first:last]) / moves
    return found


def per_move(events: list[Event]) -> float:
    """Seconds from one request to the next: the median of a game.

    Its first moves fall into the moment in which the programs of the game before come to their end,
    as long as that takes; they say nothing about a move.
    """
    return statistics.median(spent_by(events))


def mean_per_move(events: list[Event]) -> float:
    """The mean of a game instead, first moves included."""
    return statistics.fmean(spent_by(events))


def starts(played: list[list[Event]]) -> list[float]:
    """Seconds from the end of each game to the first request of the next."""
    firsts = [next(event.at for event in each if isinstance(event, TurnBegan)) for each in played]
    return [first - _ended(each) for each, first in zip(played, firsts[1:], strict=False)]


def _ended(events: list[Event]) -> float:
    return next(event.at for event in events if isinstance(event, Ended))


# ------------------------------------------------------------------------------ in our own process


def recorded(count: int) -> float:
    """Games between `random` players, kept in a store, per second of processor time."""
    with tempfile.TemporaryDirectory() as folder:
        short, long = (_processor_time(Path(folder), games) for games in (count, 3 * count))
    return 2 * count / (long - short)


def of_files(count: int, level: Level) -> float:
    """Games a second between two Python files that draw their moves by lot, on all processors."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("first.py", "second.py")]
        for file in files:
            file.write_text(_BY_LOT)
        short, long = (_seconds(files, games, level) for games in (count, 3 * count))
    return 2 * count / (long - short)


def _seconds(files: list[Path], count: int, level: Level) -> float:
    began = time.monotonic()
    subprocess.run(_match(files, count, level), check=True, capture_output=True)
    return time.monotonic() - began


def _match(files: list[Path], count: int, level: Level) -> list[str]:
    words = ["match", *map(str, files), "--game", GAME, "--sandbox", level.text]
    counts = ["--games", str(count), "--store", str(files[0].with_suffix(f".{count}.db"))]
    return [sys.executable, "-m", "spielleiter", *words, *counts]


def cost_of_files(count: int, level: Level) -> dict[str, float]:
    """What such a game costs all processes together, by `perf`: counts do not mind other work."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder, name) for name in ("first.py", "second.py")]
        for file in files:
            file.write_text(_BY_LOT)
        short, long = (_counted(files, games, level) for games in (count, 3 * count))
    found = {name: (long[name] - short[name]) / (2 * count) for name in long}
    return {"cpu_ms": found.pop("task-clock")} | {
        name.replace("-", "_"): each for name, each in found.items()
    }


def _counted(files: list[Path], count: int, level: Level) -> dict[str, float]:
    report = files[0].with_suffix(".perf")
    events = ["task-clock", "page-faults", "context-switches"]
    words = ["perf", "stat", "-x", ",", "-o", str(report), "-e", ",".join(events)]
    subprocess.run([*words, *_match(files, count, level)], check=True, capture_output=True)
    rows = [line.split(",") for line in report.read_text().splitlines() if line[:1].isdigit()]
    return {name: float(next(row[0] for row in rows if row[2] == name)) for name in events}


def _processor_time(folder: Path, count: int) -> float:
    words = ["match", "random", "random", "--game", GAME, "--nodes", "1", "--concurrency", "1"]
    counts = ["--games", str(count), "--store", str(folder / f"{count}.db")]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "spielleiter", *words, *counts], check=True, capture_output=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


# -------------------------------------------------------------------------------------- the report


def measure(count: int) -> dict[str, float]:
    """All figures: medians over the games; of files an even number, for seats are swapped."""
    even = count + count % 2
    known = script()
    with tempfile.TemporaryDirectory() as folder:
        files = known.write(Path(folder))
        alone = [bare(files, known) for _ in range(count)]
        wire, means = ([of(each) for each in alone] for of in (statistics.median, statistics.fmean))
        found = {"moves_per_game": float(len(known.states))}
        found["wire_us_per_move"] = 1e6 * statistics.median(wire)
        for level in (Level.LIMITS, Level.ISOLATED):
            if level > probe().best:
                continue
            warm = served(files, count, level, warm=True)
            ours = statistics.median(per_move(each) for each in warm)
            name = "" if level is Level.LIMITS else f"_{level.text}"
            found[f"ours_us_per_move{name}"] = 1e6 * ours
            found[f"overhead_us_per_move{name}"] = 1e6 * (ours - statistics.median(wire))
            mean = statistics.fmean(mean_per_move(each) for each in warm)
            found[f"overhead_us_per_move_mean{name}"] = 1e6 * (mean - statistics.fmean(means))
            spent = [spent_by(each) for each in warm]
            found |= {key + name: each for key, each in by_number(spent, alone).items()}
            found[f"start_ms_already_running{name}"] = 1e3 * statistics.median(starts(warm))
            found[f"file_games_per_s{name}"] = of_files(5 * even, level)
            if shutil.which("perf"):
                costs = cost_of_files(even, level)
                found |= {f"file_game_{key}{name}": each for key, each in costs.items()}
        cold = served(files, max(3, count // 4), Level.LIMITS, warm=False)
        found["start_ms_cold"] = 1e3 * statistics.median(starts(cold))
    found["recorded_games_per_cpu_s"] = recorded(100 * count)
    return found


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--games", type=int, default=40)
    arguments.add_argument("--out", type=Path, help="write the results as JSON")
    options = arguments.parse_args()
    load = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    figures = measure(options.games)
    for name, value in figures.items():
        must, aim = TARGETS.get(name, ("", ""))
        print(f"{name:36} {value:10.2f}   must {must}   aim {aim}")
    if options.out:
        about = {"python": platform.python_version(), "cores": os.cpu_count(), "game": GAME}
        record = {"about": {**about, "other load": load}, "figures": figures}
        options.out.write_text(json.dumps(record, indent=2) + "\n")


if __name__ == "__main__":
    main()
