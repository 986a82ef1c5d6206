"""How much of a time account to spend on the present move, so that it never runs out.

The server adds the limit to the account with every request and takes off what the answer used. One
millisecond too long disqualifies. Other programs, the network and the scheduler cost unpredictable
time, so a reserve is never touched, and only a part of what is above it is spent at once. Time left
over at the end is worth nothing: every move may use its own limit and its share of what was saved.
"""

from __future__ import annotations

from dataclasses import dataclass

from spielleiter.game import Clock

RESERVE = 0.05
"""Seconds that are always kept in reserve."""
SHARE = 0.25
"""The share of the limit that is kept in reserve, if that is more …"""
LARGEST_SHARE = 0.5
"""… but no more seconds than these."""
WAKES = 3
"""How often an answer on its way may have to wait for a processor."""
WAY = 0.2
"""Seconds of a fixed time for every move that are left for the way there and back."""
OVERRUN = 0.02
"""Seconds that a bot may take longer than its time before another move is sent."""
AT_ONCE, LAST, AT_LAST = 0.5, 3, 0.75
"""The part of the rest that a move may use; one of the last few moves may use more."""


@dataclass(slots=True)
class Budget:
    """Learns the limit from the first request: the account was empty before."""

    limit: float | None = None

    def clock(self, account: float, depth: int, moves_left: int, delay: float = 0.0) -> Clock:
        """What the bot may use. An account of 0 means no limit: then the depth binds.

        `delay`: seconds that one has to wait for a processor.
        """
        if account <= 0:
            return Clock(depth=max(1, depth))
        if self.limit is None:
            self.limit = account
        return Clock(per_move=self._seconds(account, self.limit, max(1, moves_left), delay))

    def _seconds(self, account: float, limit: float, moves_left: int, delay: float) -> float:
        free = account - _reserve(account, limit, delay)
        saved = max(0.0, account - limit) / moves_left
        part = AT_ONCE if moves_left > LAST else AT_LAST
        return max(0.0, min(part * free, limit + saved))

    def last_moment(self, account: float, delay: float = 0.0) -> float:
        """When a bot that has not answered is given up and another move is sent instead."""
        return account - _reserve(account, account, delay)


def last_moment_of_move(limit: float, delay: float) -> float:
    """When a bot whose server allows so many seconds is given up: a part of the way is used up."""
    return limit - max(RESERVE, min(WAKES * delay, WAY / 2))


def last_moment_beyond(seconds: float, delay: float) -> float:
    """When a bot that may think so long is given up if nobody said what its server allows.

    Presumably a third more and at most 0.2 s: who says 0.15 s is on a quick server.
    """
    allowed = seconds + min(WAY, seconds / 3)
    return max(seconds + OVERRUN, last_moment_of_move(allowed, delay))


def _reserve(account: float, limit: float, delay: float) -> float:
    """Seconds to leave: more where one has to wait for a processor, but at most half of all."""
    wanted = max(min(SHARE * limit, LARGEST_SHARE), WAKES * delay)
    return max(RESERVE, min(wanted, account / 2))
