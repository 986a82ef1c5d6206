"""What players with a native engine share: options as numbers, and the time to leave."""

from __future__ import annotations

import sys
import time
from typing import Any

from spielleiter.errors import UsageError
from spielleiter.game import Clock

UNLIMITED = 1.0
"""Seconds for a move where nobody sets a limit."""


class Margin:
    """How much of the time to leave besides what the engine itself keeps in reserve.

    The engine measures how long the system keeps it from running. What lies between it and the
    referee is measured here: as much as answers were late so far counts twice. It fades slowly, so
    that one bad moment does not weaken a whole game.
    """

    def __init__(self) -> None:
        self._late = 0.0

    def seconds(self, clock: Clock, begun: float) -> float | None:
        """What the clock of a move that was asked for at `begun` leaves; None is without limit."""
        account = None if clock.account is None else share(clock.account, clock.moves_left)
        allowed = least(clock.per_move, account)
        if allowed is None:
            return None
        return max(0.0, self.within(allowed) - (time.perf_counter() - begun))

    def within(self, allowed: float) -> float:
        """What to spend of the time allowed."""
        return max(allowed - 0.012 - 0.02 * allowed - 2 * self._late, allowed / 4)

    def learn(self, late: float) -> None:
        """An answer came so much later than asked (or earlier)."""
        self._late = max(late, 0.9 * self._late)


def share(account: float, moves: int | None) -> float:
    """What to plan for the next move with so much time for all moves to come.

    An equal share and a little more, for what is left over at the end is worth nothing; never more
    than a third of everything. A game of unknown length is taken to be long.
    """
    return min(1.25 * account / max(1, moves or 30), account / 3)


def native_of(position: Any) -> Any:
    """The native module that a position belongs to."""
    return sys.modules[type(position).__module__]


def number(name: str, text: Any, kind: type) -> Any:
    """An option as number above nothing; None stays None."""
    try:
        value = None if text is None else kind(text)
    except ValueError:
        raise UsageError(f"{name}={text}: expected a number") from None
    if value is not None and value <= 0:
        raise UsageError(f"{name}={text}: expected more than nothing")
    return value


def least(*values: Any) -> Any:
    """The smallest of those that are given."""
    return min((value for value in values if value is not None), default=None)
