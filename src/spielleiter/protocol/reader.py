"""Expat, cut into messages: every child of the root is handed out as soon as its end tag is there.

Only the open elements of the current message are kept. Limits hold whatever the other side sends;
doctypes, and with them custom entities, are refused.

Players send the same few moves again and again. The content of short room messages in plain
characters is therefore cached: if such a message arrives alone, between two others, only its room
is parsed and expat does not see it.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from xml.parsers import expat

from spielleiter.protocol.element import Element
from spielleiter.protocol.fault import XmlError

_LATIN = "spielleiter-latin-1"
_ROOM = re.compile(
    rb'[ \t\r\n]*<room roomId="([0-9A-Za-z-]{1,64})">([\t\r\n -~]*)</room>[ \t\r\n]*'
)
"""A message to a room, perhaps with more behind it."""
_TAG_AT_END = re.compile(rb"(?:<[^<>!?]*>)?[ \t\r\n]*")
"""Where expat reports the end of a message: before an end tag, or after an empty element."""
_SHORT = 512
"""Longest message, in bytes, that is cached."""
_MOST_KNOWN = 4_096
_known: dict[bytes, tuple[Element, ...]] = {}
"""Content of a room message → its elements."""

_Open = tuple[str, dict[str, str], list[Element], list[str]]
"""An element whose end tag has not come yet: name, attributes, children, pieces of text."""


@dataclass(frozen=True, slots=True)
class ReaderLimits:
    """Limits of one message; larger ones are refused."""

    token: int = 64 * 1024
    """Bytes of one tag or comment."""
    depth: int = 32
    """Elements inside each other, the root included."""
    attributes: int = 64
    """Attributes of one element."""
    elements: int = 16 * 1024
    """Elements of one message."""
    message: int = 1024 * 1024
    """Bytes of one message, its texts included."""


class Reader:
    """Reads bytes and calls `complete` with every whole message."""

    def __init__(self, complete: Callable[[Element], None], limits: ReaderLimits) -> None:
        self.fault: XmlError | None = None
        self.over = False
        """Whether the root element was closed."""
        self._complete, self._limits = complete, limits
        self._decoder = codecs.getincrementaldecoder("utf-8")(_LATIN)
        self._skipped: int = 0
        self._fed = self._message_at = self._elements = self._depth = 0
        self._open: list[_Open] = []
        self._ended_at = -1  # the byte of the tag that ended the last message
        self._count = 0  # of messages that expat has read
        self._latest: Element | None = None  # the only message of the present bytes
        self._is_plain = True  # nothing but ASCII has come, so that expat's bytes are ours
        self._is_between = False  # all that has come is whole messages
        self._parser = self._make_parser()

    def feed(self, data: bytes) -> None:
        """Read more bytes; raises XmlError, and again for everything after the first fault."""
        if (fault := self.fault) is not None:
            raise XmlError(fault.problem, fault.at, fault.cause)
        alone = self._alone(data)
        self._read(data)
        if alone is not None and self._is_between and self._latest is not None:
            _remember(alone[2], self._latest)

    def recall(self, data: bytes) -> tuple[str, tuple[Element, ...]] | None:
        """Room and content of a message that is known, to be skipped; None: it is to be fed."""
        alone = self._alone(data)
        if alone is None or (children := _known.get(alone[2])) is None:
            return None
        return alone[1].decode(), children

    def skip(self, data: bytes) -> None:
        """Leave out a message that was recalled."""
        self._skipped += len(data)

    def _alone(self, data: bytes) -> re.Match[bytes] | None:
        """A short room message, if nothing else has begun or is among these bytes."""
        return _ROOM.fullmatch(data) if self._is_between and len(data) <= _SHORT else None

    def _read(self, data: bytes) -> None:
        self._latest, before = None, self._count
        self._is_between = False
        try:
            for begin in range(0, len(data), self._limits.token):
                self._feed_slice(data[begin : begin + self._limits.token])
        except XmlError as error:
            self.fault = error if error.at is not None else self._located(error)
            raise self.fault from None
        self._is_plain = self._is_plain and data.isascii()
        if self._count != before + 1:
            self._latest = None
        self._is_between = self._is_plain and self._ends_with_message(data)

    def _ends_with_message(self, data: bytes) -> bool:
        """Whether nothing but white space follows the last tag of the last message."""
        rest = self._fed - self._ended_at
        return (
            self._depth == 1
            and 0 <= rest <= len(data)
            and _TAG_AT_END.fullmatch(data, len(data) - rest) is not None
        )

    def _feed_slice(self, data: bytes) -> None:
        if not self._fed and not (data := self._from_first_tag(data)):
            return
        if self.over:  # what follows the document is nobody's business
            return
        text = self._decoder.decode(data)
        self._fed += len(data)
        try:
            self._parser.Parse(text, False)
        except expat.ExpatError as error:
            if not self.over:
                raise self._not_well_formed(error) from None
        else:
            self._check_pending()

    def _from_first_tag(self, data: bytes) -> bytes:
        """Plain text before the first tag is skipped silently, as the official servers do."""
        at = data.find(b"<")
        self._skipped += len(data) if at < 0 else at
        return b"" if at < 0 else data[at:]

    def _check_pending(self) -> None:
        """Limit an unfinished tag, which expat would buffer without end."""
        if self._depth or not self.over:
            pending = self._fed - max(self._parser.CurrentByteIndex, 0)
            if pending > self._limits.token:
                raise XmlError(f"a tag longer than {self._limits.token} bytes")
        if self._depth > 1:
            self._check_message_size()

    def _check_message_size(self) -> None:
        if self._parser.CurrentByteIndex - self._message_at > self._limits.message:
            raise XmlError(f"a message longer than {self._limits.message} bytes")

    # ------------------------------------------------------------------------------- expat's calls

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        self._depth = depth = self._depth + 1
        if depth == 1:
            return
        if depth == 2:
            self._message_at, self._elements = self._parser.CurrentByteIndex, 0
        self._elements += 1
        limits = self._limits
        if (
            depth > limits.depth
            or len(attributes) > limits.attributes
            or self._elements > limits.elements
        ):
            raise self._too_much(depth, attributes)
        self._open.append((name, attributes, [], []))

    def _end(self, name: str) -> None:
        self._depth = depth = self._depth - 1
        if depth == 0:
            self.over = True
            return
        name, attributes, children, text = self._open.pop()
        if children:  # white space between elements means nothing
            element = Element(name, attributes, tuple(children))
        else:
            element = Element(name, attributes, (), "".join(text))
        if depth > 1:
            self._open[-1][2].append(element)
        else:
            self._check_message_size()
            self._ended_at = self._parser.CurrentByteIndex
            self._count, self._latest = self._count + 1, element
            self._complete(element)

    def _characters(self, text: str) -> None:
        if self._open and not self._open[-1][2]:
            self._open[-1][3].append(text)

    def _too_much(self, depth: int, attributes: dict[str, str]) -> XmlError:
        limits = self._limits
        if depth > limits.depth:
            return XmlError(f"elements more than {limits.depth} deep inside each other")
        if len(attributes) > limits.attributes:
            return XmlError(f"an element with more than {limits.attributes} attributes")
        return XmlError(f"a message of more than {limits.elements} elements")

    def _doctype(self, *_: object) -> None:
        raise XmlError("a document type declaration is not allowed")

    def _make_parser(self) -> expat.XMLParserType:
        parser = expat.ParserCreate("UTF-8")
        parser.buffer_text = True
        parser.buffer_size = 1024  # texts are short, connections many
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.StartDoctypeDeclHandler = self._doctype
        if hasattr(parser, "SetReparseDeferralEnabled"):
            parser.SetReparseDeferralEnabled(
                False
            )  # or a message may wait for the next one's bytes
        return parser

    # -------------------------------------------------------------------------------------- faults

    def _not_well_formed(self, error: expat.ExpatError) -> XmlError:
        at = self._skipped + max(self._parser.ErrorByteIndex, 0)
        return XmlError(f"not well-formed XML: {expat.ErrorString(error.code)}", at)

    def _located(self, error: XmlError) -> XmlError:
        """Locate an error: at the start of a complete message, otherwise at the current byte."""
        at = self._message_at if self._depth == 1 else max(self._parser.CurrentByteIndex, 0)
        return XmlError(error.problem, self._skipped + at, error.cause)


def _remember(content: bytes, message: Element) -> None:
    """Cache the elements of a room message's content."""
    if message.children:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[content] = message.children


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """Decode bytes that are not UTF-8 as Latin-1, as from a peer with that platform charset."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error(_LATIN, _as_latin_1)
