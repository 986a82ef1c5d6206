"""One game with a door for every seat: who comes through a door sits there, in whatever order."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable, Sequence

from spielleiter.errors import PeerError
from spielleiter.game import Seat
from spielleiter.match import Event
from spielleiter.protocol.binary import GROUPS, Group
from spielleiter.server.binary.line import Line
from spielleiter.server.binary.notices import Notice
from spielleiter.server.binary.room import Room
from spielleiter.server.binary.settings import Board, Settings
from spielleiter.server.log import say
from spielleiter.server.timekeeper import Timekeeper


class Reserved:
    """A game that waits for its players, and then for the word to begin.

    A door is a socket that listens. The first client that comes through it and names its group has
    the seat; `seated` is told. Whoever leaves before the game begins has left his seat for good.
    """

    def __init__(
        self,
        board: Board,
        settings: Settings,
        time: Timekeeper,
        *,
        tell: Callable[[Event], None],
        seated: Callable[[Seat], None],
    ) -> None:
        self.board, self.settings, self.time = board, settings, time
        self._tell, self._seated = tell, seated
        self._seats: list[Line | None] = [None] * board.start().seats
        self._servers: list[asyncio.Server] = []
        self._lines: set[Line] = set()
        self._room: Room | None = None

    async def open(self, seat: Seat, door: socket.socket) -> None:
        """Let in whoever comes through the door of a seat."""
        loop = asyncio.get_running_loop()
        self._servers.append(await loop.create_server(lambda: _Guest(self, seat), sock=door))

    def begin(self) -> bool:
        """Start the game, if every seat is taken by somebody who is still there."""
        lines = [line for line in self._seats if line is not None and not line.ended]
        if len(lines) < len(self._seats):
            return False
        self._close_doors()
        self._room = Room(self, "reserved", self.board, lines)
        for line in lines:
            line.room = self._room
        self._room.begin()
        return True

    def close(self) -> None:
        """Whatever is going on is over."""
        self._close_doors()
        if self._room is not None:
            self._room.cancel()
        for line in list(self._lines):
            line.drop()

    def _close_doors(self) -> None:
        for server in self._servers:
            server.close()
        self._servers = []

    # ------------------------------------------------------------------------ what lines tell of

    def arrived(self, line: Line) -> None:
        """Somebody has connected."""
        self._lines.add(line)

    def heard(self, line: Line, at: float) -> None:
        """Something has arrived from a client, or its end."""
        if line.room is not None:
            line.room.heard(line, at)
        elif isinstance(line, _Guest) and line.group is None:
            self._greet(line)

    def _greet(self, line: _Guest) -> None:
        try:
            message = line.next()
        except PeerError as problem:
            say(logging.INFO, "refused", problem=str(problem))
            line.drop()
            return
        if not isinstance(message, Group):
            return
        if message.group not in GROUPS or self._seats[line.seat] is not None:
            line.drop()
            return
        line.group = message.group
        self._seats[line.seat] = line
        self._seated(line.seat)

    def forget(self, line: Line) -> None:
        """A connection is closed."""
        self._lines.discard(line)

    # ------------------------------------------------------------------------ what the room tells

    def notify(self, notice: Notice) -> None:
        """Nobody looks at notices here."""

    def tell(self, room: str, events: Sequence[Event]) -> None:
        """What the referee says."""
        for event in events:
            self._tell(event)

    def ended(self, room: Room) -> None:
        """The game is over."""
        self._room = None


class _Guest(Line):
    """A connection that came through the door of a seat."""

    __slots__ = ("seat",)

    def __init__(self, host: Reserved, seat: Seat) -> None:
        super().__init__(host)
        self.seat = seat
