"""How much of one guest is kept: games and bytes, so that nobody pushes out what others played."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

_GAMES = 1_000
_SIZE = 32 * 1024 * 1024
"""Of one guest in a day: an eighth of the room that all strangers have."""
_DAY = 24 * 3600.0
_VISITORS = 10_000


@dataclass(slots=True)
class _Kept:
    """What was kept of a guest, less what has been regained since."""

    games: float = 0.0
    size: float = 0.0
    at: float = 0.0


class GuestAllowance:
    """Counts what is kept of each guest; what a day allows is regained evenly."""

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
        """So much more is kept of this guest."""
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
