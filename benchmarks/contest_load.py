"""`python -m benchmarks.contest_load [GAMES [GAME]]`: a contest is played, kept and verified.

A league of built-in players is run by the real program and then verified by it: the chain of
hashes, every game again by the rules, and the schedule. Seconds of the clock and of the processors
are kept.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import HERE

MUST_VERIFY = 10_000 / 60
_TEAMS = ("random", "random", "random", "random")
_CONTEST = """
[contest]
name = "Load"
game = "{game}"
format = "league"
games = {games}
[limits]
nodes = 1
"""


@dataclass(frozen=True, slots=True)
class Measured:
    """One command over so many games."""

    what: str
    games: int
    seconds: float
    cpu_seconds: float

    @property
    def rate(self) -> float:
        return self.games / self.seconds

    def line(self) -> str:
        per_cpu = self.games / self.cpu_seconds
        return (
            f"{self.what:<10} {self.games:>7} games  {self.seconds:>7.1f} s  "
            f"{self.rate:>8.0f} games/s  {per_cpu:>8.0f} games per second of one processor"
        )


def main(count: int, edition: str) -> None:
    """Play and verify about so many games; the figures are printed and kept."""
    encounters = len(_TEAMS) * (len(_TEAMS) - 1) // 2
    each = 2 * -(-count // (2 * encounters))
    with tempfile.TemporaryDirectory() as folder:
        room = Path(folder)
        teams = "".join(
            f'[[team]]\nname = "{at} {player}"\nplayer = "{player}"\n'
            for at, player in enumerate(_TEAMS)
        )
        text = _CONTEST.format(game=edition, games=each) + teams
        (room / "load.toml").write_text(text, "utf-8")
        found = [_measured(what, room, each * encounters) for what in ("run", "verify")]
        size = (room / "load.db").stat().st_size
    for measured in found:
        print(measured.line())
    print(f"store      {size / (each * encounters) / 1000:.2f} kB per game")
    _keep(found, size, edition)
    if found[1].rate < MUST_VERIFY:
        sys.exit(f"verify is below {MUST_VERIFY:.0f} games/s")


def _measured(what: str, room: Path, count: int) -> Measured:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    words = [sys.executable, "-m", "spielleiter", "contest", what, "load.toml"]
    subprocess.run(words, cwd=room, check=True, capture_output=True)
    seconds, after = time.monotonic() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return Measured(what, count, seconds, cpu)


def _keep(found: list[Measured], size: int, edition: str) -> None:
    record = {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "edition": edition,
        "cores": os.cpu_count(),
        "other load": os.getloadavg()[0],
        "rows": [asdict(each) for each in found],
        "bytes per game": size / found[0].games,
    }
    path = HERE / "results" / f"{datetime.now(UTC).date().isoformat()}-contest-load.json"
    path.write_text(json.dumps(record, indent=2) + "\n", "utf-8")
    print(f"kept in {path.relative_to(HERE.parent)}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("count", nargs="?", type=int, default=10_000, help="of games")
    parser.add_argument("edition", nargs="?", default="piranhas-2026")
    main(**vars(parser.parse_args()))
