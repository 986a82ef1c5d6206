"""Shared by players with a native engine: options, limits and the time margin."""

from __future__ import annotations

import os
import sys
import time
from types import ModuleType
from typing import Any

from spielleiter.errors import UsageError
from spielleiter.game import Clock, Engine, Position, Report

UNLIMITED = 1.0
"""Seconds for a move without a limit."""
SLICE = 0.004
"""Seconds that a process has a processor before others get it."""


class Margin:
    """How much time to leave besides the engine's own reserve.

    The engine measures scheduling delays itself. Delays between it and the referee are measured
    here and counted twice. They fade slowly, so that one bad moment does not weaken a whole game.
    Before the first measurement, the processes that wait for a processor are expected to run first.
    """

    def __init__(self, lost: float | None = None) -> None:
        self._lost = expected_delay() if lost is None else lost

    def limits(self, clock: Clock, begun: float) -> dict[str, Any]:
        """What the engine may use of a clock that runs since `begun`; None is without limit."""
        gone = time.perf_counter() - begun
        is_soft = clock.per_move is not None and not clock.is_strict
        return {
            "time": max(0.0, (clock.per_move or 0.0) - gone) if is_soft else None,
            "deadline": None if is_soft else self._left(clock.per_move, gone),
            "account": self._left(clock.account, gone),
            "moves_left": clock.moves_left,
        }

    def _left(self, allowed: float | None, gone: float) -> float | None:
        return None if allowed is None else max(0.0, self.within(allowed) - gone)

    def within(self, allowed: float) -> float:
        """What to spend of the time allowed."""
        return max(allowed - 0.012 - 0.02 * allowed - 2 * self._lost, allowed / 4)

    def learn(self, lost: float) -> None:
        """Note how much longer an answer took than the search."""
        self._lost = max(lost, 0.9 * self._lost)


def expected_delay() -> float:
    """Seconds that one has to wait for a processor, if all who wait for one have it in turn."""
    return SLICE * crowd()


def crowd() -> float:
    """How many more processes than processors there were recently, per processor."""
    if not hasattr(os, "getloadavg"):
        return 0.0
    return min(20.0, max(0.0, os.getloadavg()[0] / (os.cpu_count() or 1) - 1))


def searched(engine: Engine, position: Position, limits: dict[str, Any], margin: Margin) -> Report:
    """What an engine finds within the limits; without any it gets a second."""
    if all(value is None for name, value in limits.items() if name != "moves_left"):
        limits = {**limits, "time": UNLIMITED}
    asked = time.perf_counter()
    report = engine.search(position, **limits)
    margin.learn(time.perf_counter() - asked - report.seconds)
    return report


def warm_up(engine: Engine, position: Position) -> None:
    """Let an engine allocate its memory and see the board before the clock runs."""
    if position.outcome() is None and position.legal_moves():
        engine.search(position, nodes=1)
        engine.forget()


def native_of(position: Position) -> ModuleType:
    """The native module that a position belongs to."""
    return sys.modules[type(position).__module__]


def kind_of(position: Position) -> tuple[str, str, int]:
    """The key of the settings that a player's engine depends on."""
    return type(position).__module__, position.edition, position.seats


def number(name: str, text: Any, kind: type) -> Any:
    """An option as a positive number; None stays None."""
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
