"""Retries while a database is unavailable, for example during a restart."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from spielleiter.errors import StoreError
from spielleiter.store.address import StoreAddress

PATIENCE = 300.0
"""Seconds for which an unavailable database is retried."""
STARTING = 60.0
"""Seconds for which opening is retried while the database starts."""
_LONGEST_PAUSE = 5.0
_log = logging.getLogger("spielleiter.store")

Done = TypeVar("Done")


class DatabaseAway(StoreError):
    """The database is unavailable; it may come back."""


class Retry:
    """Calls a function, and again while the database is unavailable, up to a time limit.

    The database may have executed the call before the connection was lost, so the function must be
    idempotent. Its argument `again` says whether this is a retry.
    """

    def __init__(
        self, seconds: float = PATIENCE, wait: Callable[[float], None] = time.sleep
    ) -> None:
        self._seconds, self._pauses, self._wait = seconds, tuple(_pauses(seconds)), wait

    def __call__(self, act: Callable[[bool], Done]) -> Done:
        """The result of the function; the last try raises its exception."""
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
    """Open something, and retry while the database is starting."""
    address = StoreAddress.of(where)
    return (patience or Retry(STARTING))(lambda again: opening(address))


def _pauses(seconds: float) -> Iterator[float]:
    """Seconds between tries: none at first, then longer and longer."""
    pause, left = 0.1, seconds
    yield 0.0
    while left > 0:
        yield min(pause, left)
        left, pause = left - pause, min(2 * pause, _LONGEST_PAUSE)
