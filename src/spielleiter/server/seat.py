"""A seat of a room: its settings, and the client that has taken it."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from spielleiter.server.acceptor import Address
from spielleiter.server.connection import XmlConnection


@dataclass(slots=True)
class RoomSeat:
    """One seat of a room."""

    number: int
    name: str = ""
    timed: bool = True
    code: str | None = None
    """The reservation that it is kept for."""
    client: XmlConnection | None = None
    """Who took it."""
    is_open: bool = field(default=True)
    """Whether anybody may take it without a reservation."""
    is_player: Callable[[Address, Address], bool | None] | None = None
    """(client address, our address) → whether this is its player; None: ask again."""
    listener: str | None = None
    """The name of the listening socket that its player comes by, if it has one of its own."""

    @classmethod
    def reserved(cls, number: int, name: str, timed: bool) -> RoomSeat:
        """A seat that only the holder of its code can take."""
        return cls(number, name, timed, code=str(uuid.uuid4()), is_open=False)

    @property
    def is_free(self) -> bool:
        """Whether a client without a code can take it."""
        return self.client is None and self.is_open

    def admits(self, client: XmlConnection) -> bool | None:
        """Whether this client is the player whom it is kept for; None: ask again.

        A code may be seen by other programs of this machine: it stands in a command line.
        """
        if self.listener is not None:
            return client.address == self.listener
        ends = client.ends
        return self.is_player is None or ends is None or self.is_player(*ends)

    def send(self, data: bytes) -> None:
        """Send a message to the client on this seat."""
        if self.client is not None:
            self.client.send(data)
