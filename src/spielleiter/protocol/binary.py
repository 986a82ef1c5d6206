"""The course's binary protocol without IO: bytes in any fragments → messages → bytes.

A message is one byte of type, four bytes of length (big endian) and the payload. Every type has one
length, except the map. `Connection` is one end of a conversation and owns no socket:

    connection = Connection(Side.CLIENT)               # or Side.SERVER
    transport.write(connection.send(Group(5)))
    connection.feed(chunk)
    while (message := connection.next()) is not None: ...

`next` takes one message at a time, because a server reads a client's bytes only after it has asked:
earlier bytes wait here and answer the next request. It raises `BadFrame` for bytes that are no
message and `Unexpected` for a message that is not allowed in this phase. It does so as soon as the
five bytes of the header have arrived, so that it never waits for, or stores, an unwanted payload.
"""

from __future__ import annotations

import enum
import struct
from collections.abc import Mapping
from dataclasses import astuple, dataclass
from typing import Any, Protocol

from spielleiter.errors import Malformed, OutOfTurn, UsageError
from spielleiter.game import Move as GameMove
from spielleiter.game import Position

LARGEST_MAP = 1 << 20
"""Bytes of the longest map."""
HUMAN = 99
"""The group of human players: their time is shown but not enforced."""
GROUPS = range(HUMAN + 1)

_HEADER = struct.Struct(">BI")


# --------------------------------------------------------------------------------------- messages


@dataclass(frozen=True, slots=True)
class Group:
    """Client: who we are."""

    group: int


@dataclass(frozen=True, slots=True)
class Map:
    """Server: the bytes of the map file, unchanged."""

    text: bytes


@dataclass(frozen=True, slots=True)
class Player:
    """Server: your number, from 1."""

    player: int


@dataclass(frozen=True, slots=True)
class MoveRequest:
    """Server: your turn. The time is the whole account in milliseconds; 0 is without limit."""

    time: int
    depth: int


@dataclass(frozen=True, slots=True)
class Move:
    """Client: the answer to a request."""

    x: int
    y: int
    choice: int = 0


@dataclass(frozen=True, slots=True)
class Moved:
    """Server: this move was made."""

    x: int
    y: int
    choice: int
    player: int


@dataclass(frozen=True, slots=True)
class Disqualified:
    """Server: that player is out."""

    player: int


@dataclass(frozen=True, slots=True)
class EndOfPhase1:
    """Server: nobody can move any more."""


@dataclass(frozen=True, slots=True)
class EndOfGame:
    """Server: the game is over; the end of the stream follows."""


Message = Group | Map | Player | MoveRequest | Move | Moved | Disqualified | EndOfPhase1 | EndOfGame

_KINDS: dict[int, tuple[type[Message], struct.Struct | None]] = {
    1: (Group, struct.Struct(">B")),
    2: (Map, None),
    3: (Player, struct.Struct(">B")),
    4: (MoveRequest, struct.Struct(">IB")),
    5: (Move, struct.Struct(">HHB")),
    6: (Moved, struct.Struct(">HHBB")),
    7: (Disqualified, struct.Struct(">B")),
    8: (EndOfPhase1, struct.Struct(">")),
    9: (EndOfGame, struct.Struct(">")),
}
_NUMBERS = {kind: (number, payload) for number, (kind, payload) in _KINDS.items()}


def encode(message: Message) -> bytes:
    """A message as it stands in the stream, header and payload in one piece."""
    number, form = _NUMBERS[type(message)]
    if isinstance(message, Map):
        payload = message.text
    else:
        assert form is not None
        payload = form.pack(*astuple(message))
    return _HEADER.pack(number, len(payload)) + payload


# ----------------------------------------------------------------------------------------- phases


class Side(enum.Enum):
    """Which end of the connection we are."""

    SERVER = enum.auto()
    CLIENT = enum.auto()


class Phase(enum.Enum):
    """How far a conversation has come."""

    GREETING = "before the group"
    WAITING = "before the map"
    MAPPED = "before the player number"
    PLAYING = "nothing asked"
    ASKED = "a move is due"
    OVER = "the game is over"


NEXT: dict[tuple[Phase, type[Message]], Phase] = {
    (Phase.GREETING, Group): Phase.WAITING,
    (Phase.WAITING, Map): Phase.MAPPED,
    (Phase.MAPPED, Player): Phase.PLAYING,
    (Phase.PLAYING, MoveRequest): Phase.ASKED,
    (Phase.PLAYING, Moved): Phase.PLAYING,
    (Phase.PLAYING, Disqualified): Phase.PLAYING,
    (Phase.PLAYING, EndOfPhase1): Phase.PLAYING,
    (Phase.PLAYING, EndOfGame): Phase.OVER,
    (Phase.ASKED, Move): Phase.PLAYING,
    (Phase.ASKED, Disqualified): Phase.PLAYING,
    (Phase.ASKED, EndOfGame): Phase.OVER,
}
"""The messages allowed in each phase, and the phase that follows."""

_SAID_BY_CLIENTS = (Group, Move)


# ------------------------------------------------------------------------------------- connection


class BadFrame(Malformed):
    """A header that no message has: an unknown type, or a length that does not fit the type."""

    def __init__(self, kind: int, length: int) -> None:
        super().__init__(kind, length)
        self.kind, self.length = kind, length

    def __str__(self) -> str:
        known = "unknown type" if self.kind not in _KINDS else "wrong length for the type"
        return f"{known} (type {self.kind}, length {self.length})"


class Unexpected(OutOfTurn):
    """A well-formed message that may not come now."""

    def __init__(self, kind: int, phase: Phase) -> None:
        super().__init__(kind, phase)
        self.kind, self.phase = kind, phase

    def __str__(self) -> str:
        return f"{_KINDS[self.kind][0].__name__} (type {self.kind}) may not come {self.phase.value}"


class Connection:
    """One end of a conversation: knows which messages are allowed and parses bytes."""

    __slots__ = ("_buffer", "phase", "side")

    def __init__(self, side: Side) -> None:
        self.side = side
        self.phase = Phase.GREETING
        self._buffer = bytearray()

    @property
    def waiting(self) -> int:
        """How many bytes wait to be read."""
        return len(self._buffer)

    def feed(self, data: bytes | memoryview) -> None:
        """Bytes have arrived."""
        self._buffer += data

    def next(self) -> Message | None:
        """The next message, or None until more bytes come; raises BadFrame or Unexpected."""
        if len(self._buffer) < _HEADER.size:
            return None
        kind, length = _HEADER.unpack_from(self._buffer)
        after = self._checked(kind, length)
        end = _HEADER.size + length
        if len(self._buffer) < end:
            return None
        payload = bytes(self._buffer[_HEADER.size : end])
        del self._buffer[:end]
        self.phase = after
        return _decoded(kind, payload)

    def send(self, message: Message) -> bytes:
        """The bytes of a message that is allowed now."""
        after = NEXT.get((self.phase, type(message)))
        if after is None or not self._is_ours(type(message)):
            raise UsageError(f"{type(message).__name__} cannot be said {self.phase.value}")
        self.phase = after
        return encode(message)

    def _checked(self, kind: int, length: int) -> Phase:
        known = _KINDS.get(kind)
        if known is None or not _fits(length, known[1]):
            raise BadFrame(kind, length)
        after = NEXT.get((self.phase, known[0]))
        if after is None or self._is_ours(known[0]):
            raise Unexpected(kind, self.phase)
        return after

    def _is_ours(self, kind: type[Message]) -> bool:
        return (kind in _SAID_BY_CLIENTS) == (self.side is Side.CLIENT)


def _fits(length: int, form: struct.Struct | None) -> bool:
    return length <= LARGEST_MAP if form is None else length == form.size


def _decoded(kind: int, payload: bytes) -> Message:
    message, form = _KINDS[kind]
    if form is None:
        return Map(payload)
    values: tuple[Any, ...] = form.unpack(payload)
    return message(*values)


# -------------------------------------------------------------------------------- what a game adds


@dataclass(frozen=True, slots=True)
class ReadMove:
    """What a MOVE means in a position: a move, or the name of the mistake in it."""

    move: GameMove | None
    """None if it cannot be expressed as a move of the game."""
    mistake: str | None
    text: str
    """The payload as people write it: `(x,y,choice)`."""


class BoardWire(Protocol):
    """What the `wire.py` of a game played over this protocol offers, as module or object."""

    def start(self, map_text: bytes) -> Position:
        """The first position on a map; raises TextError."""
        ...

    def map_of(self, position: Position) -> bytes:
        """The map that a game from this position begins on; raises UsageError if there is none."""
        ...

    def map_text(self, set_up: Mapping[str, str]) -> bytes:
        """The bytes of the map that a set-up of the game begins with."""
        ...

    def read_move(self, position: Position, sent: Move) -> ReadMove:
        """A client's answer."""
        ...

    def write_move(self, position: Position, move: GameMove) -> Move:
        """A move as a client sends it."""
        ...

    def join_command(self, host: str, port: int) -> str:
        """The command that lets a built-in player take a seat."""
        ...

    def follow(self, position: Position, player: int) -> Position:
        """The position with that player (from 1) to move, as the server says."""
        ...

    def moves_left(self, position: Position) -> int:
        """About how many moves the player to move still has to make, for planning time."""
        ...


def request(account: float | None, depth: int) -> MoveRequest:
    """The request for an account in seconds (None: without limit) and a depth of any size."""
    time = 0 if account is None else max(1, int(account * 1000 + 1e-6))
    return MoveRequest(min(time, 0xFFFF_FFFF), depth & 0xFF)
