"""What it costs a match that a bot shows what it thinks: at most 5 % of the match's overhead.

    python -m benchmarks.show_overhead [--pairs N] [--out FILE]

Two bots answer at once, one of them shows values and a text before every move. Games of the quiet
and of the showing one are played in turns, each with itself, in processes of their own: all of
their time is overhead. What showing adds is the difference of the lower quartiles of all moves,
from the question to the answer (the rest of the machine only ever makes a move longer), and what
writing the game takes more. It is compared with the whole time of a quiet game, which has the start
of its processes in it, and with the bare exchange of a move.

On a busy machine only processor time says anything: `share_of_cpu` compares that of whole matches,
all their processes together, with the writing of their games.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import tempfile
import time
import timeit
from pathlib import Path

from spielleiter.programs.players import Players
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import probe
from spielleiter.tournament.executor import Executor
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import ContestEntry, to_text
from spielleiter.tournament.time_control import TimeControl

GAME = "reversi"
MOST = 0.05
"""Of a match's overhead."""
_BOTS = """
from spielleiter import Bot

class Quiet(Bot):
    def choose(self, position, clock):
        return position.legal_moves()[0]

class Shows(Quiet):
    def choose(self, position, clock):
        self.show(values={"score": 3.25, "depth": 8, "nodes": 12345}, text="quiet")
        return super().choose(position, clock)
"""
_KINDS = ("Quiet", "Shows")
_TIMES, _MATCHES = 20, 6


def main() -> None:
    """Measure, print and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=30, help="of games")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bots.py"
        file.write_text(_BOTS)
        found = {**measured(file, options.pairs), **measured_cpu(file, options.pairs)}
    print(json.dumps(found, indent=2))
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n")


def measured(file: Path, pairs: int) -> dict[str, float | None]:
    """Microseconds of a move without showing, and what showing adds."""
    places = {kind: _players(file, kind)() for kind in _KINDS}
    spent: dict[str, list[float]] = {kind: [] for kind in _KINDS}
    whole: list[float] = []
    last: dict[str, ContestEntry] = {}
    for number in range(pairs):
        for kind in _KINDS if number % 2 else _KINDS[::-1]:
            began = time.perf_counter()
            last[kind] = _played(places[kind], f"{kind}/{number}")
            spent[kind] += [1e6 * each for each in last[kind].events.spent]
            if kind == "Quiet":
                moves = len(last[kind].events.moves)
                whole.append(1e6 * (time.perf_counter() - began) / moves)
    quiet, shows = (_lower_quartile(spent[kind]) for kind in _KINDS)
    match, stored = _lower_quartile(whole), _stored(last["Shows"]) - _stored(last["Quiet"])
    added = shows - quiet + stored
    return {
        "pairs": pairs,
        "other_load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "match_us_per_move": round(match, 1),
        "exchange_us_per_move": round(quiet, 1),
        "show_us_per_move": round(shows - quiet, 1),
        "store_us_per_move": round(stored, 1),
        "share_of_exchange": round(added / quiet, 4),
        "share_of_match": round(added / match, 4),
        "most": MOST,
    }


def measured_cpu(file: Path, pairs: int) -> dict[str, float | None]:
    """Microseconds of processor time of a move, of whole matches with all their processes."""
    spent: dict[str, list[float]] = {kind: [] for kind in _KINDS}
    for number in range(_MATCHES):
        for kind in _KINDS if number % 2 else _KINDS[::-1]:
            began, moves = _cpu(), 0
            place = _players(file, kind)()
            for game in range(pairs):
                entry = _played(place, f"{kind}/{game}")
                to_text(entry)
                moves += len(entry.events.moves)
            place.close()  # type: ignore[attr-defined]
            spent[kind].append(1e6 * (_cpu() - began) / moves)
    quiet, shows = (statistics.median(spent[kind]) for kind in _KINDS)
    return {
        "cpu_us_per_move": round(quiet, 1),
        "show_cpu_us_per_move": round(shows - quiet, 1),
        "share_of_cpu": round((shows - quiet) / quiet, 4),
    }


def _cpu() -> float:
    """Seconds of processor time of this process and of all that it started and that have ended."""
    times = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in times)


def _lower_quartile(values: list[float]) -> float:
    return statistics.quantiles(values, n=4)[0]


def _played(place: Executor, key: str) -> ContestEntry:
    return place.play(Pairing(key, ("A", "B"), Opening(0)))


def _stored(entry: ContestEntry) -> float:
    """Microseconds of a move to write a game."""
    seconds = min(timeit.repeat(lambda: to_text(entry), number=_TIMES, repeat=5)) / _TIMES
    return 1e6 * seconds / len(entry.events.moves)


def _players(file: Path, kind: str) -> Players:
    text = f"{file}:{kind}"
    setting = Setting(probe().box(probe().best))
    return Players(GAME, "document", {"A": text, "B": text}, TimeControl(per_move=2.0), setting)


if __name__ == "__main__":
    main()
