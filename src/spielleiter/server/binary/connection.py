"""One TCP connection of a player: timestamps input and detects a lost peer."""

from __future__ import annotations

import asyncio
import socket
from typing import Protocol

from spielleiter.protocol.binary import Connection, Message, MoveRequest, Side
from spielleiter.server.acceptor import Address, ends_of
from spielleiter.server.admission import address_of
from spielleiter.server.timekeeper import Socket, Timekeeper

_ENOUGH = 64 * 1024
"""Bytes that may wait unread; then reading pauses."""
_LINGER = 1.0
"""Seconds for a client to close after we did."""


class BinaryRoom(Protocol):
    """A game as a connection sees it."""

    def heard(self, client: BinaryConnection, at: float) -> None:
        """Something has arrived from a player, or its end."""
        ...


class BinaryReception(Protocol):
    """Whatever accepts clients."""

    time: Timekeeper

    def arrived(self, client: BinaryConnection) -> None:
        """Somebody has connected."""
        ...

    def heard(self, client: BinaryConnection, at: float) -> None:
        """Something has arrived from a client, or its end."""
        ...

    def forget(self, client: BinaryConnection) -> None:
        """A connection is closed."""
        ...

    def turn_away(self, client: BinaryConnection, why: str) -> None:
        """There is no room for a client."""
        ...


class NoConnection:
    """Stands in for a connection: a local player, or an empty seat."""

    group = None
    first: float | None = None
    socket: Socket | None = None
    ended = lost = False

    def say(self, message: Message) -> bool:
        """Does nothing: local players are told by the sinks."""
        return True

    def next(self) -> Message | None:
        """Never returns a message: local players answer with `Table.play`."""
        return None

    def hang_up(self) -> None:
        """There is nothing to close."""


class BinaryConnection(asyncio.Protocol):
    """A client's connection, from its first byte to its last."""

    __slots__ = (
        "_linger",
        "_reception",
        "_transport",
        "address",
        "at",
        "connection",
        "ended",
        "first",
        "group",
        "lost",
        "room",
        "timer",
    )

    def __init__(self, reception: BinaryReception) -> None:
        self._reception = reception
        self._linger: asyncio.TimerHandle | None = None
        self.address = ""
        """Whose connection it is."""
        self.connection = Connection(Side.SERVER)
        self.group: int | None = None
        self.room: BinaryRoom | None = None
        self.timer: asyncio.TimerHandle | None = None
        """Rings when it should have named its group."""
        self.first: float | None = None
        """When the first byte of what waits was read."""
        self.ended = False
        """Nothing more will come from it."""
        self.lost = False
        """Nothing can be sent to it."""

    @property
    def ends(self) -> tuple[Address, Address] | None:
        """Both ends of the connection, if it is one of the Internet."""
        return ends_of(self._transport)

    # -------------------------------------------------------------------------------- the socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.address = address_of(transport.get_extra_info("peername"))
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        self._reception.arrived(self)

    def data_received(self, data: bytes) -> None:
        """Bytes have arrived."""
        at = self._reception.time.now()  # before anything else is done: a player's time is at stake
        if self._linger is not None:
            return  # we have hung up: whatever it still says is thrown away
        if not self.connection.waiting:
            self.first = at
        self.connection.feed(data)
        if self.connection.waiting > _ENOUGH:
            self._transport.pause_reading()
        self._reception.heard(self, at)

    def eof_received(self) -> bool:
        """The client will send nothing more; the transport closes."""
        self.ended = True
        if self._linger is None:
            self._reception.heard(self, self._reception.time.now())
        else:
            self._close_transport()
        return True  # the other direction stays open: half a connection is still a player

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone, for whatever reason."""
        self.ended = self.lost = True
        if self._linger is None:
            self._reception.heard(self, self._reception.time.now())
        else:
            self._linger.cancel()
        self._reception.forget(self)

    @property
    def socket(self) -> Socket | None:
        """The socket, for the arrival time of data."""
        found: Socket | None = self._transport.get_extra_info("socket")
        return found

    # ----------------------------------------------------------------------------------- talking

    def next(self) -> Message | None:
        """The next message of the client; raises BadFrame or Unexpected."""
        message = self.connection.next()
        if self.connection.waiting <= _ENOUGH and not self.ended:
            self._transport.resume_reading()
        return message

    def say(self, message: Message) -> bool:
        """Send a message in one piece; False if there is nobody to receive it.

        The first bytes to a closed connection leave without an error, and a reset comes back. On
        one machine it comes before the call returns, so we ask for it. A reset right after a
        request may also be the answer to it; that is for the reader to find.
        """
        if self.lost:
            return False
        may_be_answer = isinstance(message, MoveRequest) and not self.ended
        self._transport.write(self.connection.send(message))
        if self._transport.is_closing() or (not may_be_answer and self._was_reset()):
            self.lost = self.ended = True
        return not self.lost

    def _was_reset(self) -> bool:
        sock = self._transport.get_extra_info("socket")
        return bool(sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR))

    def hang_up(self) -> None:
        """End the stream after the last message, then close when the client has done so too.

        Closing at once would reset the connection if anything the client sent is unread, and a
        reset discards what we have just sent.
        """
        if self._linger is not None:
            return
        self._linger = asyncio.get_running_loop().call_later(_LINGER, self._transport.abort)
        if self.ended or self.lost:
            self._close_transport()
            return
        self._transport.resume_reading()
        self._transport.write_eof()

    def send_away(self, why: str) -> None:
        """Close; the protocol has no message for a reason."""
        self._reception.turn_away(self, why)

    def drop(self) -> None:
        """Hang up without waiting."""
        if self._linger is None:
            self._linger = asyncio.get_running_loop().call_later(_LINGER, self._transport.abort)
        self._transport.close()

    def _close_transport(self) -> None:
        self._transport.close()
