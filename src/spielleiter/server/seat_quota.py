"""Limits how many games one address may begin, since every game is stored."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

FULL = "Too many games of your address were played here: come again later"
_HOUR = 3600.0
_ADDRESSES = 10_000


class SeatQuota:
    """Seats that an address may take without a reservation per hour, as a token bucket."""

    def __init__(self, per_hour: int | None, now: Callable[[], float]) -> None:
        self._per_hour, self._now = per_hour, now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def admits(self, address: str) -> bool:
        """Whether this address may take one more seat; if so, it is counted."""
        if self._per_hour is None:
            return True
        now, most = self._now(), float(self._per_hour)
        left, at = self._left.pop(address, (most, now))
        left = min(most, left + (now - at) * most / _HOUR)
        self._left[address] = (left - 1 if left >= 1 else left, now)
        while len(self._left) > _ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1
