"""Limits and reports of searches in Python."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

from spielleiter.errors import UsageError
from spielleiter.game import Move, Report, Variation
from spielleiter.plain.position import PlainPosition

_USUAL_MOVES = 30
"""Default number of remaining moves, for dividing a time account."""


class OutOfBudget(Exception):
    """The limits of a search are reached."""


@dataclass(frozen=True, slots=True)
class SearchLimits:
    """What a search may use, as `Engine.search` takes it; None is without limit."""

    time: float | None = None
    deadline: float | None = None
    account: float | None = None
    moves_left: int | None = None
    nodes: int | None = None
    depth: int | None = None
    simulations: int | None = None
    lines: int = 1


class SearchBudget:
    """Seconds and positions that are left; `spend` raises OutOfBudget."""

    def __init__(self, limits: SearchLimits, nodes: int | None) -> None:
        self.begun, self.nodes = perf_counter(), 0
        allowed = _seconds(limits)
        self._until = None if allowed is None else self.begun + allowed
        self._most = nodes

    def spend(self) -> None:
        """One more position is looked at; the first one always."""
        is_late = self._until is not None and perf_counter() >= self._until
        if self.nodes and (is_late or (self._most is not None and self.nodes >= self._most)):
            raise OutOfBudget
        self.nodes += 1

    def report(self, lines: list[Variation], wanted: int, depth: int) -> Report:
        """What is known now."""
        shown = tuple(lines[: max(1, wanted)])
        return Report(shown, depth, self.nodes, perf_counter() - self.begun, 0)


def _seconds(limits: SearchLimits) -> float | None:
    allowed = [limit for limit in (limits.time, limits.deadline) if limit is not None]
    if limits.account is not None:
        allowed.append(limits.account / max(1, limits.moves_left or _USUAL_MOVES))
    return min(allowed, default=None)


class PlainSearch(abc.ABC):
    """The base class of searches in Python."""

    def __init__(
        self,
        *,
        table: int = 64,
        threads: int = 1,
        seed: int = 0,
        overlooked: int = 0,
        **others: Any,
    ) -> None:
        """Of 1024 moves `overlooked` are missed; options of native engines are accepted and
        ignored."""
        self._seed, self._overlooked = seed, overlooked

    @abc.abstractmethod
    def forget(self) -> None:
        """As if new."""

    def search(self, position: PlainPosition, /, **limits: Any) -> Report:
        """The best moves within the limits; without a limit it never ends."""
        *_, last = self.analyse(position, **limits)
        return last

    def analyse(self, position: PlainPosition, /, **limits: Any) -> Iterator[Report]:
        """The same, with a report after every iteration."""
        if not position.legal_moves():
            raise UsageError("there is no move to search for")
        return self._reports(position, SearchLimits(**limits))

    @abc.abstractmethod
    def _reports(self, position: PlainPosition, limits: SearchLimits) -> Iterator[Report]:
        """One report after the other; at least one."""

    def _seen(self, position: PlainPosition) -> list[Move]:
        """The legal moves without those that are overlooked; one is always seen."""
        moves = list(position.legal_moves())
        if not self._overlooked:
            return moves
        key = position.key() ^ self._seed
        seen = [m for m in moves if hash((key, position.action(m))) % 1024 >= self._overlooked]
        return seen or moves[:1]
