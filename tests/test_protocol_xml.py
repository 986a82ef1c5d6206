"""The contest's XML protocol: recorded conversations, cut anywhere, and what must be refused."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spielleiter.errors import Malformed
from spielleiter.protocol import answers, requests
from spielleiter.protocol.dialect import ANY, Y2019, Y2019_DOCUMENT, Y2021, Y2026, Dialect
from spielleiter.protocol.element import Element, Markup, indented, markup
from spielleiter.protocol.fault import LeaveCause, XmlError
from spielleiter.protocol.lobby import (
    Authenticate,
    Cancel,
    Close,
    EndOfDocument,
    Error,
    ErrorPacket,
    Fragment,
    Join,
    Joined,
    JoinedGameRoom,
    JoinPrepared,
    JoinRoom,
    Left,
    Memento,
    Message,
    MoveRequest,
    Observe,
    Pause,
    Paused,
    Prepare,
    Prepared,
    Request,
    Result,
    RoomData,
    Score,
    SetTimeout,
    Slot,
    Step,
    Unknown,
    Welcome,
    Winner,
)
from spielleiter.protocol.xml import Connection, ReaderLimits, Side, describe, encode, unhandled
from tests import talks
from tests.talks import Stream

ANSWERS = talks.streams(by_client=False)
REQUESTS = talks.streams(by_client=True)
SMALL = 300
LONG = 3_000
DIALECTS = (Y2019, Y2019_DOCUMENT, Y2021, Y2026, ANY)


def read(
    side: Side, dialect: Dialect, chunks: Iterable[bytes], limits: ReaderLimits | None = None
) -> list[Any]:
    """Messages of a stream; a fault is the last of them, told by problem, byte and cause."""
    connection = Connection(side, dialect, limits)
    messages: list[Any] = []
    for chunk in chunks:
        try:
            messages += connection.receive(chunk)
        except XmlError as fault:
            return [*messages, *fault.before, (fault.problem, fault.at, fault.cause)]
    return messages


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """The data in pieces; places beyond the end do not count."""
    borders = [0, *sorted(place for place in places if place < len(data)), len(data)]
    return [data[begin:end] for begin, end in itertools.pairwise(borders)]


def requested(
    data: bytes, dialect: Dialect = Y2026, limits: ReaderLimits | None = None
) -> list[Message]:
    """What a server reads in one piece."""
    return Connection(Side.SERVER, dialect, limits).receive(data)


def refused(data: bytes, dialect: Dialect = Y2026, limits: ReaderLimits | None = None) -> XmlError:
    """The fault that a server finds."""
    with pytest.raises(XmlError) as caught:
        requested(data, dialect, limits)
    return caught.value


def by_name(stream: Stream) -> str:
    return stream.name


# ------------------------------------------------------------------------------- recorded streams


def test_there_are_recordings_of_both_directions() -> None:
    """Every recorded conversation installed was understood, whichever games are there."""
    assert {stream.name for stream in ANSWERS} <= {stream.name for stream in REQUESTS}
    for year, streams in Counter(stream.dialect.year for stream in ANSWERS).items():
        assert streams >= 20, year


@pytest.mark.parametrize("stream", ANSWERS, ids=by_name)
def test_what_a_server_said_is_written_again_byte_by_byte(stream: Stream) -> None:
    writer, written = Connection(Side.SERVER, stream.dialect), b""
    for message in Connection(Side.CLIENT, stream.dialect).receive(stream.data):
        assert not isinstance(message, Unknown)
        end = isinstance(message, EndOfDocument)
        written += writer.close() if end else writer.send(message)
    # one recording has the end of an older connection of the same name behind its own
    assert stream.data in (written, written + b"\n</protocol>")


@pytest.mark.parametrize("stream", REQUESTS, ids=by_name)
def test_requests_written_again_say_the_same(stream: Stream) -> None:
    said = read(Side.SERVER, stream.dialect, [stream.data])
    requests_said = [m for m in said if isinstance(m, Request)]
    writer = Connection(Side.CLIENT, stream.dialect)
    written = writer.send(*requests_said) if requests_said else b"<protocol>"
    assert read(Side.SERVER, stream.dialect, [written]) == requests_said


def quick(streams: Sequence[Stream]) -> Iterator[Any]:
    """Short streams, and the first long one of each season; the other long ones only repeat."""
    seen: set[int] = set()
    for stream in streams:
        repeats = len(stream.data) > LONG and stream.dialect.year in seen
        yield pytest.param(stream, marks=pytest.mark.deep) if repeats else stream
        seen |= {stream.dialect.year} if len(stream.data) > LONG else set()


@pytest.mark.parametrize("stream", [*quick(ANSWERS), *quick(REQUESTS)], ids=by_name)
def test_a_stream_says_the_same_byte_by_byte(stream: Stream) -> None:
    side = Side.CLIENT if stream in ANSWERS else Side.SERVER
    data = stream.data[:20_000]
    single = [data[at : at + 1] for at in range(len(data))]
    assert read(side, stream.dialect, single) == read(side, stream.dialect, [data])


@pytest.mark.parametrize("most", [SMALL, pytest.param(5 * SMALL, marks=pytest.mark.deep)])
def test_small_streams_say_the_same_wherever_they_are_cut(most: int) -> None:
    for side, streams in ((Side.CLIENT, ANSWERS), (Side.SERVER, REQUESTS)):
        different = {(stream.dialect.year, _without_ids(stream.data)): stream for stream in streams}
        for stream in different.values():
            if len(stream.data) <= most:
                whole = read(side, stream.dialect, [stream.data])
                for place in range(len(stream.data)):
                    assert read(side, stream.dialect, cut(stream.data, [place])) == whole


def _without_ids(data: bytes) -> bytes:
    return re.sub(rb"[0-9a-f]{8}-[0-9a-f-]{27}", b"ID", data)


@settings(max_examples=60, deadline=None)
@given(stream=st.sampled_from(ANSWERS), cuts=st.lists(st.integers(0, 30_000), max_size=40))
def test_answers_do_not_depend_on_how_tcp_cuts_them(stream: Stream, cuts: Sequence[int]) -> None:
    whole = read(Side.CLIENT, stream.dialect, [stream.data])
    assert read(Side.CLIENT, stream.dialect, cut(stream.data, cuts)) == whole


@settings(max_examples=60, deadline=None)
@given(stream=st.sampled_from(REQUESTS), cuts=st.lists(st.integers(0, 5_000), max_size=40))
def test_requests_do_not_depend_on_how_tcp_cuts_them(stream: Stream, cuts: Sequence[int]) -> None:
    whole = read(Side.SERVER, stream.dialect, [stream.data])
    assert read(Side.SERVER, stream.dialect, cut(stream.data, cuts)) == whole


def test_a_replay_file_is_the_same_messages_at_the_margin() -> None:
    for replay in talks.replays():
        messages = Connection(Side.CLIENT, Y2026).receive(replay)
        lines = b"".join(
            encode(m, Y2026).replace(b"\n  ", b"\n")[1:] + b"\n" for m in messages[:-1]
        )
        assert replay == b"<protocol>\n" + lines + b"</protocol>"
        assert messages[-1] == EndOfDocument()


@settings(max_examples=300, deadline=None)
@given(
    stream=st.sampled_from([*REQUESTS, *ANSWERS]),
    at=st.integers(0, 2000),
    junk=st.binary(max_size=8)
    | st.sampled_from([b"9" * 400, b"1e999", b"<a>", b"</a>", b"'", b'"']),
    side=st.sampled_from(Side),
    dialect=st.sampled_from(DIALECTS),
)
def test_a_damaged_stream_is_read_or_refused_and_nothing_else(
    stream: Stream, at: int, junk: bytes, side: Side, dialect: Dialect
) -> None:
    data = stream.data[:at] + junk + stream.data[at + 2 : 8000]
    assert read(side, dialect, [data]) == read(side, dialect, cut(data, range(0, len(data), 7)))


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=200), side=st.sampled_from(Side))
def test_any_bytes_are_read_or_refused_and_nothing_else(data: bytes, side: Side) -> None:
    read(side, ANY, [b"<protocol>", data])


# ------------------------------------------------------------------------------- what servers read


@pytest.mark.parametrize(
    ("data", "messages"),
    [
        (b"<protocol><join/>", [Join()]),
        (b"<wurzel><join gameType='a'/>", [Join("a")]),
        (b'<?xml version="1.0" encoding="UTF-8"?>\n<protocol>\n<join gameType="a"/>', [Join("a")]),
        (b"<?xml version='1.0' encoding='x'?><p><joinRoom roomId='\xc3\xa4'/>", [JoinRoom("ä")]),
        (b'<protocol><join gameType="a" foo="bar"/>', [Join("a")]),
        (b"<protocol><join><gameType>a</gameType></join>", [Join("a")]),
        (b"<p><!-- c --> <?pi x?>\n<cancel   roomId='r'  ></cancel>", [Cancel("r")]),
        (b"hello, no tag yet\n<p><step roomId='r'/>", [Step("r")]),
        (b"<p><step roomId='r' forced='TRUE'/>", [Step("r", True)]),
        (b"<p><pause roomId='r' pause='yes'/>", [Pause("r", False)]),
        (b"<p><sc.protocol.requests.JoinRoomRequest roomId='r'/>", [JoinRoom("r")]),
        (b"<p><observe>text<roomId>r</roomId>is skipped</observe>", [Observe("r")]),
        (b"<p><joinPrepared/>", [JoinPrepared(None)]),
        (b"<p><authenticate passphrase='x'/>", [Authenticate(None)]),
        (b"<p><close/></p>and whatever follows", [Close(), EndOfDocument()]),
        (b"<join/>", [EndOfDocument()]),
        (b"<p><joined roomId='x'/>", [Joined("x")]),
        (b"<p><joinRoom roomId='&lt;&#xe4;&gt;'/>", [JoinRoom("<ä>")]),
        (b"<p><joinRoom roomId='gr\xf6\xdfer'/>", [JoinRoom("größer")]),
        (
            b"<p><prepare gameType='a'><slot displayName='A'/></prepare>",
            [Prepare("a", (Slot("A"),))],
        ),
        (
            b"<p><prepare pause='true' gameType='a'><slot displayName='A' canTimeout='true'"
            b" reserved='true'/><slot><displayName>B</displayName></slot></prepare>",
            [Prepare("a", (Slot("A", True, True), Slot("B")), True)],
        ),
    ],
)  # fmt: skip
def test_a_server_reads_what_the_official_one_reads(data: bytes, messages: list[Message]) -> None:
    assert requested(data) == messages
    assert read(Side.SERVER, Y2026, cut(data, range(len(data)))) == messages


@pytest.mark.parametrize(
    ("data", "problem", "at", "cause"),
    [
        (b"<p><foo bar='1'/>", "unknown element <foo>", 3, LeaveCause.PROTOCOL_ERROR),
        (b"<p><join gameType=swc></oops>", "not well-formed", 18, LeaveCause.PROTOCOL_ERROR),
        (b"<p><join></p>", "mismatched tag", 11, LeaveCause.PROTOCOL_ERROR),
        (b"<p><join><hint/></join>", "unknown element <hint> in", 3, LeaveCause.PROTOCOL_ERROR),
        (b"<p><join gameType='a'><gameType/></join>", "given twice", 3, LeaveCause.PROTOCOL_ERROR),
        (b"<p><room roomId='r'/>", "without data", 3, LeaveCause.UNKNOWN),
        (b"<p><room roomId='r'><data/></room>", "data without class", 3, LeaveCause.PROTOCOL_ERROR),
        (b"<p><cancel/>", "cancel without roomId", 3, LeaveCause.UNKNOWN),
        (b"<p><prepare><slot/></prepare>", "without displayName", 3, LeaveCause.UNKNOWN),
        (b"xx<!DOCTYPE p><p>", "document type", 13, LeaveCause.PROTOCOL_ERROR),
        (b"<p><join gameType='&boom;'/>", "undefined entity", 3, LeaveCause.PROTOCOL_ERROR),
        (b"<p><sc.protocol.CloseConnection/>", "unknown element", 3, LeaveCause.PROTOCOL_ERROR),
        (b"<p><testMode testMode='true'/>", "unknown element", 3, LeaveCause.PROTOCOL_ERROR),
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused_with_problem_place_and_cause(
    data: bytes, problem: str, at: int, cause: LeaveCause
) -> None:
    fault = refused(data)
    assert isinstance(fault, Malformed)
    assert (problem in fault.problem, fault.at, fault.cause) == (True, at, cause)
    assert f"at byte {at}" in str(fault)


def test_billion_laughs_are_refused_at_the_doctype() -> None:
    bomb = b'<!DOCTYPE p [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><p><join gameType="&b;"/>'
    assert "document type" in refused(bomb).problem


def test_messages_before_a_fault_are_not_lost_and_nothing_is_read_after_it() -> None:
    connection = Connection(Side.SERVER, Y2026)
    with pytest.raises(XmlError) as caught:
        connection.receive(b"<protocol><join/><step roomId='r'/><oops/><join/>")
    assert caught.value.before == (Join(), Step("r"))
    assert connection.fault is not None
    with pytest.raises(XmlError) as again:
        connection.receive(b"<join/>")
    assert again.value.before == ()
    assert (again.value.problem, again.value.at) == (caught.value.problem, caught.value.at)
    assert caught.value.before == (Join(), Step("r"))


@pytest.mark.parametrize(
    ("data", "limits", "problem"),
    [
        (b"<p><join gameType='" + b"x" * 5000, ReaderLimits(token=1000), "longer than 1000"),
        (b"<p><!--" + b"x" * 5000, ReaderLimits(token=1000), "longer than 1000"),
        (b"<" + b"p" * 5000, ReaderLimits(token=1000), "longer than 1000"),
        (b"<p>" + b"<a>" * 40, ReaderLimits(depth=20), "more than 20 deep"),
        (
            b"<p><a" + b"".join(b" a%d=''" % i for i in range(70)) + b"/>",
            ReaderLimits(),
            "64 attributes",
        ),
        (
            b"<p><prepare>" + b"<slot displayName='a'/>" * 20,
            ReaderLimits(elements=10),
            "10 elements",
        ),
        (
            b"<p><join>" + b"<gameType>" + b"y" * 9000,
            ReaderLimits(message=2000),
            "longer than 2000",
        ),
        (b"<p><join>" + b"<x/>" * 900 + b"</join>", ReaderLimits(message=2000), "longer than 2000"),
    ],
)
def test_a_message_may_not_ask_too_much_of_us(
    data: bytes, limits: ReaderLimits, problem: str
) -> None:
    assert problem in refused(data, limits=limits).problem
    assert problem in read(Side.SERVER, Y2026, cut(data, range(len(data))), limits)[-1][0]


def test_bounds_count_one_message_and_not_the_endless_document() -> None:
    connection = Connection(Side.SERVER, Y2026, ReaderLimits(message=500, elements=5, token=200))
    for _ in range(1000):
        assert (
            connection.receive(b"<protocol>" * (not connection.opened) + b"<join/>   ") is not None
        )
        connection.send(Left("r"))


def test_numbers_are_read_as_java_reads_them() -> None:
    accepted = {"7": 7, "-3": -3, "+4": 4, "0x1F": 31, "#ff": 255, "017": 15, "0": 0, None: 0}
    assert {text: requests.number(text, "x") for text in accepted} == accepted
    for text in (
        "",
        " 1",
        "1 ",
        "1.0",
        "ten",
        "2147483648",
        "0x",
        "١",
        "1f",
        "08",
        "0xg",
        "9" * 5000,
        "--1",
        "1_0",
    ):
        with pytest.raises(XmlError):
            requests.number(text, "x")


def test_the_port_of_all_seasons_reads_every_spelling() -> None:
    said = b"<p><authenticate passphrase='x'/><authenticate password='y'/><timeout slot='1'/>"
    assert requested(said, ANY) == [Authenticate("x"), Authenticate("y"), SetTimeout(None, 1)]
    for dialect in (Y2019, Y2021, Y2026):
        spelt = dialect.close_elements[0].encode()
        assert requested(b"<p><" + spelt + b"/>", ANY) == [Close()]


def test_2019_reserves_every_slot_and_pauses_if_any_slot_says_so() -> None:
    said = (
        b"<p><prepare gameType='a'><slot displayName='A' shouldBePaused='true'/>"
        b"<slot displayName='B' canTimeout='true'/></prepare>"
    )
    (prepare,) = requested(said, ANY)
    assert isinstance(prepare, Prepare)
    slots = (Slot("A", False, True, True), Slot("B", True, True, True))
    assert prepare.under(Y2019) == Prepare("a", slots, True)
    assert prepare.under(Y2026) == Prepare("a", (Slot("A"), Slot("B", True)), False)


# ------------------------------------------------------------------------------- what we write


def test_the_root_comes_with_the_first_message_and_the_end_fits_what_was_sent() -> None:
    talkative, silent = Connection(Side.SERVER, Y2026), Connection(Side.SERVER, Y2026)
    assert talkative.send() == b""
    assert talkative.send(Joined("r")) == b'<protocol>\n  <joined roomId="r"/>'
    assert talkative.send(Left("r")) == b'\n  <left roomId="r"/>'
    assert talkative.close() == b"\n</protocol>"
    assert talkative.send(Left("r")) == talkative.close() == b""
    assert silent.close() == b"<protocol/>"
    announced = Connection(Side.CLIENT, Y2019).close(announce=True)
    assert announced == b"<protocol>\n  <sc.protocol.responses.CloseConnection/>\n</protocol>"


def test_special_characters_are_written_as_the_official_servers_write_them() -> None:
    packet = encode(ErrorPacket("& < > \" ' \n ä"))
    assert packet == '\n  <errorpacket message="&amp; &lt; &gt; &quot; &apos; &#xa; ä"/>'.encode()


@given(text=st.text(max_size=30) | st.text(alphabet="\0\x1f\n\r\t\ud800\uffff <&x", max_size=9))
def test_any_text_survives_the_wire_or_loses_only_what_xml_cannot_say(text: str) -> None:
    data = Element("data", {"class": "x"}, (Element("t", text="." + text),))
    written = Connection(Side.SERVER).send(ErrorPacket(text), RoomData("r", data))
    packet, room = Connection(Side.CLIENT).receive(written)
    said = re.sub("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ud800-\\udfff\\ufffe\\uffff]", "\ufffd", text)
    assert packet == ErrorPacket(said)
    assert isinstance(room, RoomData)
    assert room.data.children == (Element("t", text="." + said),)


@pytest.mark.parametrize("dialect", [ANY, Y2019, Y2019_DOCUMENT, Y2021, Y2026])
def test_results_and_farewells_are_written_as_their_elements_say(dialect: Dialect) -> None:
    fragments = (Fragment("Siegpunkte"), Fragment('∅ "Punkte"', "AVERAGE", False))
    scores = (Score((2, 7), "ONE", "A & B", "REGULAR", "<why>"), Score((0, 3.5), "TWO"))
    for winners in ((), (Winner("ONE", "A & B", reason="'so'"),), (Winner(regular=False),) * 2):
        for room in ("r", 'a "room"', None):
            for message in (Result(room, fragments, scores, winners), Left(room)):
                slowly = indented(markup(answers.spell(message, dialect)), 1).encode()
                assert encode(message, dialect) == slowly


def test_a_state_written_before_is_sent_as_if_it_were_an_element() -> None:
    state = Element("state", {"class": "state"}, (Element("board"), Element("a", text="b")))
    whole = encode(Memento("r", state), Y2026)
    assert encode(Memento("r", markup(state)), Y2026) == whole
    assert encode(Memento("r", Markup("<x/>"))).count(b"\n") == 5


def test_error_packets_carry_the_request_as_the_official_server_does() -> None:
    scenario = "2026/02-admin-wrong-password"
    stream = next((s for s in REQUESTS if s.name.startswith(scenario)), None)
    if stream is None:
        pytest.skip("the recording belongs to a game that is not here")
    recorded = next(s for s in ANSWERS if s.name == stream.name)
    said = [m for m in read(Side.SERVER, Y2026, [stream.data]) if isinstance(m, Request)]
    packets = [m for m in read(Side.CLIENT, Y2026, [recorded.data]) if isinstance(m, ErrorPacket)]
    failed = [*said[:6], *said[8:13]]
    assert len(failed) == len(packets) == 11
    for request, answer in zip(failed, packets, strict=True):
        assert encode(ErrorPacket(answer.message, request), Y2026) == encode(answer, Y2026)
    for request, answer in zip(failed[1:6], packets[1:6], strict=True):
        assert f"Request {describe(request, Y2026)} requires authentication" in answer.message


def test_a_servers_message_sent_by_a_client_is_named_by_its_java_class() -> None:
    name = "Unhandled Packet of type: class sc.protocol.responses.JoinedRoomResponse"
    assert unhandled(Joined("x")) == name
    assert unhandled(Left("x")).endswith("sc.protocol.RemovedFromGame")


def test_the_document_of_2019_wraps_what_the_server_renames() -> None:
    move = Element("data", {"class": "move", "x": "0"})
    error = Error("r", "no", move)
    assert encode(error, Y2019_DOCUMENT).split(b"\n  ")[2:] == [
        b'  <error message="no">',
        b"    <originalRequest>",
        b'      <data class="move" x="0"/>',
        b"    </originalRequest>",
        b"  </error>",
        b"</room>",
    ]
    assert b'<originalRequest class="move" x="0"/>' in encode(error, Y2019)
    assert b'<originalMessage class="move" x="0"/>' in encode(error, Y2026)
    for dialect in DIALECTS:
        (seen,) = Connection(Side.CLIENT).receive(b"<p>" + encode(error, dialect))
        assert isinstance(seen, Error)
        assert (seen.room, seen.message) == ("r", "no")


def test_a_winner_of_2019_has_a_class_only_in_the_document() -> None:
    result = Result("r", (Fragment("a"),), (Score((2,), cause="REGULAR"),), (Winner("RED", "N"),))
    document = b'<winner class="player" displayName="N" color="RED"/>'
    assert document in encode(result, Y2019_DOCUMENT)
    assert b'<winner color="RED" displayName="N"/>' in encode(result, Y2019)


# ------------------------------------------------------------------------------- what clients read


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda d: f"{d.year}")
def test_a_client_understands_every_season_without_knowing_which(dialect: Dialect) -> None:
    said: list[Message] = [
        Joined("r"),
        JoinedGameRoom("r", 2),
        Prepared("r", ("a", "b")),
        Welcome("r", "x"),
        MoveRequest("r"),
        Paused("r", True),
        Left("r"),
        Close(),
    ]
    assert Connection(Side.CLIENT).receive(Connection(Side.SERVER, dialect).send(*said)) == said


def test_a_client_skips_what_it_does_not_know() -> None:
    said = (
        b"<p><news flash='1'/><room roomId='r'><data class='sparkle'/></room><room roomId='r'/>"
        b"<room roomId='r' x='y'><data class='sc.protocol.room.MoveRequest'><extra/></data></room>"
    )
    messages = Connection(Side.CLIENT).receive(said)
    kinds = [type(message) for message in messages]
    assert kinds == [Unknown, RoomData, Unknown, MoveRequest]


@pytest.mark.parametrize("text", ["1e999", "nan", "-inf", "9" * 5000, "two", ""])
def test_a_number_that_is_none_is_refused_by_clients_too(text: str) -> None:
    score = f"<p><room><data class='result'><score><part>{text}</part></score></data></room>"
    count = f"<p><joinedGameRoom playerCount='{text}'/>"
    for said in (score, count):
        with pytest.raises(XmlError):
            Connection(Side.CLIENT).receive(said.encode())


def test_a_client_reads_results_of_every_shape() -> None:
    flat = (
        b"<p><room roomId='r'><data class='result'><score cause='LEFT' reason='x'><part>0</part>"
        b"<part> 2.5 </part></score><winner class='p' color='RED' displayName='A'/></data></room>"
    )
    (result,) = Connection(Side.CLIENT).receive(flat)
    score = Score((0, 2.5), cause="LEFT", reason="x")
    assert result == Result("r", (), (score,), (Winner("RED", "A"),))
