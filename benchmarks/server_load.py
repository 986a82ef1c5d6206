"""Load on the contest's server: how much a move costs, how long it takes, how many games fit.

    python -m benchmarks.server_load [--quick] [--out FILE]

The server runs as a process of its own, the clients in several others; all on one machine. A load
process plays both seats of each of its games with random legal moves: it keeps one position per
game and looks in the server's bytes only for the request and the result, so it stays cheap. Every
result must be regular and every request answered, or the measurement fails.
"""

from __future__ import annotations

import argparse
import contextlib
import heapq
import itertools
import json
import multiprocessing
import os
import platform
import random
import re
import selectors
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from spielleiter import games
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import Memento, RoomData
from spielleiter.protocol.xml import Connection, Side, encode
from spielleiter.server import EXAMPLE_PASSWORD, ServedGame

HOST = "127.0.0.1"
GAME = "piranhas-2026"
TARGETS = {
    "cpu_ms_per_move": (0.2, 0.1),
    "turnaround_ms_p50": (0.3, 0.15),
    "turnaround_ms_p99": (1.0, 0.5),
    "games_per_s_10": (100, 300),
    "concurrent_games": (500, 2000),
    "kb_per_idle_game": (150, 50),
    "paced_delay_ms_p99": (50, 20),
}


# -------------------------------------------------------------------------------------- the server


class ServerProcess:
    """`spielleiter serve` and what the system knows of it."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "spielleiter", "serve", GAME, "--port", "0"]
        limits = ["--metrics-port", str(_free_port()), "--rooms", "20000", "--connections", "40000"]
        self._process = subprocess.Popen(
            [*command, *limits, "--authority", "server"], stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline().split(" for ")[0].rpartition(":")[2])
        self._metrics = f"http://{HOST}:{limits[1]}/metrics"

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        return self.metric("spielleiter_cpu_seconds_total")

    def metric(self, name: str) -> float:
        with urllib.request.urlopen(self._metrics) as page:
            text = page.read().decode()
        found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
        assert found is not None, name
        return float(found[1])

    def memory(self) -> int:
        """Bytes in memory (Linux)."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.wait(30)


@contextlib.contextmanager
def server() -> Iterator[ServerProcess]:
    process = ServerProcess()
    try:
        yield process
    finally:
        process.stop()


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


# ------------------------------------------------------------------------------------ the clients


@dataclass(slots=True)
class Seat:
    game: PlayedGame
    number: int
    link: socket.socket
    seen: bytes = b""


@dataclass(slots=True)
class PlayedGame:
    seats: list[Seat] = field(default_factory=list)
    position: Any = None
    room: str = ""
    sent_at: float = 0.0
    results: int = 0


@dataclass(slots=True)
class Report:
    games: int = 0
    moves: int = 0
    irregular: int = 0
    delays: list[float] = field(default_factory=list)
    seconds: float = 0.0
    late: list[float] = field(default_factory=list)
    """How late the load process itself was with its moves."""


class Player:
    """Plays many games at the same time, both seats of each."""

    password = EXAMPLE_PASSWORD
    timed = "true"

    def __init__(self, port: int, seed: int) -> None:
        self._port = port
        self._table = ServedGame.of(games.load(GAME, "server"))
        self._random = random.Random(seed)
        self._selector = selectors.DefaultSelector()
        self._admin = self._connect()
        login = f'<protocol><authenticate password="{self.password}"/>'
        self._admin.sendall(login.encode())
        self._selector.register(self._admin, selectors.EVENT_READ, None)
        self._preparing: deque[PlayedGame] = deque()
        self._answers = b""
        self._games_to_play = 0
        self._running = 0
        self.report = Report()

    def open(self, count: int) -> list[PlayedGame]:
        """Games with two connected players each, not yet joined."""
        opened = []
        for _ in range(count):
            game = PlayedGame()
            for number in (0, 1):
                link = self._connect()
                link.sendall(b"<protocol>")
                seat = Seat(game, number, link)
                game.seats.append(seat)
                link.setblocking(False)
                self._selector.register(link, selectors.EVENT_READ, seat)
            opened.append(game)
        return opened

    def play(self, tables: list[PlayedGame], count: int) -> Report:
        """Play that many games on those tables."""
        self.report = Report()
        self._games_to_play = count
        began = time.perf_counter()
        for game in tables:
            self.begin(game)
        while self._running:
            self.read(30.0)
        self.report.seconds = time.perf_counter() - began
        return self.report

    def read(self, timeout: float) -> None:
        """Do whatever the server's bytes ask for."""
        ready = self._selector.select(timeout)
        assert ready, f"the server is silent with {self._running} games open"
        for key, _ in ready:
            if key.data is None:
                self._read_admin()
            else:
                self._read(key.data)

    def begin(self, game: PlayedGame) -> None:
        """Ask for a room; both players join it when it is there."""
        if not self._games_to_play:
            return
        self._games_to_play -= 1
        self._running += 1
        slots = "".join(
            f'<slot displayName="{name}" canTimeout="{self.timed}" reserved="true"/>'
            for name in "AB"
        )
        request = f'<prepare gameType="{self._table.wire.game_type}">{slots}</prepare>'
        self._admin.sendall(request.encode())
        self._preparing.append(game)

    def _read_admin(self) -> None:
        self._answers += self._admin.recv(262144)
        *whole, self._answers = self._answers.split(b"</prepared>")
        for answer in whole:
            game = self._preparing.popleft()
            game.room = re.findall(rb'roomId="([^"]*)"', answer)[-1].decode()
            game.position, game.results, game.sent_at = None, 0, 0.0
            codes = re.findall(rb"<reservation>(.*?)</reservation>", answer)
            for seat, code in zip(game.seats, codes, strict=True):
                seat.seen = b""
                seat.link.sendall(b'<joinPrepared reservationCode="' + code + b'"/>')

    def _connect(self) -> socket.socket:
        link = socket.create_connection((HOST, self._port))
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return link

    def _read(self, seat: Seat) -> None:
        data = seat.link.recv(262144)
        assert data, "the server hung up"
        now = time.perf_counter()
        seat.seen += data
        game = seat.game
        if b'class="moveRequest"/>\n  </room>' in seat.seen:
            if game.position is None:
                game.position = self._start(seat.seen)
            elif game.sent_at:
                self.report.delays.append(now - game.sent_at)
            seat.seen = b""
            self._move(seat)
        elif b"<left " in seat.seen and seat.seen.rstrip().endswith(b"/>"):
            self._over(seat)
        elif len(seat.seen) > 20_000 and game.position is not None:
            seat.seen = seat.seen[-5_000:]

    def _start(self, seen: bytes) -> Any:
        stream = seen if b"<protocol>" in seen else b"<protocol>" + seen
        for message in Connection(Side.CLIENT).receive(stream):
            if isinstance(message, Memento) and isinstance(message.state, Element):
                text = self._table.wire.read_state(message.state).position
                return self._table.game.parse(text)
        raise AssertionError("a request without a state")

    def _move(self, seat: Seat) -> None:
        game = seat.game
        move = self._random.choice(game.position.legal_moves())
        data = self._table.wire.sent(game.position, move).element
        game.position.play(move)
        message = encode(RoomData(game.room, data), self._table.wire.dialect)
        self.report.moves += 1
        game.sent_at = time.perf_counter()
        seat.link.send(message)

    def _over(self, seat: Seat) -> None:
        game = seat.game
        if b'regular="true"' not in seat.seen:
            self.report.irregular += 1
        seat.seen = b""
        game.results += 1
        if game.results == 2:
            self._running -= 1
            self.report.games += 1
            self.begin(game)


class PacedPlayer(Player):
    """Moves once a second in each game, as people's programs do that use their time."""

    pace = 1.0
    warm_up = 5.0
    """Seconds until all games have begun; how long moves took before that is not counted."""

    def __init__(self, port: int, seed: int) -> None:
        super().__init__(port, seed)
        self._due: list[tuple[float, int, Seat]] = []
        self._asked = itertools.count()

    def play(self, tables: list[PlayedGame], count: int) -> Report:
        """Play that many games on those tables."""
        self.report = Report()
        self._games_to_play = count
        began = time.perf_counter()
        for game in tables:
            self.begin(game)
        warm = False
        while self._running:
            self._wait()
            if not warm and time.perf_counter() - began > self.warm_up:
                warm, self.report.delays, self.report.late = True, [], []
            while self._due and self._due[0][0] <= time.perf_counter():
                due, _, seat = heapq.heappop(self._due)
                self.report.late.append(time.perf_counter() - due)
                super()._move(seat)
        self.report.seconds = time.perf_counter() - began
        return self.report

    def _wait(self) -> None:
        until = self._due[0][0] - time.perf_counter() if self._due else 1.0
        if until > 0 and (ready := self._selector.select(until)):
            for key, _ in ready:
                self._read_admin() if key.data is None else self._read(key.data)

    def _move(self, seat: Seat) -> None:
        first = seat.game.sent_at == 0.0
        wait = self._random.uniform(0.0, self.pace) if first else self.pace
        heapq.heappush(self._due, (time.perf_counter() + wait, next(self._asked), seat))


def _work_at_pace(port: int, seed: int, tables: int, count: int, out: Any) -> None:
    player = PacedPlayer(port, seed)
    out.send(player.play(player.open(tables), count))


def _work(port: int, seed: int, tables: int, count: int, out: Any) -> None:
    player = Player(port, seed)
    out.send(player.play(player.open(tables), count))


def together(
    port: int, processes: int, tables: int, count: int, work: Callable[..., None] = _work
) -> list[Report]:
    """Several processes that each play `count` games on `tables` tables."""
    pipes, workers = [], []
    for seed in range(processes):
        mine, theirs = multiprocessing.Pipe()
        worker = multiprocessing.Process(
            target=work, args=(port, seed, tables, count, theirs), daemon=True
        )
        worker.start()
        pipes.append(mine)
        workers.append(worker)
    reports = []
    for pipe in pipes:
        assert pipe.poll(600), "a load process is stuck"
        reports.append(pipe.recv())
    for worker in workers:
        worker.join()
    return reports


# ------------------------------------------------------------------------------- the measurements


def one_game(rounds: int) -> dict[str, float]:
    """One game after the other: processor time a move, and how long a move takes to come round."""
    with server() as process:
        player = Player(process.port, 1)
        tables = player.open(1)
        player.play(tables, 5)
        before, moves = process.cpu(), process.metric("spielleiter_moves_total")
        report = player.play(tables, rounds)
        spent = process.cpu() - before
        moves = process.metric("spielleiter_moves_total") - moves
        _sound(report)
    delays = sorted(report.delays)
    return {
        "cpu_ms_per_move_one_game": 1000 * spent / moves,
        "turnaround_ms_p50": 1000 * delays[len(delays) // 2],
        "turnaround_ms_p99": 1000 * delays[len(delays) * 99 // 100],
        "moves_per_game": moves / rounds,
    }


def ten_games(count: int) -> dict[str, float]:
    """Ten games at the same time."""
    with server() as process:
        together(process.port, 2, 5, 5)
        before, moves = process.cpu(), process.metric("spielleiter_moves_total")
        reports = together(process.port, 2, 5, count // 2)
        spent = process.cpu() - before
        moves = process.metric("spielleiter_moves_total") - moves
    for report in reports:
        _sound(report)
    return {
        "games_per_s_10": sum(report.games / report.seconds for report in reports),
        "moves_per_s_10": sum(report.moves / report.seconds for report in reports),
        "cpu_ms_per_move": 1000 * spent / moves,
    }


def many_games(concurrent: int) -> dict[str, float]:
    """Very many games at the same time, each once or more."""
    with server() as process:
        reports = together(process.port, 2, concurrent // 2, concurrent // 2)
        lag = process.metric("spielleiter_lag_seconds_sum")
        moves = process.metric("spielleiter_moves_total")
    for report in reports:
        _sound(report)
    delays = sorted(delay for report in reports for delay in report.delays)
    return {
        "concurrent_games": concurrent,
        "concurrent_moves_per_s": sum(report.moves / report.seconds for report in reports),
        "concurrent_delay_ms_p50": 1000 * delays[len(delays) // 2],
        "concurrent_delay_ms_p99": 1000 * delays[len(delays) * 99 // 100],
        "concurrent_lag_ms_mean": 1000 * lag / moves,
    }


def paced_games(concurrent: int) -> dict[str, float]:
    """Very many games at the same time, one move a second in each."""
    with server() as process:
        before, began = process.cpu(), time.perf_counter()
        (report,) = together(process.port, 1, concurrent, concurrent, _work_at_pace)
        spent, seconds = process.cpu() - before, time.perf_counter() - began
        lags = {bound: process.metric(_bucket(bound)) for bound in ("0.03", "0.1")}
        moves = process.metric("spielleiter_moves_total")
    delays = sorted(report.delays)
    return {
        "paced_games": concurrent,
        "paced_moves_per_s": report.moves / report.seconds,
        "paced_delay_ms_p50": 1000 * delays[len(delays) // 2],
        "paced_delay_ms_p99": 1000 * delays[len(delays) * 99 // 100],
        "paced_percent_read_in_30_ms": 100 * lags["0.03"] / moves,
        "paced_percent_read_in_100_ms": 100 * lags["0.1"] / moves,
        "paced_client_late_ms_p99": 1000 * _p99(report.late),
        "paced_client_late_ms_max": 1000 * max(report.late, default=0.0),
        "paced_irregular": report.irregular / 2,
        "paced_server_cpu_percent": 100 * spent / seconds,
    }


def _bucket(bound: str) -> str:
    return f'spielleiter_lag_seconds_bucket{{le="{bound}"}}'


def _p99(values: list[float]) -> float:
    return sorted(values)[len(values) * 99 // 100] if values else 0.0


def idle_games(count: int) -> dict[str, float]:
    """Memory of games that run but wait."""
    with server() as process:
        player = Player(process.port, 1)
        player.play(player.open(1), 3)
        before = process.memory()
        tables = player.open(count)
        player._games_to_play = count
        for game in tables:
            player.begin(game)
        deadline = time.monotonic() + 30
        while process.metric("spielleiter_rooms") < count and time.monotonic() < deadline:
            player.read(1.0)
        grown = process.memory() - before
    return {"kb_per_idle_game": grown / count / 1024}


def _sound(report: Report) -> None:
    assert report.irregular == 0, f"{report.irregular} irregular results"


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--quick", action="store_true", help="a tenth of everything")
    arguments.add_argument("--concurrent", type=int, default=500)
    arguments.add_argument("--out", type=Path, help="write the results as JSON")
    arguments.add_argument("--paced", type=int, help="only so many games at a move a second")
    options = arguments.parse_args()
    share = 10 if options.quick else 1
    before = round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None
    figures = (
        paced_games(options.paced)
        if options.paced
        else {
            **one_game(200 // share),
            **ten_games(1000 // share),
            **many_games(options.concurrent // share),
            **idle_games(500 // share),
        }
    )
    for name, value in figures.items():
        must, aim = TARGETS.get(name, ("", ""))
        print(f"{name:28} {value:10.3f}   must {must}   aim {aim}")
    if options.out:
        about: dict[str, Any] = {
            "python": platform.python_version(),
            "cores": os.cpu_count(),
            "game": GAME,
        }
        about["other load"] = before
        options.out.write_text(json.dumps({"about": about, "figures": figures}, indent=2) + "\n")


if __name__ == "__main__":
    main()
