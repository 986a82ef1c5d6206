"""Where the time of a game went, where it was missing, and what a second more would have changed.

A second is told in nodes of our own engine, `A_SECOND` of them, whatever the machine: so the same
game gets the same review everywhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Literal

A_SECOND = {"alphabeta": 1_000_000, "mcts": 10_000}
"""Nodes of each engine that stand for a second: about what one core of an ordinary machine does."""
_LONGEST = 3
"""So many turns are named that took longest."""
_HURRIED = 0.5
"""A costly move that had less than this part of the usual time was hurried."""
_AT_ONCE = 0.02
"""Seconds: who usually takes less does not hurry, he only moves at once."""
_COUNTED = 2.0
"""Seconds of a move that are searched at most; whoever had more did not lack one."""

SecondMore = Literal["not-needed", "helps", "in-vain"]
"""What a second more would have changed: our engine avoids the mistake in the time that was spent,
only with a second more, or not even then."""


@dataclass(frozen=True, slots=True)
class TimeUse:
    """The time of one seat."""

    spent: float
    """Seconds in all."""
    longest: tuple[int, ...]
    """The turns that took longest, the longest first."""
    hurried: tuple[int, ...]
    """Costly turns that had less than half of the usual time, the costliest first."""


def time_use(spent: Sequence[tuple[int, float]], costly: Sequence[int]) -> TimeUse | None:
    """What became of the time, from turns with their seconds; None: nobody measured it."""
    if not spent:
        return None
    usual, at = mean(seconds for _, seconds in spent), dict(spent)
    slowest = sorted(spent, key=lambda each: (-each[1], each[0]))[:_LONGEST]
    hurried = [turn for turn in costly if turn in at and at[turn] < _HURRIED * usual]
    hurried = hurried if usual >= _AT_ONCE else []
    total = round(sum(at.values()), 3)
    return TimeUse(total, tuple(turn for turn, _ in slowest), tuple(hurried))


def second_more(engine: str, spent: float, avoided_from: int | None) -> SecondMore:
    """What became of a mistake that our engine avoids from so many nodes on."""
    if avoided_from is None:
        return "in-vain"
    return "not-needed" if seconds(engine, avoided_from) <= spent else "helps"


def nodes_with_second_more(engine: str, spent: float) -> int:
    """How many nodes stand for the time that was spent and a second more."""
    return round(A_SECOND[engine] * (min(spent, _COUNTED - 1) + 1))


def seconds(engine: str, nodes: int) -> float:
    """How long our engine takes for so many nodes."""
    return nodes / A_SECOND[engine]
