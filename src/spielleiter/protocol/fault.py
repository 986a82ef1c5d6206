"""What can be wrong with the other side's bytes, and what the lobby calls it."""

from __future__ import annotations

import enum
from typing import Any

from spielleiter.errors import Malformed, PeerError


class LeaveCause(enum.Enum):
    """How a player left, in the words that official results use."""

    PROTOCOL_ERROR = enum.auto()
    """Malformed XML, an unknown element, class or constant."""
    UNKNOWN = enum.auto()
    """Well-formed and known, but a necessary part is missing or impossible."""
    RECEIVED_DISCONNECT = enum.auto()
    """The player said good-bye."""
    LOST_CONNECTION = enum.auto()
    """End of document, end of stream or reset."""
    NOT_CONNECTED = enum.auto()
    """The seat was never taken."""


class XmlError(Malformed):
    """Bytes that are no message: says what is wrong, where, and what a result will call it."""

    def __init__(
        self,
        problem: str,
        at: int | None = None,
        cause: LeaveCause = LeaveCause.PROTOCOL_ERROR,
        before: tuple[Any, ...] = (),
    ) -> None:
        super().__init__(problem, at, cause, before)
        self.problem, self.at, self.cause = problem, at, cause
        self.before = before
        """The messages of the same chunk that were complete before the fault."""

    def __str__(self) -> str:
        return self.problem if self.at is None else f"{self.problem} (at byte {self.at})"


class NoMove(PeerError):
    """A room message that is well-formed and known but no move."""
