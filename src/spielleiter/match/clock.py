"""How long a seat may think: two kinds of clock, both values.

A clock never reads the time. It is told how long an answer took and says whether that was too long
and what is left afterwards.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from spielleiter.game import Seat

_ROUNDING = 1e-9  # binary fractions: 12.1 - 10.1 is a hair more than 2.0


@dataclass(frozen=True, slots=True)
class PerMove:
    """The same time for every move; nothing is saved up.

    An answer that took longer than `soft` loses (exactly `soft` is in time); without any answer the
    referee stops waiting at `hard`. None: no such limit.
    """

    soft: float | None = 2.0
    hard: float | None = 10.0

    def asked(self, seat: Seat) -> Self:
        """The clock once a seat has been asked."""
        return self

    def allowed(self, seat: Seat) -> float | None:
        """What the seat may spend on the answer it now owes."""
        return self.soft

    def patience(self, seat: Seat) -> float | None:
        """How long to wait for an answer at all."""
        return self.hard

    def expired(self, seat: Seat, spent: float) -> bool:
        """Whether an answer after that time is too late."""
        return self.soft is not None and spent > self.soft + _ROUNDING

    def charged(self, seat: Seat, spent: float) -> Self:
        """The clock after a move that took that long."""
        return self


@dataclass(frozen=True, slots=True)
class Accounts:
    """Every request adds `limit` to the seat's account, every answer takes off what it used.

    An answer that overdraws the account loses; the referee listens `grace` longer before it gives
    up, but what arrives in that span is too late as well. What an answer used is charged in whole
    ticks, rounded down.
    """

    limit: float
    balances: tuple[float, ...]
    grace: float = 0.1
    tick: float = 0.001

    def asked(self, seat: Seat) -> Self:
        """The clock once a seat has been asked: its account has grown."""
        return self._with(seat, self.balances[seat] + self.limit)

    def allowed(self, seat: Seat) -> float | None:
        """The whole account of the seat."""
        return self.balances[seat]

    def patience(self, seat: Seat) -> float | None:
        """How long to wait for an answer at all."""
        return self.balances[seat] + self.grace

    def expired(self, seat: Seat, spent: float) -> bool:
        """Whether an answer after that time overdraws the account."""
        return spent > self.balances[seat] + _ROUNDING

    def charged(self, seat: Seat, spent: float) -> Self:
        """The clock after a move that took that long."""
        ticks = math.floor(spent / self.tick + _ROUNDING)
        return self._with(seat, max(0.0, round(self.balances[seat] - ticks * self.tick, 9)))

    def _with(self, seat: Seat, balance: float) -> Self:
        before, after = self.balances[:seat], self.balances[seat + 1 :]
        return replace(self, balances=(*before, balance, *after))


MatchClock = PerMove | Accounts


def clock_to_json(clock: MatchClock) -> dict[str, Any]:
    """A clock as plain data: `{"kind": "per move", "soft": 2.0, …}`."""
    if isinstance(clock, PerMove):
        return {"kind": "per move", **asdict(clock)}
    return {"kind": "accounts", **asdict(clock), "balances": list(clock.balances)}


def clock_from_json(data: dict[str, Any]) -> MatchClock:
    """The clock that plain data describes."""
    if data["kind"] == "accounts":
        return Accounts(data["limit"], tuple(data["balances"]), data["grace"], data["tick"])
    return PerMove(data["soft"], data["hard"])
