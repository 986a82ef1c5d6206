"""One game with a listening socket for every seat: a client gets the seat it connects to."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable

from spielleiter.errors import PeerError
from spielleiter.game import Seat
from spielleiter.match import Event
from spielleiter.protocol.binary import GROUPS, Group
from spielleiter.server.binary.connection import BinaryConnection
from spielleiter.server.binary.settings import BinarySettings, Board
from spielleiter.server.binary.speaker import BinarySpeaker
from spielleiter.server.log import say
from spielleiter.server.timekeeper import Timekeeper


class Reserved:
    """A game that waits for its players, and then for the word to begin.

    The first client that connects to the socket of a seat and names its group has the seat;
    `seated` is called. A client that leaves before the game begins has lost its seat for good.
    """

    def __init__(
        self,
        board: Board,
        settings: BinarySettings,
        time: Timekeeper,
        *,
        tell: Callable[[Event], None],
        seated: Callable[[Seat], None],
    ) -> None:
        self.board, self.settings, self.time = board, settings, time
        self._tell, self._seated = tell, seated
        self._seats: list[BinaryConnection | None] = [None] * board.start().seats
        self._servers: list[asyncio.Server] = []
        self._clients: set[BinaryConnection] = set()
        self._room: BinarySpeaker | None = None

    async def open(self, seat: Seat, listener: socket.socket) -> None:
        """Accept clients for a seat on a listening socket."""
        loop = asyncio.get_running_loop()
        self._servers.append(await loop.create_server(lambda: _Guest(self, seat), sock=listener))

    def begin(self) -> bool:
        """Start the game, if every seat is taken by somebody who is still there."""
        clients = [client for client in self._seats if client is not None and not client.ended]
        if len(clients) < len(self._seats):
            return False
        self._close_doors()
        self._room = BinarySpeaker(
            "reserved",
            self.board,
            clients,
            self.settings,
            time=self.time,
            sinks=[lambda _, event: self._tell(event)],
            ended=self._ended,
        )
        for client in clients:
            client.room = self._room
        self._room.begin()
        return True

    def close(self) -> None:
        """Whatever is going on is over."""
        self._close_doors()
        if self._room is not None:
            self._room.table.cancel()
        for client in list(self._clients):
            client.drop()

    def _close_doors(self) -> None:
        for server in self._servers:
            server.close()
        self._servers = []

    # ------------------------------------------------------------------------ the clients

    def arrived(self, client: BinaryConnection) -> None:
        """Somebody has connected."""
        self._clients.add(client)

    def heard(self, client: BinaryConnection, at: float) -> None:
        """Something has arrived from a client, or its end."""
        if client.room is not None:
            client.room.heard(client, at)
        elif isinstance(client, _Guest) and client.group is None:
            self._greet(client)

    def _greet(self, client: _Guest) -> None:
        try:
            message = client.next()
        except PeerError as problem:
            say(logging.INFO, "refused", problem=str(problem))
            client.drop()
            return
        if not isinstance(message, Group):
            return
        if message.group not in GROUPS or self._seats[client.seat] is not None:
            client.drop()
            return
        client.group = message.group
        self._seats[client.seat] = client
        self._seated(client.seat)

    def forget(self, client: BinaryConnection) -> None:
        """A connection is closed."""
        self._clients.discard(client)

    def _ended(self, room: BinarySpeaker) -> None:
        self._room = None


class _Guest(BinaryConnection):
    """A connection to the socket of a seat."""

    __slots__ = ("seat",)

    def __init__(self, host: Reserved, seat: Seat) -> None:
        super().__init__(host)
        self.seat = seat
