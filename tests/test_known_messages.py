"""Short room messages that were read before are not parsed again, and mean the same."""

from __future__ import annotations

import random
from typing import Any

import pytest

from spielleiter.protocol import reader
from spielleiter.protocol.dialect import Y2026
from spielleiter.protocol.element import Element
from spielleiter.protocol.fault import XmlError
from spielleiter.protocol.reader import Reader, ReaderLimits
from spielleiter.protocol.xml import Connection, Side

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

DATA = (
    b'<room roomId="1"><data class="move"/></room>',
    b'<room roomId="1"><data class="move"/><data class="move"/></room>',
    b'<room roomId="1"><data/></room>',
    b'<room roomId="1"><roomId>2</roomId><data class="move"/></room>',
    b'<room roomId="1"><data class="welcomeMessage" color="one"/></room>',
    b'<room roomId="1"><error message="no"/></room>',
)


def read(chunks: list[bytes]) -> list[Element | str]:
    """The messages of a connection, and its fault if there is one."""
    found: list[Element | str] = []
    reading = Reader(found.append, ReaderLimits())
    try:
        for chunk in chunks:
            take(reading, found, chunk)
    except XmlError as fault:
        found.append(f"{fault} {fault.cause}")
    return found


def take(reading: Reader, found: list[Any], chunk: bytes) -> None:
    """Read on, as a connection does."""
    if (known := reading.recall(chunk)) is None:
        reading.feed(chunk)
    else:
        reading.skip(chunk)
        found.append(Element("room", {"roomId": known[0]}, known[1]))


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
        take(reading, found, chunk)
    assert reading._count == 2, "expat has seen the request and the first move"
    assert [each.get("roomId") for each in found] == [None, "1-a", "2-b"]
    assert found[1].children is found[2].children


@pytest.mark.parametrize("side", Side)
def test_a_connection_reads_known_messages_as_it_reads_new_ones(
    side: Side, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = random.Random(2)
    reader._known.clear()
    for _ in range(1_000):
        chunks = [BEGIN, *draw.choices((*MESSAGES, *DATA), k=draw.randrange(1, 12))]
        with monkeypatch.context() as patched:
            patched.setattr(reader, "_SHORT", -1)
            slowly = received(side, chunks)
        assert received(side, chunks) == slowly, chunks


def received(side: Side, chunks: list[bytes]) -> list[object]:
    found: list[object] = []
    connection = Connection(side, Y2026)
    for chunk in chunks:
        try:
            found += connection.receive(chunk)
        except XmlError as fault:
            found += [*fault.before, fault.problem, fault.at, fault.cause]
    return found


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "_MOST_KNOWN", 10)
    reader._known.clear()
    read([BEGIN, *(MOVE.replace(b'x="1"', b'x="%d"' % number) for number in range(100))])
    assert 0 < len(reader._known) <= 10
