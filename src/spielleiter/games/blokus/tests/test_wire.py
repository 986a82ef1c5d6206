"""Blokus on the wire: colours, pieces off the board, and the words for every mistake."""

from __future__ import annotations

from typing import Any

import pytest

from spielleiter import games
from spielleiter.protocol.element import Element
from spielleiter.protocol.fault import LeaveCause, XmlError
from spielleiter.protocol.lobby import RoomData
from spielleiter.protocol.wire import Cause, End, Wire
from spielleiter.protocol.xml import Connection, Side, encode

EMPTY = "/".join(["." * 20] * 20) + " 0 PENTO_I 1fffff 1fffff 1fffff 1fffff BYRG -"
LATER = (
    "/".join(["B..................Y"] * 5 + ["." * 20] * 10 + ["R..................G"] * 5)
    + " 4 PENTO_I 1fbfff 1fbfff 1fbfff 1fbfff BYRG -"
)


FULL = 'color="BLUE" kind="MONO" rotation="NONE" isFlipped="false"'


def wired(name: str, authority: str = "server") -> tuple[Any, Wire]:
    game = games.load(name, authority)  # type: ignore[arg-type]
    wire: Wire = game.part("wire").wire(game)
    return game, wire


def set_move(kind: str, x: int, y: int, colour: str = "BLUE", year: int = 2027) -> Element:
    piece = f'<piece color="{colour}" kind="{kind}" rotation="NONE" isFlipped="false">'
    return data(
        f'<data class="sc.plugin{year}.SetMove">{piece}<position x="{x}" y="{y}"/></piece></data>'
    )


def data(inner: str) -> Element:
    (message,) = Connection(Side.SERVER).receive(f'<p><room roomId="r">{inner}</room>'.encode())
    assert isinstance(message, RoomData)
    return message.data


@pytest.mark.parametrize(
    ("position", "kind", "x", "y", "mistake"),
    [
        (EMPTY, "PENTO_I", 0, 17, "Der Spielstein passt nicht vollständig auf das Spielfeld"),
        (EMPTY, "PENTO_I", -1, 0, "Der Spielstein passt nicht vollständig auf das Spielfeld"),
        (EMPTY, "PENTO_I", 5, 5, "Der erste Zug muss an den Rand gesetzt werden"),
        (LATER, "MONO", 19, 0, "Der Spielstein würde eine andere Farbe überlagern"),
        (LATER, "MONO", 1, 2, "Der Spielstein berührt ein Feld gleicher Farbe"),
        (LATER, "MONO", 10, 10, "Alle Teile müssen ein vorheriges Teil gleicher Farbe über"),
    ],
)
def test_a_piece_in_the_wrong_place_is_told_with_the_move(
    position: str, kind: str, x: int, y: int, mistake: str
) -> None:
    game, wire = wired("blokus-2027")
    here = game.parse(position)
    refusal = wire.why_refused(here, wire.read_move(here, set_move(kind, x, y)))
    assert refusal is not None
    assert refusal.reason.startswith(mistake)
    assert refusal.reason.endswith(f" bei 'Setze {kind}(Farbe Blau)[{x},{y}]'")


@pytest.mark.parametrize(
    ("position", "move", "mistake"),
    [
        (EMPTY, set_move("MONO", 0, 0), "Der erste Zug muss den festgelegten Spielstein setzen"),
        (EMPTY, set_move("MONO", 50, -3), "Der erste Zug muss den festgelegten Spielstein setzen"),
        (LATER, set_move("PENTO_I", 5, 5), "Der gewählte Stein wurde bereits gesetzt"),
        (LATER, set_move("PENTO_I", 99, 5), "Der gewählte Stein wurde bereits gesetzt"),
        (LATER, set_move("MONO", 1, 5), None),
    ],
)
def test_the_wrong_piece_is_told_without_the_move(
    position: str, move: Element, mistake: str | None
) -> None:
    game, wire = wired("blokus-2027")
    here = game.parse(position)
    refusal = wire.why_refused(here, wire.read_move(here, move))
    assert (refusal and refusal.reason) == mistake
    assert refusal is None or refusal.bare.endswith(", move=null)")


def test_somebody_elses_colour_is_the_first_mistake() -> None:
    game, wire = wired("blokus-2027")
    position = game.parse(EMPTY)
    sent = wire.read_move(position, set_move("MONO", 77, 0, "YELLOW"))
    refusal = wire.why_refused(position, sent)
    assert refusal is not None
    assert refusal.mistake == "COLOUR_NOT_ON_TURN"
    text = "Nur eigene Spielfiguren können gezogen werden bei 'Setze MONO(Farbe Gelb)[77,0]'"
    assert refusal.reason == text


def test_2021_uses_words_of_its_own() -> None:
    game, wire = wired("blokus-2021")
    position = game.parse(EMPTY)
    wrong = wire.read_move(position, set_move("PENTO_I", 0, 0, "RED", 2021))
    refusal = wire.why_refused(position, wrong)
    assert refusal is not None
    move = "Setze PENTO_I(Farbe Rot)[0,0]"
    assert refusal.reason == f"Die Farbe des Zuges ist nicht an der Reihe bei Zug '{move}'"
    assert refusal.packet().endswith(f"nicht an der Reihe, move={move})")
    edge = wire.why_refused(
        position, wire.read_move(position, set_move("PENTO_I", 5, 0, year=2021))
    )
    assert edge is not None
    assert edge.reason.startswith("Der erste Zug muss auf eine freie Ecke gesetzt werden bei Zug")
    told = wire.disorder_packet(1, 0, ("A", "B"), move)
    assert told == f"NotYourTurnException(expected=Team 1(A), actual=Team 2(B), data={move})"


def test_passing_first_is_a_mistake_for_the_server_only() -> None:
    said = data('<data class="sc.plugin2027.SkipMove"><color>BLUE</color></data>')
    game, wire = wired("blokus-2027")
    position = game.parse(EMPTY)
    refusal = wire.why_refused(position, wire.read_move(position, said))
    assert refusal is not None
    assert refusal.reason == "Der erste Zug muss einen Stein setzen bei 'Farbe Blau setzt aus'"
    game, wire = wired("blokus-2027", "document")
    position = game.parse(EMPTY)
    assert wire.why_refused(position, wire.read_move(position, said)) is None


@pytest.mark.parametrize(
    ("kind", "inner", "cause"),
    [
        ("sc.plugin2027.SetMove", "", LeaveCause.UNKNOWN),
        ("sc.plugin2027.SkipMove", "", LeaveCause.UNKNOWN),
        ("sc.plugin2027.SetMove", f"<piece {FULL}/>", LeaveCause.UNKNOWN),
        ("sc.plugin2027.SetMove", "<piece kind='MONO'><position/></piece>", LeaveCause.UNKNOWN),
        ("sc.plugin2027.SetMove", "<piece kind='HEXA'/>", LeaveCause.PROTOCOL_ERROR),
        ("sc.plugin2027.SkipMove", "<color> BLUE</color>", LeaveCause.PROTOCOL_ERROR),
        ("sc.plugin2027.SkipMove", "<color>BLUE</color><hint/>", LeaveCause.PROTOCOL_ERROR),
        ("sc.plugin2021.SkipMove", "<color>BLUE</color>", LeaveCause.PROTOCOL_ERROR),
        ("setmove", f"<piece {FULL}><position/></piece>", LeaveCause.PROTOCOL_ERROR),
    ],
)
def test_what_the_connection_is_dropped_for(kind: str, inner: str, cause: LeaveCause) -> None:
    game, wire = wired("blokus-2027")
    with pytest.raises(XmlError) as caught:
        wire.read_move(game.parse(LATER), data(f'<data class="{kind}">{inner}</data>'))
    assert caught.value.cause is cause


def test_turned_and_flipped_pieces_are_named_so() -> None:
    game, wire = wired("blokus-2027")
    piece = '<piece color="BLUE" kind="PENTO_P" rotation="LEFT" isFlipped="true">'
    said = f'<data class="sc.plugin2027.SetMove">{piece}<position x="1" y="5"/></piece></data>'
    sent = wire.read_move(game.parse(LATER), data(said))
    assert sent.text == "Setze PENTO_P(Farbe Blau, gedreht um 270°, gespiegelt)[1,5]"


def test_the_boards_of_the_documentation_are_read_too() -> None:
    game, wire = wired("blokus-2021")
    state = game.parse(LATER)
    stream = wire.state(state).replace("<board>", "<board><fields>")
    stream = stream.replace(
        "</board>", '</fields><fields><field x="3" y="3" content="EMPTY"/></fields></board>'
    )
    whole = f'<p><room roomId="r"><data class="memento">{stream}</data></room>'.encode()
    (message,) = Connection(Side.CLIENT).receive(whole)
    assert wire.read_state(message.state).position == LATER  # type: ignore[union-attr, arg-type]


def test_2021_names_the_leader_after_a_timeout_but_gives_the_points_right() -> None:
    game, wire = wired("blokus-2021")
    names = ("Alice", "Bob")
    result = wire.result("r", game.parse(EMPTY), names, End(Cause.HARD_TIMEOUT, (0,)))
    assert [score.parts[0] for score in result.scores] == [0, 2]
    assert [winner.name for winner in result.winners] == ["Alice", "Bob"]
    assert result.scores[0].cause == "SOFT_TIMEOUT"
    assert b"innerhalb von 10 Sekunden" in encode(result, wire.dialect)
