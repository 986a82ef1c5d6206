"""A proxy between a client and a server: lists what either side does wrong.

`Inspector` takes bytes with timestamps and owns no socket; `relay` puts it between two sockets.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable

from spielleiter.client import seasons
from spielleiter.client.finding import Finding, fine, note, problem
from spielleiter.client.seasons import Season
from spielleiter.errors import SpielleiterError
from spielleiter.game import Authority
from spielleiter.protocol import conversation
from spielleiter.protocol.dialect import ANY
from spielleiter.protocol.element import Element
from spielleiter.protocol.fault import NoMove, XmlError
from spielleiter.protocol.lobby import (
    Close,
    EndOfDocument,
    Error,
    ErrorPacket,
    Join,
    Joined,
    Left,
    Memento,
    Message,
    MoveRequest,
    Result,
    RoomData,
    Unknown,
    Welcome,
)
from spielleiter.protocol.xml import Connection, Side

SOFT_LIMIT = 2.0
"""Seconds the contest gives a move."""

OnFinding = Callable[[Finding], None]
_CHUNK = 1 << 16


class Inspector:
    """Observes one client and its server: bytes with timestamps in, findings out."""

    def __init__(self, authority: Authority = "document", limit: float = SOFT_LIMIT) -> None:
        self._authority, self._limit = authority, limit
        self._client = Connection(Side.SERVER, ANY)
        self._server = Connection(Side.CLIENT, ANY)
        self._season: Season | None = None
        self._state: Element | None = None
        self._room: str | None = None
        self._asked: float | None = None
        self._slowest = 0.0
        self._moves = 0
        self._over = self._said_anything = False

    def client_said(self, data: bytes, at: float) -> list[Finding]:
        """Bytes on their way to the server; empty at the end of the stream."""
        if not data:
            return self._client_left()
        messages, faults = self._read(self._client, data, "client")
        return [found for said in messages for found in self._of_client(said, at)] + faults

    def server_said(self, data: bytes, at: float) -> list[Finding]:
        """Bytes on their way to the client; empty at the end of the stream."""
        if not data:
            return self._server_left()
        messages, faults = self._read(self._server, data, "server")
        return [found for said in messages for found in self._of_server(said, at)] + faults

    def _read(
        self, connection: Connection, data: bytes, who: str
    ) -> tuple[tuple[Message, ...], list[Finding]]:
        if connection.fault is not None:
            return (), []
        try:
            return tuple(connection.receive(data)), []
        except XmlError as fault:
            text = f"the {who}'s XML is not understood: {fault}"
            if who == "client":
                text += f"; a server drops the connection here ({fault.cause.name})"
            return fault.before, [problem("client", text)]

    # ----------------------------------------------------------------------------------- the client

    def _of_client(self, message: Message, at: float) -> list[Finding]:
        first, self._said_anything = not self._said_anything, True
        match message:
            case Join(None):
                return [
                    note(
                        "client",
                        "the client joins without a game type: servers of 2019, 2021 refuse",
                    )
                ]
            case RoomData(room, data):
                return self._moved(room, data, at)
            case EndOfDocument() if first:
                text = "the client's document ends with its first message: is <protocol> missing?"
                return [problem("client", text)]
            case Close() | EndOfDocument() if not self._over:
                return [problem("client", "the client says good-bye before the game is over")]
        return []

    def _moved(self, room: str | None, data: Element, at: float) -> list[Finding]:
        findings = []
        if self._room is not None and room != self._room:
            findings.append(
                problem("client", f"the client answers for room {room!r}, not {self._room!r}")
            )
        if self._asked is None:
            return [*findings, problem("client", "the client sends a move that nobody asked for")]
        findings += self._timed(at - self._asked)
        self._asked = None
        self._moves += 1
        return findings + self._judged(data)

    def _timed(self, took: float) -> list[Finding]:
        self._slowest = max(self._slowest, took)
        if took > self._limit:
            text = f"the client took {took:.2f} s for a move: the limit is {self._limit:g} s"
            return [problem("client", text)]
        if took > 0.75 * self._limit:
            return [note("client", f"the client took {took:.2f} s of {self._limit:g} s for a move")]
        return []

    def _judged(self, data: Element) -> list[Finding]:
        if self._season is None or self._state is None:
            return []
        position = seasons.position(self._season, self._state, asked=True)
        try:
            sent = self._season.wire.read_move(position, data)
        except (XmlError, NoMove) as fault:
            return [problem("client", f"the client's move is none: {fault}")]
        if (refusal := self._season.wire.why_refused(position, sent)) is None:
            return []
        where = f"in the position {position.text()}"
        return [problem("client", f"the client's move is illegal: {refusal.reason} {where}")]

    def _client_left(self) -> list[Finding]:
        if self._over:
            return [self._summary()]
        if self._asked is not None:
            return [
                problem("client", "the client hung up instead of answering a request for a move")
            ]
        return [problem("client", "the client hung up before the game was over")]

    # ----------------------------------------------------------------------------------- the server

    def _of_server(self, message: Message, at: float) -> list[Finding]:
        match message:
            case Joined(room) | Welcome(room, _):
                self._room = room
            case Memento(_, Element() as state):
                return self._see(state)
            case MoveRequest():
                self._asked = at
            case Error(_, text):
                return [problem("server", f"the server complains: {' '.join(text.split())}")]
            case ErrorPacket(text):
                return [problem("server", f"the server refuses: {_in_plain_words(text)}")]
            case Result():
                self._over = True
                return [*self._unanswered(at), fine("client", "the game has a result")]
            case Left() if not self._over:
                self._over = True
                return [note("client", "the room is gone without a result")]
            case Unknown(element):
                return [
                    note("server", f"the server says <{element.name}>, which clients must skip")
                ]
        return []

    def _unanswered(self, at: float) -> list[Finding]:
        if self._asked is None or at - self._asked <= self._limit:
            return []
        waited = at - self._asked
        return [
            problem(
                "client", f"the client did not answer a request for a move within {waited:.1f} s"
            )
        ]

    def _see(self, state: Element) -> list[Finding]:
        first, self._state = self._state is None, state
        try:
            self._season = self._season or seasons.recognised(state, self._authority)
            seasons.position(self._season, state)
        except SpielleiterError as fault:
            return [problem("server", f"the server's state is not understood: {fault}")]
        return [fine("client", f"they play {self._season.game.name}")] if first else []

    def _server_left(self) -> list[Finding]:
        if self._over:
            return []
        if self._asked is not None:
            return [problem("server", "the server hung up while it waited for a move")]
        return [problem("server", "the server hung up before the game was over")]

    def _summary(self) -> Finding:
        return fine("client", f"{self._moves} moves, the slowest took {self._slowest:.2f} s")


_PLAIN = {
    "UnknownReservationException": "the reservation code is wrong or was used before",
    "AuthenticationFailedException": "the administrator's password is wrong",
    "UnauthenticatedException": "only administrators may ask for that",
    "already full": "the room is full",
    "find a room": "there is no such room",
    "UnknownGameTypeException": "the server does not offer that game",
    "not a member": "the client does not play in that room",
}


def _in_plain_words(text: str) -> str:
    for sign, meaning in _PLAIN.items():
        if sign in text:
            return f"{meaning} ({text})"
    return text


def relay(
    listener: socket.socket,
    host: str,
    port: int,
    inspector: Inspector,
    report: OnFinding,
    record: Callable[[bytes], object] | None = None,
) -> None:
    """Connect the next client to the server through the inspector.

    `record` gets the conversation as `protocol.conversation` reads it.
    """
    client, _ = listener.accept()
    with client, socket.create_connection((host, port)) as server:
        for sock in (client, server):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        wire = _Relay(inspector, report, record)
        back = threading.Thread(target=wire.pump, args=(server, client, False))
        back.start()
        wire.pump(client, server, True)
        back.join()


class _Relay:
    """Forwards bytes in both directions, in the order of arrival."""

    def __init__(
        self, inspector: Inspector, report: OnFinding, record: Callable[[bytes], object] | None
    ) -> None:
        self._inspector, self._report, self._record = inspector, report, record
        self._lock = threading.Lock()
        self._begun = time.monotonic()

    def pump(self, source: socket.socket, target: socket.socket, by_client: bool) -> None:
        """Inspect bytes, then forward them, so that answers are not seen before requests."""
        data = b"begin"
        while data:
            try:
                data = source.recv(_CHUNK)
            except OSError:
                data = b""
            with self._lock:
                self._hear(data, by_client)
            with contextlib.suppress(OSError):
                target.sendall(data) if data else target.shutdown(socket.SHUT_WR)

    def _hear(self, data: bytes, by_client: bool) -> None:
        at = time.monotonic() - self._begun
        if self._record is not None and data:
            self._record(
                conversation.written(conversation.RecordedChunk(at, "client", by_client, data))
            )
        hear = self._inspector.client_said if by_client else self._inspector.server_said
        for finding in hear(data, at):
            self._report(finding)
