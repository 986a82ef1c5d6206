"""Slows down password guessing: every wrong one doubles the wait of its address."""

from __future__ import annotations

import hmac
import logging
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from spielleiter.server.log import say

FREE = 3
"""Wrong passwords before an address has to wait."""
LONGEST = 900.0
"""Longest wait in seconds; after as long without a mistake the count is reset."""
_ADDRESSES = 10_000


@dataclass(slots=True)
class _Guesses:
    wrong: int = 0
    locked_until: float = 0.0
    last: float = 0.0


class PasswordGuard:
    """Compares passwords, with a rate limit for each address."""

    def __init__(self, password: str, now: Callable[[], float]) -> None:
        self._password, self._now = password.encode(), now
        self._guesses: OrderedDict[str, _Guesses] = OrderedDict()

    def admits(self, address: str, said: str | None) -> bool:
        """Whether it is the password; while an address is locked out, nothing is."""
        now, known = self._now(), self._guesses.get(address)
        if known is not None and now < known.locked_until:
            return False
        if hmac.compare_digest((said or "").encode(), self._password):
            self._guesses.pop(address, None)
            return True
        self._note(address, known, now)
        return False

    def _note(self, address: str, known: _Guesses | None, now: float) -> None:
        if known is None or now - known.last > LONGEST:
            known = self._guesses[address] = _Guesses()
        known.wrong, known.last = known.wrong + 1, now
        self._guesses.move_to_end(address)
        while len(self._guesses) > _ADDRESSES:
            self._guesses.popitem(last=False)
        if known.wrong >= FREE:
            wait = min(LONGEST, 2.0 ** (known.wrong - FREE))
            known.locked_until = known.last = now + wait
            say(
                logging.WARNING,
                "wrong administrator password: locked out",
                address=address,
                attempts=known.wrong,
                seconds=wait,
            )
