"""A rehearsal of a contest: played completely by stand-ins, in a separate store."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from spielleiter.errors import UsageError
from spielleiter.programs.players import Players
from spielleiter.programs.result_store import GAME, play_rest, results_in
from spielleiter.store import open_store
from spielleiter.tournament.definition import Definition
from spielleiter.tournament.pairing import GameResult
from spielleiter.tournament.record import from_text
from spielleiter.tournament.runner import Runner
from spielleiter.tournament.time_control import TimeControl

STAND_IN = "random"
"""The player that stands in for every team."""
_ENDINGS = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class RehearsalReport:
    """The result of a rehearsal."""

    results: dict[str, GameResult]
    seconds: float
    """How long it took."""
    moves: int
    """All moves of all games."""
    longest: float | None
    """Seconds that the contest takes if every move takes all its time; None: it has no limit."""


def rehearse(definition: Definition, store: Path, workers: int) -> Iterator[int]:
    """Play a contest from its first to its last game; yields how many games have been played.

    An earlier rehearsal in the store is deleted.
    """
    for ending in _ENDINGS:
        store.with_name(store.name + ending).unlink(missing_ok=True)
    stand_ins: dict[str, str | None] = dict.fromkeys(definition.players, STAND_IN)
    limits = TimeControl(nodes=1)
    players = Players(definition.game, definition.authority, stand_ins, limits)
    runner = Runner(players, workers, limits.patience, time.monotonic)
    schedule = definition.schedule()
    with closing(open_store(store)) as opened:
        yield from play_rest(schedule, runner, opened, {})


def rehearsal_report(
    definition: Definition, store: Path, seconds: float, workers: int
) -> RehearsalReport:
    """The report of a rehearsal."""
    if not store.exists():
        raise UsageError("nothing was rehearsed yet")
    with closing(open_store(store)) as opened:
        moves = sum(len(from_text(each.data).events.moves) for each in opened.read(GAME))
        results = results_in(opened)
    limit = definition.limits.per_move
    longest = None if limit is None else moves * limit / workers
    return RehearsalReport(results, seconds, moves, longest)


def rehearsal_lines(report: RehearsalReport) -> Iterator[str]:
    """The report as lines of text."""
    games, moves = len(report.results), report.moves
    yield f"{games} games with {moves} moves rehearsed in {report.seconds:.1f} s"
    if report.longest is not None:
        longest = _time(report.longest)
        yield f"the contest takes {longest} at most, if every move takes its whole time"


def _time(seconds: float) -> str:
    minutes = round(seconds / 60)
    return f"{minutes // 60} h {minutes % 60:02} min" if minutes >= 60 else f"{minutes} min"
