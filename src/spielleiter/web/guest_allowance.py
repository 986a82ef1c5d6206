"""Limits what is stored of one guest, so that nobody displaces the games of others."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_GAMES = 1_000
_SIZE = 32 * 1024 * 1024
"""Bytes of one guest per day: an eighth of the room of all guests."""
_DAY = 24 * 3600.0
_VISITORS = 10_000


@dataclass(slots=True)
class _Kept:
    """The usage of a guest, as a leaky bucket."""

    games: float = 0.0
    size: float = 0.0
    at: float = 0.0


class GuestAllowance:
    """Counts what is stored of each guest; the daily allowance refills evenly."""

    def __init__(
        self, *, games: int = _GAMES, size: int = _SIZE, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._games, self._size, self._now = games, size, now
        self._kept: OrderedDict[str, _Kept] = OrderedDict()

    def admits(self, visitor: str) -> bool:
        """Whether one more game of this guest may begin."""
        kept = self._of(visitor)
        return kept.games + 1 <= self._games and kept.size < self._size

    def charge(self, visitor: str, *, games: int = 0, size: int = 0) -> None:
        """Charge stored bytes to this guest."""
        kept = self._of(visitor)
        kept.games += games
        kept.size += size

    def _of(self, visitor: str) -> _Kept:
        now = self._now()
        kept = self._kept.setdefault(visitor, _Kept(at=now))
        share = (now - kept.at) / _DAY
        kept.games = max(0.0, kept.games - share * self._games)
        kept.size = max(0.0, kept.size - share * self._size)
        kept.at = now
        self._kept.move_to_end(visitor)
        while len(self._kept) > _VISITORS:
            self._kept.popitem(last=False)
        return kept
