"""Counts wrong passwords, by address and in total, since attackers may have many addresses.

An address waits longer after every wrong one. After too many in total, new logins are locked for a
while. The organiser is not locked out: an open session stays valid and can unlock, and so can a
command on the machine itself.
"""

from __future__ import annotations

import logging
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from pathlib import Path

UNLOCK = "unlock"
"""A file of this name in the data folder unlocks: only the organiser can write there."""
FREE = 5
"""Wrong passwords in a row that an address may give before it has to wait."""
FIRST, LONGEST = 30.0, 3600.0
"""Seconds that an address waits: at first, and at most."""
IN_ALL, WITHIN = 50, 900.0
"""So many wrong passwords within so many seconds lock the login."""
_REMEMBERED = 10_000
_log = logging.getLogger("spielleiter.web")


class LoginGuard:
    """Tracks wrong passwords and waiting times."""

    def __init__(
        self,
        file: Path | None = None,
        *,
        in_all: int = IN_ALL,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._file, self._in_all, self._now = file, in_all, now
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()
        """Address → wrong passwords in a row, and when the next one is looked at."""
        self._recent: deque[float] = deque(maxlen=in_all)
        self._locked_until = 0.0

    def waits(self, address: str) -> float:
        """Seconds that an address has to wait."""
        self._look()
        _, until = self._wrong.get(address, (0, 0.0))
        return max(0.0, until - self._now())

    @property
    def is_locked(self) -> bool:
        """Whether nobody new may log in."""
        self._look()
        return self._now() < self._locked_until

    def _look(self) -> None:
        """Unlock if the organiser has created the unlock file."""
        if self._file is not None and self._file.exists():
            self._file.unlink(missing_ok=True)
            self._wrong.clear()
            self.unlock()

    def failed(self, address: str) -> None:
        """A wrong password."""
        now = self._now()
        times = self._wrong.pop(address, (0, 0.0))[0] + 1
        pause = 0.0 if times < FREE else min(LONGEST, FIRST * 2 ** min(times - FREE, 20))
        self._wrong[address] = (times, now + pause)
        while len(self._wrong) > _REMEMBERED:
            self._wrong.popitem(last=False)
        if pause:
            _log.warning("login: %d wrong passwords from %s, waits %g s", times, address, pause)
        self._recent.append(now)
        if len(self._recent) == self._in_all and now - self._recent[0] < WITHIN:
            self._lock(now)

    def _lock(self, now: float) -> None:
        self._recent.clear()
        self._locked_until = now + WITHIN
        minutes = WITHIN / 60
        _log.warning("login: %d wrong passwords, locked for %g minutes", self._in_all, minutes)

    def succeeded(self, address: str) -> None:
        """The right password."""
        self._wrong.pop(address, None)

    def unlock(self) -> None:
        """Unlock, after the organiser was authenticated."""
        if self._now() < self._locked_until:
            _log.warning("login: unlocked by the organiser")
        self._locked_until = 0.0
