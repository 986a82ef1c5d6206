"""What players with a native engine share: options as numbers, and the time to leave."""

from __future__ import annotations

import sys
from typing import Any

from spielleiter.errors import UsageError

UNLIMITED = 1.0
"""Seconds for a move where nobody sets a limit."""


class Margin:
    """How much of the time to leave: as much as searches were late so far, and then some.

    A machine under load wakes a program late. What was measured counts twice; it fades slowly, so
    that one bad moment does not weaken a whole game.
    """

    def __init__(self) -> None:
        self._late = 0.0

    def within(self, allowed: float) -> float:
        """What to spend of the time allowed."""
        return max(allowed - 0.015 - 0.03 * allowed - 2 * self._late, allowed / 4)

    def learn(self, late: float) -> None:
        """A search came back so much later than asked (or earlier)."""
        self._late = max(late, 0.9 * self._late)


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
