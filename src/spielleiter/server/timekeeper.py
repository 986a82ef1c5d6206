"""The server's clock, and how long bytes may have waited before we read them.

Linux reports how long ago a connection last received data, so that players are not charged for a
server that was stopped or short of processor time. Stalls of the whole machine (see `stalls`) are
charged to nobody. Other systems do not report when bytes arrived, but every poll reports which
sockets have data. What the current poll reports was not there at the previous one, so it has waited
no longer than since then. After some work we therefore poll once without waiting: what is there
came while we were busy; if nothing is, whatever wakes us came just then. After very little work we
skip the extra poll and credit that little work to the player.
"""

from __future__ import annotations

import asyncio
import selectors
import time
from collections.abc import Callable
from typing import Any, Protocol

from spielleiter import arrival
from spielleiter.arrival import TICK
from spielleiter.stalls import StallLog, stall_log

_HARDLY_ANY = 0.001


class Socket(Protocol):
    """The part of a socket that we use."""

    @property
    def family(self) -> int:
        """Which kind of addresses it has."""
        ...

    def setsockopt(self, level: int, option: int, value: int, /) -> None:
        """Set an option."""
        ...

    def getsockopt(self, level: int, option: int, size: int, /) -> bytes:
        """An option as bytes."""
        ...


class Timekeeper:
    """Tells the time in seconds and the delay that is our own fault."""

    def __init__(
        self, now: Callable[[], float] = time.monotonic, gaps: StallLog | None = None
    ) -> None:
        self.now = now
        self._is_real = now is time.monotonic
        self._gaps = stall_log() if gaps is None and self._is_real else gaps
        self._since: float | None = None
        self._polled: float | None = None
        self._heard_until: float | None = None

    def heard_until(self) -> float:
        """When our last poll began: we know of all that had arrived by then.

        Not when it ended: others may have the processor between the poll and our look at the clock.
        """
        return self.now() if self._heard_until is None else self._heard_until

    def lag(self, at: float, sock: Socket | None = None, asked: float | None = None) -> float:
        """How long bytes read at that time may have waited for us; 0 if we cannot know.

        `asked` is the earliest time they can have come. If that is within the kernel's precision,
        the kernel is not asked. If it says that they have waited, it is believed in the player's
        favour: our own delay is never charged.
        """
        polled = 0.0 if self._since is None else max(0.0, at - self._since)
        if asked is not None and at - asked <= TICK and polled <= TICK:
            return polled
        read = self.now() - at
        waited = None if sock is None or not self._is_real else arrival.age(sock)
        if waited is None:
            return polled
        waited -= read
        if waited > TICK:
            return waited + TICK
        return max(0.0, min(polled, waited + TICK))

    def gap(self, since: float | None, until: float) -> float:
        """Seconds of stalls between two points in time."""
        if self._gaps is None or since is None:
            return 0.0
        return self._gaps.during(since, until)

    def busy(self) -> float:
        """Seconds since the last poll."""
        return 0.0 if self._polled is None else self.now() - self._polled

    def note(self, waited: float, began: float | None = None) -> None:
        """Note that a poll has ended, how long its input may have waited, and when it began."""
        self._polled = now = self.now()
        self._heard_until = now if began is None else began
        self._since = now - waited


class _Selector(selectors.DefaultSelector):
    """The system's best selector, which reports every poll to a timekeeper."""

    def __init__(self, timekeeper: Timekeeper) -> None:
        super().__init__()
        self._timekeeper = timekeeper

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        busy = self._timekeeper.busy()
        if busy > _HARDLY_ANY:
            began = self._timekeeper.now()
            found: list[Any] = super().select(0)
            if found or (timeout is not None and timeout <= 0):
                self._timekeeper.note(self._timekeeper.busy(), began)
                return found
            busy = 0.0
        began = self._timekeeper.now()
        ready: list[Any] = super().select(timeout)
        self._timekeeper.note(busy, began)
        return ready


def event_loop(timekeeper: Timekeeper) -> asyncio.AbstractEventLoop:
    """An event loop that keeps the timekeeper informed."""
    return asyncio.SelectorEventLoop(_Selector(timekeeper))
