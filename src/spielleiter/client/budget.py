"""How much of a time account to spend on the present move, so that it never runs out.

The server adds the limit to the account with every request and takes off what the answer used. One
millisecond too long disqualifies. Other programs, the network and the scheduler cost unpredictable
time, so a reserve is never touched, and at most half of what is above it is spent at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from spielleiter.game import Clock

RESERVE = 0.05
"""Seconds that are always kept in reserve."""
SHARE = 0.25
"""The share of the limit that is kept in reserve, if that is more."""
STEADY = 0.8
"""The part of the limit that every move may use; the rest is saved."""


@dataclass(slots=True)
class Budget:
    """Learns the limit from the first request: the account was empty before."""

    limit: float | None = None

    def clock(self, account: float, depth: int, moves_left: int) -> Clock:
        """What the bot may use. An account of 0 means no limit: then the depth binds."""
        if account <= 0:
            return Clock(depth=max(1, depth))
        if self.limit is None:
            self.limit = account
        return Clock(per_move=self._seconds(account, self.limit, max(1, moves_left)))

    def _seconds(self, account: float, limit: float, moves_left: int) -> float:
        free = account - max(RESERVE, SHARE * limit)
        saved = max(0.0, account - limit) / moves_left
        return max(0.0, min(free / 2, STEADY * limit + saved))

    def last_moment(self, account: float) -> float:
        """When a bot that has not answered is given up and another move is sent instead."""
        return account - max(RESERVE, min(SHARE * account, 0.5))
