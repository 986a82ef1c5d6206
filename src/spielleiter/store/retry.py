"""Asking again while a database is away: it may only have been started anew."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from spielleiter.errors import StoreError
from spielleiter.store.address import StoreAddress

PATIENCE = 300.0
"""Seconds that a database may be away before whoever uses it gives up."""
STARTING = 60.0
"""Seconds that a database may take to start when it is opened together with us."""
_LONGEST_PAUSE = 5.0
_log = logging.getLogger("spielleiter.store")

Done = TypeVar("Done")


class DatabaseAway(StoreError):
    """It may come back."""


class Retry:
    """Does something, and again while the database is away, until the patience is over.

    A database that went away may have done it all the same: whatever is done must be the same if
    it was done already. It is told whether it is tried `again`.
    """

    def __init__(
        self, seconds: float = PATIENCE, wait: Callable[[float], None] = time.sleep
    ) -> None:
        self._seconds, self._pauses, self._wait = seconds, tuple(_pauses(seconds)), wait

    def __call__(self, act: Callable[[bool], Done]) -> Done:
        """What comes of it; the last try raises what is wrong."""
        for number, pause in enumerate(self._pauses):
            try:
                return act(number > 0)
            except DatabaseAway as problem:
                if number == 1:
                    _log.warning("%s; trying again for %g s", problem, self._seconds)
                self._wait(pause)
        return act(True)


def opened(
    where: str | Path | StoreAddress,
    opening: Callable[[StoreAddress], Done],
    patience: Retry | None = None,
) -> Done:
    """What is opened there; a database that starts at the same time as we do is waited for."""
    address = StoreAddress.of(where)
    return (patience or Retry(STARTING))(lambda again: opening(address))


def _pauses(seconds: float) -> Iterator[float]:
    """Seconds between tries: none at first, then longer and longer."""
    pause, left = 0.1, seconds
    yield 0.0
    while left > 0:
        yield min(pause, left)
        left, pause = left - pause, min(2 * pause, _LONGEST_PAUSE)
