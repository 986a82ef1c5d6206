"""The Software-Challenge's XML protocol without IO: bytes in any fragments → messages → bytes.

One connection carries one endless XML document per direction; every child of its root is a
message. `Connection` reads one direction and writes the other and owns no socket:

    connection = Connection(Side.SERVER, dialect)          # or Side.CLIENT
    for message in connection.receive(chunk): ...          # zero, one or many values of `lobby`
    transport.write(connection.send(Joined(room)))         # messages, or bytes made by `encode`
    transport.write(connection.close())                    # end of the document

    shared = encode(Memento(room, state), dialect)         # render once …
    for peer in peers:
        peer.transport.write(peer.connection.send(shared)) # … send to many

`receive` raises `XmlError` for bytes that are no message: `problem`, `at` (byte), `cause` (what a
result calls it) and `before` (messages of the same chunk that were complete: handle them first).
After that the connection reads nothing more. `</protocol>` arrives as `EndOfDocument`, the season's
close message as `Close`; what follows the end of the document is ignored.

A server reads as strictly as the official ones: unknown attributes are ignored, an attribute may be
given as a child element, any root name, comments and full Java class names are fine; an unknown
element is refused. Server messages sent by a client arrive as what they are (`Joined`, …): answer
with `unhandled`. A client skips what it does not know (`Unknown`) and reads all seasons' spellings.

`connection.dialect` may be changed at any time: a port shared by several seasons begins with
`dialect.ANY` and takes the game's own as soon as `join`, `prepare` or `joinPrepared` says which.
`describe` and `unhandled` give the texts that the official servers write about requests.
"""

from __future__ import annotations

import enum
import functools

from spielleiter.protocol import answers, requests
from spielleiter.protocol.dialect import ANY, Dialect
from spielleiter.protocol.element import Element, attribute, indented, markup
from spielleiter.protocol.fault import LeaveCause, NoMove, XmlError
from spielleiter.protocol.lobby import (
    Answer,
    Close,
    EndOfDocument,
    Fragment,
    Left,
    Memento,
    Message,
    MoveRequest,
    Result,
    RoomData,
    Unknown,
)
from spielleiter.protocol.reader import Reader, ReaderLimits
from spielleiter.protocol.requests import describe
from spielleiter.protocol.wire import STREAM_LEVEL

__all__ = [
    "Connection",
    "LeaveCause",
    "NoMove",
    "ReaderLimits",
    "Side",
    "XmlError",
    "describe",
    "encode",
    "encode_streamed",
    "unhandled",
]

_OPEN = b"<protocol>"
_EMPTY = b"<protocol/>"
_END = b"\n</protocol>"


class Side(enum.Enum):
    """Which end of the connection we are."""

    SERVER = enum.auto()
    CLIENT = enum.auto()


class Connection:
    """One end of a connection: reads the other side's document, writes ours."""

    def __init__(
        self, side: Side, dialect: Dialect = ANY, limits: ReaderLimits | None = None
    ) -> None:
        self.side, self.dialect = side, dialect
        self._reader = Reader(self._complete, limits or ReaderLimits())
        self._messages: list[Message] = []
        self.opened = False
        """Whether we have sent anything yet."""
        self.ended = False
        """Whether our document has ended, so that nothing can be sent any more."""

    @property
    def fault(self) -> XmlError | None:
        """What was wrong with the other side's bytes, once something was."""
        return self._reader.fault

    def receive(self, data: bytes) -> list[Message]:
        """The messages that are complete with these bytes; raises XmlError."""
        if (known := self._reader.recall(data)) is not None:
            self._reader.skip(data)
            return [self._recalled(*known)]
        messages: list[Message] = []
        self._messages = messages
        was_over = self._reader.over
        try:
            self._reader.feed(data)
        except XmlError as error:
            error.before = tuple(messages)
            raise
        if self._reader.over and not was_over:
            messages.append(EndOfDocument())
        return messages

    def room_data(self, data: bytes) -> tuple[str, Element] | None:
        """Room and data of a client's message with cached content; None: call `receive`."""
        known = self._reader.recall(data)
        if known is None or (found := requests.only_data(known[1])) is None:
            return None
        self._reader.skip(data)
        return known[0], found

    def send(self, *messages: Message | bytes) -> bytes:
        """The bytes of these messages; `<protocol>` comes with the first. Empty after the end."""
        if self.ended or not messages:
            return b""
        data = b"".join(m if isinstance(m, bytes) else encode(m, self.dialect) for m in messages)
        if self.opened:
            return data
        self.opened = True
        return _OPEN + data

    def close(self, *, announce: bool = False) -> bytes:
        """The end of our document, after the season's close message if it shall be announced."""
        said = self.send(Close()) if announce else b""
        if self.ended:
            return b""
        self.ended = True
        return said + (_END if self.opened else _EMPTY)

    def _recalled(self, room: str, content: tuple[Element, ...]) -> Message:
        """A message to a room with cached content."""
        if self.side is Side.SERVER and (data := requests.only_data(content)) is not None:
            return RoomData(room, data)
        return _decode(Element("room", {"roomId": room}, content), self.side, self.dialect)

    def _complete(self, element: Element) -> None:
        self._messages.append(_decode(element, self.side, self.dialect))


def encode(message: Message, dialect: Dialect = ANY) -> bytes:
    """A message as it stands in the stream: newline and indentation first, nothing after it."""
    if isinstance(message, Memento) and not isinstance(message.state, Element):
        return encode_streamed(attribute(message.room or ""), indented(message.state, STREAM_LEVEL))
    if isinstance(message, Left) and message.room is not None:
        return f'\n  <left roomId="{attribute(message.room)}"/>'.encode()
    if isinstance(message, Result) and message.room is not None:
        return _result(message, message.room, dialect).encode()
    if isinstance(message, MoveRequest):
        return _move_request(message.room or "", dialect.move_request_class).encode()
    return indented(markup(answers.spell(message, dialect)), 1).encode()


def unhandled(message: Answer) -> str:
    """The error packet's text for a server's message sent by a client."""
    return f"Unhandled Packet of type: class {answers.java_name(message)}"


def _decode(element: Element, side: Side, dialect: Dialect) -> Message:
    if side is Side.CLIENT:
        return answers.read(element)
    if (request := requests.read(element, dialect)) is not None:
        return request
    if isinstance(answer := answers.read(element), Unknown | Close):
        raise XmlError(f"unknown element <{element.name}>")
    return answer


def encode_streamed(room: str, state: str) -> bytes:
    """A `Memento` whose room is escaped and whose state is written as it stands in a stream."""
    return (
        f'\n  <room roomId="{room}">\n    <data class="memento">{state}\n    </data>\n  </room>'
    ).encode()


def _result(result: Result, room: str, dialect: Dialect) -> str:
    parts = (indented(markup(part), STREAM_LEVEL) for part in answers.standings(result, dialect))
    return (
        f'\n  <room roomId="{attribute(room)}">\n    <data class="result">'
        f"{_definition(result.fragments)}{''.join(parts)}\n    </data>\n  </room>"
    )


@functools.lru_cache(maxsize=64)  # every game has its own, once and for all
def _definition(fragments: tuple[Fragment, ...]) -> str:
    return indented(markup(answers.write_definition(fragments)), STREAM_LEVEL)


def _move_request(room: str, kind: str) -> str:
    return f'\n  <room roomId="{attribute(room)}">\n    <data class="{kind}"/>\n  </room>'
