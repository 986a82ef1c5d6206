"""Limits open connections, in total and per address."""

from __future__ import annotations

import sys
from collections import Counter

from spielleiter.web.proxies import visitor_of

MOST = 10_000
_RESERVED = 200
"""File descriptors reserved for stores, pipes and pages."""
_SHARE = 4
"""One address gets at most a quarter, enough for a school."""

Refusal = tuple[int, str, str]
"""Status, code, message."""


class ConnectionQuota:
    """Places for connections."""

    def __init__(self, most: int = MOST, by_address: int | None = None) -> None:
        self.most = most
        self.by_address = max(1, most // _SHARE) if by_address is None else by_address
        self._open: Counter[str] = Counter()
        self._total = 0

    @property
    def open(self) -> int:
        """How many places are taken."""
        return self._total

    def enter(self, address: str, *, shared: bool = False) -> Refusal | None:
        """Take a place; returns the refusal, if any. A `shared` address has no limit."""
        visitor = visitor_of(address)
        if self.open >= self.most:
            return 503, "too-many-connections", "the arena is full: try again in a moment"
        if not shared and self._open[visitor] >= self.by_address:
            most = f"at most {self.by_address} connections from one address"
            return 429, "too-many-connections", most
        self._open[visitor] += 1
        self._total += 1
        return None

    def leave(self, address: str) -> None:
        """Give a place back."""
        visitor = visitor_of(address)
        self._open[visitor] -= 1
        self._total -= 1
        if self._open[visitor] <= 0:
            del self._open[visitor]


def most_connections() -> int:
    """The connections the system allows; raises the soft limit of open files if possible."""
    if sys.platform == "win32":
        return MOST
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST + _RESERVED
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < wanted:
        soft = wanted if hard == unlimited else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MOST if soft == unlimited else max(1, min(MOST, soft - _RESERVED))
