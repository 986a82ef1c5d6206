"""The server's clock, and how long bytes may have waited for us before we looked at them.

The operating system does not say when bytes arrived. But it does say, at every poll, which sockets
have any: what the present poll reports was not there at the poll before, so it can have waited no
longer than since then. After some work we therefore look once without waiting: what is there came
while we were busy; if nothing is, whatever wakes us came as we woke. After hardly any work we
do not look twice and credit that little work to the player.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable
from typing import Any

_HARDLY_ANY = 0.001


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

    def busy(self) -> float:
        """How long we have not asked for news."""
        return 0.0 if self._polled is None else self.now() - self._polled

    def note(self, waited: float) -> None:
        """A poll has ended; what it found may have waited for so long."""
        self._polled = now = self.now()
        self._since = now - waited


class _Selector(selectors.DefaultSelector):
    """The system's best selector, telling a timekeeper about every poll."""

    def __init__(self, timekeeper: Timekeeper) -> None:
        super().__init__()
        self._timekeeper = timekeeper

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        busy = self._timekeeper.busy()
        if busy > _HARDLY_ANY:
            found: list[Any] = super().select(0)
            if found or (timeout is not None and timeout <= 0):
                self._timekeeper.note(waited=self._timekeeper.busy())
                return found
            busy = 0.0
        ready: list[Any] = super().select(timeout)
        self._timekeeper.note(waited=busy)
        return ready


def event_loop(timekeeper: Timekeeper) -> asyncio.AbstractEventLoop:
    """An event loop that keeps the timekeeper informed."""
    return asyncio.SelectorEventLoop(_Selector(timekeeper))
