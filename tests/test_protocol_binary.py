"""The course's binary protocol: bytes ↔ messages, lengths, phases. No socket, no game."""

from __future__ import annotations

import contextlib
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spielleiter.errors import PeerError, UsageError
from spielleiter.protocol.binary import (
    LARGEST_MAP,
    NEXT,
    BadFrame,
    Connection,
    Disqualified,
    EndOfGame,
    EndOfPhase1,
    Group,
    Map,
    Message,
    Move,
    Moved,
    MoveRequest,
    Phase,
    Player,
    Side,
    Unexpected,
    encode,
    request,
)

RECORDED: list[tuple[str, Message]] = [
    ("01 00000001 05", Group(5)),
    ("02 00000003 320a30", Map(b"2\n0")),
    ("03 00000001 01", Player(1)),
    ("04 00000005 000007d0 01", MoveRequest(2000, 1)),
    ("05 00000005 0003 0002 00", Move(3, 2)),
    ("06 00000006 0003 0002 00 01", Moved(3, 2, 0, 1)),
    ("07 00000001 01", Disqualified(1)),
    ("08 00000000", EndOfPhase1()),
    ("09 00000000", EndOfGame()),
]
"""Bytes as the course's server was seen to send and accept them."""

SAID_BY_SERVER: list[Message] = [
    Map(b"2 0 0 0 1 3 0 1 2"),
    Player(2),
    Moved(1, 2, 0, 1),
    MoveRequest(250, 3),
    Moved(1, 2, 0, 2),
    Disqualified(3),
    EndOfPhase1(),
    EndOfGame(),
]


def listening() -> Connection:
    """A client that has named its group and may make every move it is asked for."""
    client = Connection(Side.CLIENT)
    client.send(Group(1))
    return client


def hear(client: Connection) -> list[Message]:
    heard: list[Message] = []
    while (message := client.next()) is not None:
        heard.append(message)
        if isinstance(message, MoveRequest):
            client.send(Move(0, 0))
    return heard


@pytest.mark.parametrize(("bytes_", "message"), RECORDED, ids=lambda value: str(value)[:20])
def test_messages_look_as_the_real_server_writes_them(bytes_: str, message: Message) -> None:
    assert encode(message) == bytes.fromhex(bytes_)


@given(cuts=st.lists(st.integers(0, 200)))
def test_messages_do_not_depend_on_how_tcp_cuts_them(cuts: list[int]) -> None:
    talk = b"".join(map(encode, SAID_BY_SERVER))
    client, heard = listening(), []
    for begin, end in pairwise([0, *sorted(min(cut, len(talk)) for cut in cuts), len(talk)]):
        client.feed(talk[begin:end])
        heard += hear(client)
    assert heard == SAID_BY_SERVER
    assert client.phase is Phase.OVER


@given(
    x=st.integers(0, 65535),
    y=st.integers(0, 65535),
    choice=st.integers(0, 255),
    player=st.integers(0, 255),
    time=st.integers(0, 2**32 - 1),
)
def test_every_number_that_fits_survives_the_way(
    x: int, y: int, choice: int, player: int, time: int
) -> None:
    for message in (Moved(x, y, choice, player), MoveRequest(time, choice)):
        client = listening()
        client.phase = Phase.PLAYING
        client.feed(encode(message))
        assert client.next() == message


@pytest.mark.parametrize(
    ("header", "kind", "length"),
    [
        ("00 00000000", 0, 0),
        ("0a 00000000", 10, 0),
        ("4d 00000005", 77, 5),
        ("05 00000004", 5, 4),
        ("05 00000006", 5, 6),
        ("05 7fffffff", 5, 0x7FFFFFFF),
        ("05 ffffffff", 5, 0xFFFFFFFF),
        ("02 00100001", 2, LARGEST_MAP + 1),
        ("47 4554202f", 71, 0x4554202F),
    ],
)
def test_a_wrong_header_is_refused_before_its_payload_comes(
    header: str, kind: int, length: int
) -> None:
    for side in Side:
        connection = Connection(side)
        connection.feed(bytes.fromhex(header)[:-1])
        assert connection.next() is None
        connection.feed(bytes.fromhex(header)[-1:])
        with pytest.raises(BadFrame) as refusal:
            connection.next()
        assert (refusal.value.kind, refusal.value.length) == (kind, length)


@pytest.mark.parametrize(
    ("side", "phase", "message"),
    [(*each, message) for *each, (_, message) in product(Side, Phase, RECORDED)],
)
def test_only_what_the_table_allows_may_be_said_and_heard(
    side: Side, phase: Phase, message: Message
) -> None:
    of_client = isinstance(message, Group | Move)
    after = NEXT.get((phase, type(message)))
    heard = Connection(side)
    heard.phase = phase
    heard.feed(encode(message))
    if after is None or of_client == (side is Side.CLIENT):
        with pytest.raises(Unexpected):
            heard.next()
        assert heard.phase is phase
    else:
        assert heard.next() == message
        assert heard.phase is after
    said = Connection(side)
    said.phase = phase
    if after is None or of_client != (side is Side.CLIENT):
        with pytest.raises(UsageError):
            said.send(message)
    else:
        said.send(message)
        assert said.phase is after


def test_a_message_nobody_wants_is_refused_without_waiting_for_its_payload() -> None:
    server = Connection(Side.SERVER)
    server.phase = Phase.ASKED
    server.feed(bytes.fromhex("02 00100000"))
    with pytest.raises(Unexpected, match="may not come"):
        server.next()


def test_what_comes_before_it_is_asked_for_waits() -> None:
    server = Connection(Side.SERVER)
    server.feed(encode(Group(3)) + encode(Move(1, 1)) + encode(Move(2, 2)))
    assert server.next() == Group(3)
    for message in (Map(b""), Player(1), MoveRequest(0, 1)):
        server.send(message)
    assert server.next() == Move(1, 1)
    assert server.waiting == 10
    server.send(MoveRequest(0, 1))
    assert server.next() == Move(2, 2)


def test_an_end_by_disqualification_needs_no_end_of_phase() -> None:
    client = listening()
    said: list[Message] = [Map(b""), Player(1), Disqualified(2), EndOfGame()]
    client.feed(b"".join(map(encode, said)))
    assert len(hear(client)) == 4


@given(data=st.binary(max_size=60), side=st.sampled_from(Side), phase=st.sampled_from(Phase))
def test_any_bytes_are_read_or_refused(data: bytes, side: Side, phase: Phase) -> None:
    connection = Connection(side)
    connection.phase = phase
    connection.feed(data)
    before = connection.waiting
    with contextlib.suppress(PeerError):
        while connection.next() is not None:
            assert connection.waiting < before
            before = connection.waiting


@pytest.mark.parametrize(
    ("account", "depth", "expected"),
    [
        (None, 1, MoveRequest(0, 1)),
        (2.0, 4, MoveRequest(2000, 4)),
        (1.998, 256, MoveRequest(1998, 0)),
        (0.0, 1, MoveRequest(1, 1)),
        (1e9, 1, MoveRequest(0xFFFF_FFFF, 1)),
    ],
)
def test_a_request_tells_the_account_in_milliseconds(
    account: float | None, depth: int, expected: MoveRequest
) -> None:
    assert request(account, depth) == expected
