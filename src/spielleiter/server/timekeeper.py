"""The server's clock, and how long bytes may have waited for us before we looked at them.

The operating system does not say when bytes arrived. But it does say, at every poll, which sockets
have any: what the present poll reports was not there at the poll before. So bytes can have waited
no longer than since the previous poll, and if the present one had to sleep, they came as it woke.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable
from typing import Any

_SLEPT = 0.000_1  # a poll that took longer than this waited for something to happen


class Timekeeper:
    """Tells the time in seconds and the delay that is our own fault."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self.now = now
        self._since: float | None = None
        self._polled: float | None = None

    def polled(self) -> float:
        """When we last asked the system for news: what had arrived by then is in our hands."""
        return self.now() if self._polled is None else self._polled

    def lag(self, at: float) -> float:
        """How long bytes read at that time may have waited for us; 0 if we cannot know."""
        return 0.0 if self._since is None else max(0.0, at - self._since)

    def note(self, began: float, ended: float) -> None:
        """A poll lasted from `began` to `ended`."""
        previous = self._polled
        self._since = ended if previous is None or ended - began > _SLEPT else previous
        self._polled = ended


class _Selector(selectors.DefaultSelector):
    """The system's best selector, telling a timekeeper about every poll."""

    def __init__(self, timekeeper: Timekeeper) -> None:
        super().__init__()
        self._timekeeper = timekeeper

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        began = self._timekeeper.now()
        ready: list[Any] = super().select(timeout)
        self._timekeeper.note(began, self._timekeeper.now())
        return ready


def event_loop(timekeeper: Timekeeper) -> asyncio.AbstractEventLoop:
    """An event loop that keeps the timekeeper informed."""
    return asyncio.SelectorEventLoop(_Selector(timekeeper))
