"""Times at which this process stood still: suspended, stopped, in a debugger, on a paused machine.

A thread looks at the clock twenty times a second. If it comes much too late, all of us stood still,
and nobody can be blamed for not having acted meanwhile.
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
"""Seconds by which it may come late: less is the usual jostle for the processor."""
_SOON = 0.01
"""Seconds within which nobody need look again."""
AWAKENING = 1.0
"""Seconds within which all processes of a machine go on after they stood still."""
_REMEMBERED = 1_000


class StallLog:
    """The gaps in the life of this process, as far as somebody has looked at the clock."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now, self._last = now, now()
        self._gaps: deque[tuple[float, float]] = deque(maxlen=_REMEMBERED)
        self._total = 0.0
        self._lock = threading.Lock()

    def look(self) -> None:
        """Look at the clock: it should not be long since somebody did."""
        if self._now() - self._last <= _SOON:
            return
        with self._lock:
            last, self._last = self._last, self._now()
            if self._last - last > _TICK + TOLERANCE:
                self._gaps.append((last, self._last))
                self._total += self._last - last

    @property
    def total(self) -> float:
        """Seconds that we stood still, in all."""
        self.look()
        return self._total

    def during(self, since: float, until: float) -> float:
        """Seconds that we stood still between two moments.

        What came in the midst of a gap shows that others did not stand still: that gap is ours
        alone and counts for nothing. After a gap not all wake up in the same moment.
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
    """That of this process; from the first call on, a thread looks at the clock."""
    found = StallLog()
    threading.Thread(target=_look_forever, args=(found,), name="stalls", daemon=True).start()
    return found


if hasattr(os, "register_at_fork"):  # a thread does not live on in a forked process
    os.register_at_fork(after_in_child=stall_log.cache_clear)


def _look_forever(found: StallLog) -> None:
    while True:
        time.sleep(_TICK)
        found.look()
