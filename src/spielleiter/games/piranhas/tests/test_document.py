"""The examples of the 2019 document, literally: as both sides read them and as we write them.

Placeholders of the document (`ROOM_ID`, `RC`, `X` …) stand for values; a blank before `/>` means
nothing in XML, so what we write is compared after canonicalisation.
"""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from spielleiter import games
from spielleiter.protocol.dialect import Y2019_DOCUMENT
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import (
    Answer,
    Authenticate,
    Error,
    Fragment,
    Join,
    Joined,
    JoinedGameRoom,
    JoinPrepared,
    Left,
    Memento,
    Message,
    MoveRequest,
    Observe,
    Pause,
    Prepare,
    Prepared,
    Result,
    RoomData,
    Score,
    Slot,
    Welcome,
    Winner,
)
from spielleiter.protocol.xml import Connection, Side, encode

ROOM = "871faccb-5190-4e44-82fc-6cdcbb493726"

REQUESTS: list[tuple[str, Message]] = [
    ('<protocol>\n  <join gameType="swc_2019_piranhas" />', Join("swc_2019_piranhas")),
    ('<protocol>\n  <joinPrepared reservationCode="RC1" />', JoinPrepared("RC1")),
    ('<protocol><authenticate passphrase="p" />', Authenticate("p")),
    (
        """<protocol><prepare gameType="swc_2019_piranhas">
      <slot displayName="p1" canTimeout="false" shouldBePaused="true" />
      <slot displayName="p2" canTimeout="false" shouldBePaused="true" />
    </prepare>""",
        Prepare(
            "swc_2019_piranhas",
            tuple(Slot(name, False, True, True) for name in ("p1", "p2")),
            pause=True,
        ),
    ),
    (f'<protocol><observe roomId="{ROOM}" />', Observe(ROOM)),
    (f'<protocol><pause roomId="{ROOM}" pause="false" />', Pause(ROOM, pause=False)),
]

FRAGMENTS = (Fragment("Gewinner", "SUM", True), Fragment("Ø Schwarm", "AVERAGE", True))

ANSWERS: list[tuple[str, Answer]] = [
    (f'<joined roomId="{ROOM}" />', Joined(ROOM)),
    (
        f'<joinedGameRoom roomId="{ROOM}" existing="false" />',
        JoinedGameRoom(ROOM, players=1),
    ),
    (
        f"""<prepared roomId="{ROOM}">
        <reservation>RC1</reservation>
        <reservation>RC2</reservation>
      </prepared>""",
        Prepared(ROOM, ("RC1", "RC2")),
    ),
    (
        f"""<room roomId="{ROOM}">
      <data class="welcomeMessage" color="red" />
    </room>""",
        Welcome(ROOM, "red"),
    ),
    (
        f"""<room roomId="{ROOM}">
      <data class="sc.framework.plugins.protocol.MoveRequest" />
    </room>""",
        MoveRequest(ROOM),
    ),
    (
        f"""<room roomId="{ROOM}">
      <error message="MSG">
        <originalRequest><data class="move" x="0" y="0" direction="UP" /></originalRequest>
      </error>
    </room>""",
        Error(
            ROOM,
            "MSG",
            Element("data", {"class": "move", "x": "0", "y": "0", "direction": "UP"}),
        ),
    ),
    (f'<left roomId="{ROOM}" />', Left(ROOM)),
    (
        f"""<room roomId="{ROOM}">
      <data class="result">
        <definition>
          <fragment name="Gewinner">
            <aggregation>SUM</aggregation>
            <relevantForRanking>true</relevantForRanking>
          </fragment>
          <fragment name="Ø Schwarm">
            <aggregation>AVERAGE</aggregation>
            <relevantForRanking>true</relevantForRanking>
          </fragment>
        </definition>
        <score cause="REGULAR" reason="R1">
          <part>2</part>
          <part>10</part>
        </score>
        <score cause="REGULAR" reason="R2">
          <part>0</part>
          <part>7</part>
        </score>
        <winner class="player" displayName="NAME" color="RED" />
      </data>
    </room>""",
        Result(
            ROOM,
            FRAGMENTS,
            (
                Score((2, 10), cause="REGULAR", reason="R1"),
                Score((0, 7), cause="REGULAR", reason="R2"),
            ),
            (Winner("RED", "NAME"),),
        ),
    ),
]

MOVE = f"""<room roomId="{ROOM}">
      <data class="move" x="0" y="1" direction="RIGHT">
        <hint content="Dies ist ein Hint." />
        <hint content="noch ein Hint" />
      </data>
    </room>"""


def _field(x: int, y: int) -> str:
    state = "RED" if x in (0, 9) and 0 < y < 9 else "BLUE" if y in (0, 9) and 0 < x < 9 else "EMPTY"
    return f'<field x="{x}" y="{y}" state="{state}" />'


def _column(x: int) -> str:
    return f"<fields>{''.join(_field(x, y) for y in range(10))}</fields>"


STATE = f"""<room roomId="{ROOM}">
      <data class="memento">
        <state class="state" turn="0" startPlayer="RED" currentPlayer="RED">
          <red displayName="Unknown" color="RED" />
          <blue displayName="Unknown" color="BLUE" />
          <board>{"".join(_column(x) for x in range(10))}</board>
        </state>
      </data>
    </room>"""

START = "/".join([".AAAAAAAA.", *["a........a"] * 8, ".AAAAAAAA."]) + " 0 -"


def _canonical(text: str) -> str:
    return ElementTree.canonicalize(text, strip_text=True)


@pytest.mark.parametrize(("text", "means"), REQUESTS)
def test_our_server_reads_a_request_as_the_document_writes_it(text: str, means: Message) -> None:
    (read,) = Connection(Side.SERVER, Y2019_DOCUMENT).receive(text.encode())
    assert (read.under(Y2019_DOCUMENT) if isinstance(read, Prepare) else read) == means


@pytest.mark.parametrize(("text", "means"), ANSWERS)
def test_our_client_reads_an_answer_as_the_document_writes_it(text: str, means: Answer) -> None:
    (read,) = Connection(Side.CLIENT, Y2019_DOCUMENT).receive(f"<protocol>{text}".encode())
    assert read == means


@pytest.mark.parametrize(("text", "means"), ANSWERS)
def test_our_server_writes_an_answer_as_the_document_does(text: str, means: Answer) -> None:
    assert _canonical(encode(means, Y2019_DOCUMENT).decode()) == _canonical(text)


def test_a_move_with_the_hints_of_the_document_is_played() -> None:
    game = games.load("piranhas-2019", wire="document")
    wire = game.part("wire").wire(game)
    (read,) = Connection(Side.SERVER, Y2019_DOCUMENT).receive(f"<protocol>{MOVE}".encode())
    assert isinstance(read, RoomData)
    sent = wire.read_move(game.parse(START), read.data)
    assert (sent.move.text(), sent.hints) == ("A1-C1", ("Dies ist ein Hint.", "noch ein Hint"))


def test_the_first_state_of_the_document_is_read_and_written() -> None:
    game = games.load("piranhas-2019", wire="document")
    wire = game.part("wire").wire(game)
    (read,) = Connection(Side.CLIENT, Y2019_DOCUMENT).receive(f"<protocol>{STATE}".encode())
    assert isinstance(read, Memento)
    assert isinstance(read.state, Element)
    assert wire.read_state(read.state).position == START
    written = encode(Memento(ROOM, wire.state(game.parse(START))), wire.dialect).decode()
    assert _canonical(written) == _canonical(STATE)
