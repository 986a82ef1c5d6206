"""A chair at the table: what was arranged for it, and who sits on it."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field

from spielleiter.server.line import Line


@dataclass(slots=True)
class Seat:
    """One seat of a room."""

    number: int
    name: str = ""
    timed: bool = True
    code: str | None = None
    """The reservation that it is kept for."""
    line: Line | None = None
    """Who took it."""
    is_open: bool = field(default=True)
    """Whether anybody may take it without a reservation."""

    @classmethod
    def reserved(cls, number: int, name: str, timed: bool) -> Seat:
        """A seat that only the holder of its code can take."""
        return cls(number, name, timed, code=str(uuid.uuid4()), is_open=False)

    @property
    def is_free(self) -> bool:
        """Whether the next one who comes without a code can have it."""
        return self.line is None and self.is_open

    def send(self, data: bytes) -> None:
        """Tell whoever sits here."""
        if self.line is not None:
            self.line.send(data)
