"""Detects stalls of this process: suspended, stopped, in a debugger, on a paused machine.

A thread reads the clock twenty times a second. If it is much too late, the whole process was
stalled, and that time is not charged to players.
"""

from __future__ import annotations

import functools
import os
import threading
import time
from collections import deque
from collections.abc import Callable

_TICK = 0.05
TOLERANCE = 0.25
"""Seconds of delay that are normal under load."""
_SOON = 0.01
"""Seconds before the clock is read again."""
AWAKENING = 1.0
"""Seconds within which all processes of a machine resume after a stall."""
_REMEMBERED = 1_000


class StallLog:
    """The stalls of this process so far."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._last = now, now()
        self._gaps: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)
        self._total = 0.0
        self._lock = threading.Lock()

    def look(self) -> None:
        """Read the clock, and note a stall if the last reading is long ago."""
        if self._now() - self._last <= _SOON:
            return
        with self._lock:
            last, self._last = self._last, self._now()
            if self._last - last > _TICK + TOLERANCE:
                self._gaps.append((last, self._last))
                self._total += self._last - last

    @property
    def total(self) -> float:
        """Total seconds of all stalls."""
        self.look()
        return self._total

    def during(self, since: float, until: float) -> float:
        """Seconds of stalls between two points in time.

        Input that arrives in the middle of a stall shows that only we were stalled, so that stall
        does not count. Processes do not all resume at the same instant, hence `AWAKENING`.
        """
        self.look()
        if not self._gaps:
            return 0.0
        return sum(
            min(end, until) - max(begin, since)
            for begin, end in tuple(self._gaps)
            if end > since and begin < until and until > end - AWAKENING
        )


@functools.cache
def stall_log() -> StallLog:
    """The log of this process; the first call starts the thread."""
    found = StallLog()
    threading.Thread(target=_look_forever, args=(found,), name="stalls", daemon=True).start()
    return found


if hasattr(os, "register_at_fork"):  # a thread does not live on in a forked process
    os.register_at_fork(after_in_child=stall_log.cache_clear)


def _look_forever(found: StallLog) -> None:
    while True:
        time.sleep(_TICK)
        found.look()
