"""Short room messages that were read before are not parsed again, and mean the same."""

from __future__ import annotations

import random

import pytest

from spielleiter.protocol import reader
from spielleiter.protocol.element import Element
from spielleiter.protocol.fault import XmlError
from spielleiter.protocol.reader import Reader, ReaderLimits

BEGIN = b'<protocol><joinPrepared reservationCode="code"/>'
MOVE = (
    b'\n  <room roomId="1-a">\n    <data class="move">\n      <from x="1" y="2"/>\n'
    b"      <direction>UP</direction>\n    </data>\n  </room>"
)
MESSAGES = (
    MOVE,
    MOVE.replace(b"1-a", b"2-b"),
    MOVE + b"\r\n",
    MOVE * 2,
    MOVE.replace(b"UP", b"D&amp;N"),
    MOVE.replace(b"UP", b"\xc3\xbc"),
    MOVE.replace(b"UP", b"\xfc"),
    MOVE.replace(b"1-a", b"a&amp;b"),
    MOVE.replace(b"\n", b"\r\n"),
    MOVE.replace(b"</room>", b"</room><!-- <room>"),
    MOVE.replace(b"</room>", b"</room><!-- </room>"),
    b"--></room>",
    b" -->",
    MOVE[:-1],
    MOVE[-1:],
    MOVE[:40],
    MOVE[40:],
    b'<room roomId="1">text</room>',
    b'<room roomId="1"></room>',
    b'<room roomId="1"><a/></room><room roomId="2"><b/></room>',
    b'<room roomId="1"><a></room>',
    b'<room roomId="1"><a b="<"/></room>',
    b'<room roomId="1" roomId="2"><a/></room>',
    b"<close/>",
    b" ",
    b"</protocol>",
)


def read(chunks: list[bytes]) -> list[Element | str]:
    """The messages of a connection, and its fault if there is one."""
    found: list[Element | str] = []
    reading = Reader(found.append, ReaderLimits())
    try:
        for chunk in chunks:
            reading.feed(chunk)
    except XmlError as fault:
        found.append(f"{fault} {fault.cause}")
    return found


def read_slowly(chunks: list[bytes], monkeypatch: pytest.MonkeyPatch) -> list[Element | str]:
    """The same, every byte by expat."""
    with monkeypatch.context() as patched:
        patched.setattr(reader, "_SHORT", -1)
        return read(chunks)


def test_known_messages_mean_what_expat_says(monkeypatch: pytest.MonkeyPatch) -> None:
    reader._known.clear()
    draw = random.Random(1)
    for _ in range(1_500):
        weights = [20] * 3 + [1] * (len(MESSAGES) - 3)
        chunks = [BEGIN, *draw.choices(MESSAGES, weights, k=draw.randrange(1, 12))]
        assert read(chunks) == read_slowly(chunks, monkeypatch), chunks
    assert reader._known, "some were known"


def test_a_move_that_was_read_before_is_not_parsed_again() -> None:
    reader._known.clear()
    found: list[Element] = []
    reading = Reader(found.append, ReaderLimits())
    for chunk in (BEGIN, MOVE, MOVE.replace(b"1-a", b"2-b")):
        reading.feed(chunk)
    assert reading._count == 2, "expat has seen the request and the first move"
    assert [each.get("roomId") for each in found] == [None, "1-a", "2-b"]
    assert found[1].children is found[2].children


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_MOST_KNOWN", 10)
    reader._known.clear()
    read([BEGIN, *(MOVE.replace(b'x="1"', b'x="%d"' % number) for number in range(100))])
    assert 0 < len(reader._known) <= 10
