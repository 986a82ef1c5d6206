"""One TCP connection: timestamps input, collects output, and keeps the client's identity.

All connections read into one shared buffer: each consumes it before the next one's turn. Output
that follows from an input is collected per connection and written in one piece.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Sequence
from typing import Protocol

from spielleiter.protocol.dialect import Dialect, OnError
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import ErrorPacket, Message, RoomData
from spielleiter.protocol.reader import ReaderLimits as ReaderLimits
from spielleiter.protocol.xml import Connection, LeaveCause, Side, XmlError, encode
from spielleiter.server.acceptor import Address, ends_of
from spielleiter.server.admission import TOO_MANY, address_of
from spielleiter.server.log import say
from spielleiter.server.resources import Resources
from spielleiter.server.served_game import ServedGame
from spielleiter.server.timekeeper import Socket

_HIGH_WATER = 256 * 1024
_SIP = 4 * 1024
"""Bytes read at once from a client that plays nothing, so that players do not wait."""


class Room(Protocol):
    """A room as a connection sees it."""

    def leave(self, client: XmlConnection, cause: LeaveCause) -> None:
        """A player is gone, from every seat it had there."""
        ...

    def stop_observing(self, client: XmlConnection) -> None:
        """An observer is gone."""
        ...


class Reception(Protocol):
    """Serves the requests of a connection."""

    @property
    def dialect(self) -> Dialect:
        """The dialect for a client that has not chosen a game yet."""
        ...

    def admit(self, client: XmlConnection) -> bool:
        """Whether there is room for one more connection."""
        ...

    def receive(self, client: XmlConnection, message: Message, at: float, first: float) -> None:
        """Serve one message."""
        ...

    def play_at_once(
        self, client: XmlConnection, room: str, data: Element, at: float, first: float
    ) -> bool:
        """Serve an ordinary move and write the answer; False: nothing was done."""
        ...

    def left(self, client: XmlConnection, cause: LeaveCause) -> None:
        """A client is gone."""
        ...

    def forget(self, client: XmlConnection) -> None:
        """A connection is closed."""
        ...


class XmlConnection(asyncio.BufferedProtocol):
    """A client's connection, from its first byte to its last."""

    __slots__ = (
        "_clogged",
        "_dirty",
        "_first",
        "_out",
        "_reception",
        "_resources",
        "_transport",
        "address",
        "connection",
        "first",
        "gone",
        "heard",
        "is_admin",
        "peer",
        "refusals",
        "rooms",
        "socket",
        "spoke",
        "watched",
    )

    def __init__(
        self,
        reception: Reception,
        resources: Resources,
        first: ServedGame | None = None,
        *,
        address: str = "",
    ) -> None:
        self._reception, self._resources = reception, resources
        self.first = first
        """What it gets if it names no game; None: what the server gives."""
        self.address = address
        """Whose connection it is; by default what the network says."""
        self._out: list[bytes] = []
        self._dirty = self._clogged = False
        self._first: float | None = None
        self.connection: Connection
        self.socket: Socket | None = None
        """To be asked when data arrived."""
        self.gone = True
        self.is_admin = False
        self.heard = 0.0
        """When its last whole message came, or it connected."""
        self.spoke = False
        """Whether there was one."""
        self.refusals = 0
        """Requests of it that were refused since it last had a seat."""
        self.rooms: list[Room] = []
        """Where it has a seat, once per seat."""
        self.watched: list[Room] = []

    # -------------------------------------------------------------------------------- the socket

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self.socket = transport.get_extra_info("socket")
        peer = transport.get_extra_info("peername")
        self.peer, self.address = _name(peer), self.address or address_of(peer)
        self.gone = False
        self.heard = self._resources.time.now()
        settings = self._resources.settings
        limits = ReaderLimits(token=settings.limits.message, message=settings.limits.message)
        self.connection = Connection(Side.SERVER, self._reception.dialect, limits)
        lowest = min(settings.limits.observer_queue, settings.limits.player_queue)
        transport.set_write_buffer_limits(high=min(_HIGH_WATER, lowest))
        if self.socket is not None:
            _prepare(self.socket)
        if not self._reception.admit(self):
            self.send_away(TOO_MANY)

    @property
    def ends(self) -> tuple[Address, Address] | None:
        """Both ends of the connection, if it is one of the Internet."""
        return ends_of(self._transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        """The one buffer that all connections read into."""
        buffer = self._resources.buffer
        return buffer if self.rooms or self.is_admin else buffer[:_SIP]

    def buffer_updated(self, nbytes: int) -> None:
        """Bytes have arrived in the shared buffer."""
        at = self._resources.time.now()  # before anything else is done: a player's time is at stake
        if self.gone:
            return
        data = bytes(self._resources.buffer[:nbytes])
        known = self.connection.room_data(data)
        first = at if self._first is None else self._first
        if known is not None and self._reception.play_at_once(self, *known, at, first):
            self.heard, self.spoke, self._first = at, True, None
            return
        outbox = self._resources.outbox
        outbox.hold()
        try:
            self._take(data, known, at)
        finally:
            outbox.release()

    def _take(self, data: bytes, known: tuple[str, Element] | None, at: float) -> None:
        first = at if self._first is None else self._first
        try:
            messages = [RoomData(*known)] if known else self.connection.receive(data)
        except XmlError as fault:
            self._hear(fault.before, at, first)
            if not self.gone:
                say(logging.INFO, "not understood", peer=self.peer, problem=str(fault))
                self._resources.metrics.count("dropped", "not understood")
                self.drop(fault.cause)
        else:
            self._first = None if messages else first
            self._hear(messages, at, first)

    def _hear(self, messages: Sequence[Message], at: float, first: float) -> None:
        if messages:
            self.heard, self.spoke = at, True
        for message in messages:
            if self.gone:
                return
            self._reception.receive(self, message, at, first)
            first = at

    def eof_received(self) -> bool:
        """The client will send nothing more; the transport closes."""
        self._lost()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone, for whatever reason."""
        self._lost()
        self._reception.forget(self)

    def _lost(self) -> None:
        if not self.gone:
            self.leave(LeaveCause.LOST_CONNECTION)
            self._resources.outbox.flush()

    def pause_writing(self) -> None:
        """A peer that does not read its answers gets no further requests served."""
        self._clogged = True
        if not self._transport.is_closing():
            self._transport.pause_reading()

    def resume_writing(self) -> None:
        """The client reads again: resume reading from it."""
        self._clogged = False
        if not self._transport.is_closing():
            self._transport.resume_reading()

    # ----------------------------------------------------------------------------------- sending

    @property
    def dialect(self) -> Dialect:
        """The season this client speaks."""
        return self.connection.dialect

    def speak(self, dialect: Dialect) -> None:
        """Use the dialect of that season from now on."""
        self.connection.dialect = dialect

    def say(self, message: Message) -> None:
        """Send a message of the lobby."""
        self.send(encode(message, self.connection.dialect))

    def send(self, data: bytes) -> None:
        """Queue an encoded message, to be sent with all other output."""
        if self.gone:
            return
        self._out.append(data)
        if not self._dirty:
            self._dirty = True
            self._resources.outbox.add(self)

    def send_at_once(self, data: bytes) -> None:
        """Send an encoded message now, after all queued output."""
        if self._out or self._clogged or not self.connection.opened:
            self.send(data)
            self.flush()
        elif not self.gone:
            self._transport.write(data)

    def flush(self) -> None:
        """Write queued output in one piece."""
        self._dirty = False
        out, self._out = self._out, []
        if not out or self._transport.is_closing():
            return
        if self.connection.opened and not self.connection.ended:
            self._transport.write(b"".join(out))
        else:
            self._transport.write(self.connection.send(*out))
        if self._clogged and self._transport.get_write_buffer_size() > self._queue_limit():
            self._too_slow()

    def _too_slow(self) -> None:
        """Drop a peer that does not read, before its queue uses too much memory."""
        kind = "slow player" if self.rooms else "slow observer"
        say(logging.WARNING, f"dropped a {kind}", peer=self.peer)
        self._resources.metrics.count("dropped", kind)
        self.abort(LeaveCause.LOST_CONNECTION)

    def _queue_limit(self) -> int:
        limits = self._resources.settings.limits
        return limits.player_queue if self.rooms else limits.observer_queue

    # ------------------------------------------------------------------------------------ ending

    def close(self, cause: LeaveCause, *, announce: bool = False) -> None:
        """End our document, leave all rooms and close."""
        if self.gone:
            return
        self.flush()
        self._transport.write(self.connection.close(announce=announce))
        self.leave(cause)
        self._transport.close()

    def drop(self, cause: LeaveCause) -> None:
        """Close without a message, or with the end of the document where the season has it."""
        if self.gone:
            return
        if self.dialect.ends_document_on_error:
            self.close(cause)
            return
        self.flush()
        self.leave(cause)
        self._transport.close()

    def send_away(self, why: str) -> None:
        """Send why there is no room, if its season has a message for that, and close."""
        if not self.gone and self.dialect.on_error is not OnError.CLOSE:
            self.say(ErrorPacket(why))
        self.close(LeaveCause.RECEIVED_DISCONNECT)

    def abort(self, cause: LeaveCause) -> None:
        """Close at once; queued output is discarded."""
        self.leave(cause)
        self._transport.abort()

    def leave(self, cause: LeaveCause) -> None:
        """Leave all rooms, once."""
        if not self.gone:
            self.gone = True
            self._reception.left(self, cause)


def _name(address: object) -> str:
    return f"{address[0]}:{address[1]}" if isinstance(address, tuple) else str(address)


def _prepare(sock: Socket) -> None:
    """Set keep-alive, to detect vanished peers, and disable Nagle's algorithm.

    Otherwise a state would wait for the acknowledgement of the one before, up to 40 ms.
    """
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if sock.family in (socket.AF_INET, socket.AF_INET6):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
