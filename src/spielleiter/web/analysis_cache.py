"""A cache of analyses for all visitors: a position is analysed once."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

Key = tuple[str, str, str, int, str]
"""Edition, authority, engine, number of lines, position."""
MOST = 10_000
"""Positions, each a few kilobytes at most."""


@dataclass(frozen=True, slots=True)
class _Finding:
    seconds: float
    report: dict[str, Any]


class AnalysisCache:
    """The last report on each of the most recent positions."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._known: OrderedDict[Key, _Finding] = OrderedDict()

    def get(self, key: Key, seconds: float) -> dict[str, Any] | None:
        """The report of a search of at least that time."""
        found = self._known.get(key)
        if found is None or found.seconds < seconds:
            return None
        self._known.move_to_end(key)
        return found.report

    def put(self, key: Key, seconds: float, report: dict[str, Any]) -> None:
        """Store a final report, unless one of a longer search is known."""
        before = self._known.get(key)
        if before is not None and before.seconds > seconds:
            return
        self._known[key] = _Finding(seconds, report)
        self._known.move_to_end(key)
        while len(self._known) > self._most:
            self._known.popitem(last=False)

    def __len__(self) -> int:
        return len(self._known)
