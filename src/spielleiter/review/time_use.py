"""How a game's time was used, and what one more second would have changed.

A second is counted as a fixed number of nodes (`A_SECOND`) of our engine, so that the same game
gets the same review on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Literal

A_SECOND = {"alphabeta": 1_000_000, "mcts": 10_000}
"""Nodes of each engine that stand for a second: about what one core of an ordinary machine does."""
A_SECOND_IN_PYTHON = {"alphabeta": 5_000, "mcts": 500}
"""The same for engines in plain Python."""
_LONGEST = 3
"""How many of the longest turns are listed."""
_HURRIED = 0.5
"""A costly move that had less than this part of the usual time was hurried."""
_AT_ONCE = 0.02
"""A player who usually takes fewer seconds is not hurried."""
_COUNTED = 2.0
"""Most seconds of a move that are simulated."""

SecondMore = Literal["not-needed", "helps", "in-vain"]
"""Whether our engine avoids the mistake in the time that was spent, only with one more second, or
not even then."""


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
    """The time use of turns with their seconds; None if not measured."""
    if not spent:
        return None
    usual, at = mean(seconds for _, seconds in spent), dict(spent)
    slowest = sorted(spent, key=lambda each: (-each[1], each[0]))[:_LONGEST]
    hurried = [turn for turn in costly if turn in at and at[turn] < _HURRIED * usual]
    hurried = hurried if usual >= _AT_ONCE else []
    total = round(sum(at.values()), 3)
    return TimeUse(total, tuple(turn for turn, _ in slowest), tuple(hurried))


def second_more(a_second: int, spent: float, avoided_from: int | None) -> SecondMore:
    """What one more second would change for a mistake avoided from so many nodes on."""
    if avoided_from is None:
        return "in-vain"
    return "not-needed" if avoided_from / a_second <= spent else "helps"


def nodes_with_second_more(a_second: int, spent: float) -> int:
    """How many nodes stand for the time that was spent and a second more."""
    return round(a_second * (min(spent, _COUNTED - 1) + 1))
