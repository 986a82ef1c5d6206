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
from spielleiter.server.acceptor import Acceptor, Address
from spielleiter.server.admission import Admission, Quotas
from spielleiter.server.binary.connection import BinaryConnection
from spielleiter.server.binary.settings import BinarySettings, Board
from spielleiter.server.binary.speaker import BinarySpeaker
from spielleiter.server.log import say
from spielleiter.server.table import TimeCredit
from spielleiter.server.timekeeper import Timekeeper

IsPlayer = Callable[[Seat, Address, Address], bool | None]
"""(client address, our address) → whether this is the seat's player; None: ask again."""
_ASK_AGAIN = 0.02
_FOR_A_SEAT = Quotas(16, 16, 16, 16)
"""One client is expected for a seat: a few connections are enough."""


class Reserved:
    """A game that waits for its players, and then for `begin`.

    The first client that connects to the socket of a seat and names its group gets the seat; then
    the socket is closed and `seated` is called. Whom `is_player` does not know is closed as soon as
    it connects. Of silent clients the last few stay. A client that leaves before the game begins
    loses its seat for good.
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
        self._acceptors: dict[Seat, Acceptor] = {}
        self._listeners: dict[Seat, socket.socket] = {}
        """Where the player of a seat connects."""
        self._queues: dict[Seat, Admission] = {}
        self._clients: set[BinaryConnection] = set()
        self._room: BinarySpeaker | None = None
        self.time_credit: TimeCredit | None = None
        """Knows what players could not help."""
        self.is_player: IsPlayer = lambda seat, peer, own: True

    async def open(self, seat: Seat, listener: socket.socket) -> None:
        """Accept clients for a seat on a listening socket, and on no other from now on."""
        self._stop_accepting(seat)
        self._listeners[seat] = listener
        queue = self._queues.setdefault(seat, Admission(_FOR_A_SEAT, self.time.now))
        acceptor = Acceptor(
            listener,
            lambda: _ReservedClient(self, seat, listener),
            at_once=queue.at_once,
            rest=queue.rest,
            make_room=queue.make_room,
            admits=lambda peer, own: self.is_player(seat, peer, own) is not False,
        )
        self._acceptors[seat] = acceptor

    def begin(self) -> bool:
        """Start the game if every seat is taken by a connected client."""
        clients = [client for client in self._seats if client is not None and not client.ended]
        if len(clients) < len(self._seats):
            return False
        self._room = BinarySpeaker(
            "reserved",
            self.board,
            clients,
            self.settings,
            time=self.time,
            sinks=[lambda _, event: self._tell(event)],
            ended=self._ended,
        )
        self._room.table.time_credit = self.time_credit
        for client in clients:
            client.room = self._room
        self._room.begin()
        return True

    def close(self) -> None:
        """End everything."""
        for seat in list(self._acceptors):
            self._stop_accepting(seat)
        if self._room is not None:
            self._room.table.cancel()
        for client in list(self._clients):
            client.drop()

    def _stop_accepting(self, seat: Seat) -> None:
        if (acceptor := self._acceptors.pop(seat, None)) is not None:
            acceptor.close()

    # ------------------------------------------------------------------------ the clients

    def arrived(self, client: BinaryConnection) -> None:
        """Somebody has connected."""
        assert isinstance(client, _ReservedClient)
        self._clients.add(client)
        if self._is_free(client):
            self._queues[client.seat].arrive(client)
            loop = asyncio.get_running_loop()
            client.timer = loop.call_later(self.settings.greeting, self._too_silent, client)
        else:
            client.drop()

    def _is_free(self, client: _ReservedClient) -> bool:
        """Whether the seat of a client is free, and it came by the socket that the seat has now."""
        is_here = client.listener is self._listeners[client.seat]
        return is_here and self._seats[client.seat] is None

    def _too_silent(self, client: BinaryConnection) -> None:
        if client.group is None:
            client.drop()

    def turn_away(self, client: BinaryConnection, why: str) -> None:
        """Close a silent client to make room for newer ones."""
        say(logging.INFO, "refused", problem=why)
        client.drop()

    def heard(self, client: BinaryConnection, at: float) -> None:
        """Something has arrived from a client, or its end."""
        if client.room is not None:
            client.room.heard(client, at)
        elif isinstance(client, _ReservedClient) and client.group is None:
            self._greet(client)

    def _greet(self, client: _ReservedClient) -> None:
        try:
            message = client.next()
        except PeerError as problem:
            say(logging.INFO, "refused", problem=str(problem))
            client.drop()
            return
        if not isinstance(message, Group):
            return
        if message.group not in GROUPS or not self._is_free(client):
            client.drop()
            return
        client.group = message.group
        self._take_seat(client)

    def _take_seat(self, client: _ReservedClient) -> None:
        if client not in self._clients:
            return
        known = client.ends
        right = known is None or self.is_player(client.seat, *known)
        if right is None:
            asyncio.get_running_loop().call_later(_ASK_AGAIN, self._take_seat, client)
            return
        if not right or not self._is_free(client):
            say(logging.WARNING, "refused", problem="another program came for this seat")
            client.drop()
            return
        self._queues[client.seat].settle(client)
        self._seats[client.seat] = client
        self._stop_accepting(client.seat)
        self._seated(client.seat)

    def forget(self, client: BinaryConnection) -> None:
        """A connection is closed."""
        self._clients.discard(client)
        if client.timer is not None:
            client.timer.cancel()
        if isinstance(client, _ReservedClient):
            self._queues[client.seat].leave(client)

    def _ended(self, room: BinarySpeaker) -> None:
        self._room = None


class _ReservedClient(BinaryConnection):
    """A connection to the socket of a seat."""

    __slots__ = ("listener", "seat")

    def __init__(self, host: Reserved, seat: Seat, listener: socket.socket) -> None:
        super().__init__(host)
        self.seat, self.listener = seat, listener
