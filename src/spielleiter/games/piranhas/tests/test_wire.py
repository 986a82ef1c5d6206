"""Piranhas on the wire: the document of 2019 to the letter, and this game's own mistakes."""

from __future__ import annotations

from typing import Any

import pytest

from spielleiter import games
from spielleiter.protocol.dialect import Y2019_DOCUMENT
from spielleiter.protocol.element import Element
from spielleiter.protocol.fault import LeaveCause, XmlError
from spielleiter.protocol.lobby import Memento, RoomData
from spielleiter.protocol.wire import Cause, End, Wire
from spielleiter.protocol.xml import Connection, Side, encode

START = "/".join([".AAAAAAAA.", *["a........a"] * 8, ".AAAAAAAA."]) + " 0 -"


def wired(name: str, authority: str = "document") -> tuple[Any, Wire]:
    """An edition as documented, rules and messages, or as its server did it."""
    game = games.load(name).under(authority)
    game = game.speaking("document" if authority == "document" else "real")
    wire: Wire = game.part("wire").wire(game)
    return game, wire


def data(inner: str) -> Element:
    """What a server reads as the data of a room's message."""
    stream = f'<p><room roomId="r">{inner}</room>'.encode()
    (message,) = Connection(Side.SERVER).receive(stream)
    assert isinstance(message, RoomData)
    return message.data


# ----------------------------------------------------------------------------- 2019, to the letter


def test_the_state_of_2019_is_written_as_the_document_has_it() -> None:
    game, wire = wired("piranhas-2019")
    position = game.parse(START)
    lines = wire.state(position, None, ("N & M", "")).split("\n")
    assert lines[:6] == [
        '<state class="state" turn="0" startPlayer="RED" currentPlayer="RED">',
        '  <red displayName="N &amp; M" color="RED"/>',
        '  <blue displayName="Unknown" color="BLUE"/>',
        "  <board>",
        "    <fields>",
        '      <field x="0" y="0" state="EMPTY"/>',
    ]
    assert lines[6] == '      <field x="0" y="1" state="RED"/>'
    assert lines[-3:] == ["    </fields>", "  </board>", "</state>"]


def test_the_last_move_of_2019_stands_in_a_wrapper_and_hints_go_to_observers() -> None:
    game, wire = wired("piranhas-2019")
    position = game.parse(START.replace(" 0 -", " 2 -"))  # the first round shows none
    hints = '<hint content="a"/><hint content="b"/>'
    said = f'<data class="move" x="0" y="1" direction="RIGHT">{hints}</data>'
    sent = wire.read_move(position, data(said))
    assert sent.hints == ("a", "b")
    position.play(sent.move)
    move = '<data class="move" x="0" y="1" direction="RIGHT"'
    for_players = wire.state(position, sent)
    for_observers = wire.state(position, sent, hints=sent.hints)
    assert f"  </board>\n  <lastMove>\n    {move}/>\n  </lastMove>\n</state>" in for_players
    assert f'    {move}>\n      <hint content="a"/>\n      <hint content="b"/>\n' in for_observers
    for state in (for_players, for_observers):
        seen = wire.read_state(_state(state))
        assert seen.last is not None
        assert seen.hints == (sent.hints if state == for_observers else ())
        assert wire.last_move(game.parse(START), seen.last) == sent.move


def test_the_last_state_of_2019_carries_the_result_as_condition() -> None:
    game, wire = wired("piranhas-2019")
    position = game.parse(START)
    end = End(Cause.RULE_VIOLATION, (0,), "Field is obstructed")
    result = wire.result("r", position, ("A", "B"), end)
    state = wire.state(position, None, ("A", "B"), result=result)
    assert "\n  <condition>\n    <definition>\n" in state
    assert '<fragment name="Ø Schwarm">' in state
    assert '<score cause="RULE_VIOLATION" reason="Field is obstructed">' in state
    assert '    <winner class="player" displayName="B" color="BLUE"/>\n  </condition>' in state
    assert wire.read_state(_state(state)).position == START


def test_the_server_of_2019_spoke_otherwise() -> None:
    game, wire = wired("piranhas-2019", "server")
    state = wire.state(game.parse(START), None, ("A", "B"))
    assert state.startswith('<state class="sc.plugin2019.GameState" startPlayerColor="RED"')
    assert "    <line>------------</line>\n  </board>" in state
    result = encode(
        wire.result("r", game.parse(START), ("A", "B"), End(Cause.LEFT, (1,))), wire.dialect
    )
    assert '<fragment name="∅ Schwarm">'.encode() in result
    assert b'<winner color="RED" displayName="A"/>' in result


def test_the_draft_speaks_as_2019() -> None:
    for authority in ("document", "server"):
        assert wired("piranhas-2019-draft", authority)[1].game_type == "swc_2019_piranhas"
    assert wired("piranhas-2019-draft")[1].dialect is Y2019_DOCUMENT


# ------------------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("x", "y", "direction", "text"),
    [
        (-1, 4, "UP", "x or y are not within the field range"),
        (0, 10, "UP", "x or y are not within the field range"),
        (4, 4, "UP", "Field does not belong to the current player"),
        (1, 0, "UP", "Field does not belong to the current player"),
        (0, 4, "LEFT", "Move in that direction would not be on the board"),
        (0, 4, "UP", "Move in that direction would not be on the board"),
        (0, 4, "DOWN_RIGHT", None),
    ],
)
def test_refusals_of_2019_are_english(x: int, y: int, direction: str, text: str | None) -> None:
    game, wire = wired("piranhas-2019", "server")
    position = game.parse(START)
    said = data(f'<data class="move" x="{x}" y="{y}" direction="{direction}"/>')
    refusal = wire.why_refused(position, wire.read_move(position, said))
    assert (refusal and refusal.reason) == text
    assert refusal is None or refusal.error("N") == f"Ungueltiger Zug von 'N'.\n{text}"


def test_a_way_that_is_barred_and_leads_off_the_board_leads_off_the_board_in_2019() -> None:
    """Ten fish on the line: no target exists, whatever stands between."""
    game, wire = wired("piranhas-2019", "server")
    board = "/".join(["aAAAAAAAAA", *[".........."] * 8, ".A...a...."])
    position = game.parse(f"{board} 0 -")
    sent = wire.read_move(position, data('<data class="move" x="0" y="0" direction="RIGHT"/>'))
    assert position.why_illegal(sent.move).name == "JUMP_OVER_OPPONENT"
    refusal = wire.why_refused(position, sent)
    assert refusal is not None
    assert refusal.reason == "Move in that direction would not be on the board"


@pytest.mark.parametrize(
    ("inner", "cause"),
    [
        ("<from x='0' y='4'/>", LeaveCause.UNKNOWN),
        ("<direction>UP</direction>", LeaveCause.UNKNOWN),
        ("<from x='10' y='4'/><direction>UP</direction>", LeaveCause.UNKNOWN),
        ("<from x='0' y='-1'/><direction>UP</direction>", LeaveCause.UNKNOWN),
        ("<from x='0' y='4'/><direction> UP </direction>", LeaveCause.PROTOCOL_ERROR),
        ("<from x='0' y='4'/><direction>NORTH</direction>", LeaveCause.PROTOCOL_ERROR),
        ("<from x='zero' y='4'/><direction>UP</direction>", LeaveCause.PROTOCOL_ERROR),
        ("<from x='0' y='4'/><direction>UP</direction><hint/>", LeaveCause.PROTOCOL_ERROR),
        ("<from x='0' y='4'><z/></from><direction>UP</direction>", LeaveCause.PROTOCOL_ERROR),
        ("<from/><from/><direction>UP</direction>", LeaveCause.PROTOCOL_ERROR),
    ],
)
def test_what_2026_drops_the_connection_for(inner: str, cause: LeaveCause) -> None:
    game, wire = wired("piranhas-2026")
    with pytest.raises(XmlError) as caught:
        wire.read_move(game.start(1), data(f'<data class="move">{inner}</data>'))
    assert caught.value.cause is cause


@pytest.mark.parametrize(
    "inner",
    [
        '<data class="move"><from x="0" y="1"/><direction>RIGHT</direction></data>',
        '<data class="sc.plugin2026.Move"><direction>RIGHT</direction><from y="1" x="0"/></data>',
        '<data class="move" x="7" bar="2"><from y="1" z="3"/><direction>RIGHT</direction></data>',
        '<data class="move"><from><x>0</x><y>0x1</y></from><direction>RIGHT</direction></data>',
    ],
)
def test_what_2026_reads_as_the_same_move(inner: str) -> None:
    game, wire = wired("piranhas-2026")
    sent = wire.read_move(game.start(1), data(inner))
    assert sent.text == "Schwimme von [0|1] in Richtung RIGHT"
    assert sent.move == game.start(1).move("A1 right")


# ---------------------------------------------------------------------------------------- endings


def result_text(name: str, authority: str, text: str, end: End) -> bytes:
    game, wire = wired(name, authority)
    return encode(wire.result("r", game.parse(text), ("A", "B"), end), wire.dialect)


@pytest.mark.parametrize("authority", ["document", "server"])
def test_the_reason_of_2019_is_the_union_or_the_round_limit(authority: str) -> None:
    whole = "aa......../" + "/".join([".........."] * 7) + "/A.......A./.........."
    united = result_text("piranhas-2019", authority, f"{whole} 10 -", End())
    assert b"Das Spiel ist beendet.&#xa;Ein Spieler hat seinen Schwarm vereint." in united
    split = "a.a......./" + "/".join([".........."] * 7) + "/A.......A./.........."
    limit = result_text("piranhas-2019", authority, f"{split} 60 -", End())
    assert limit.count(b"Das Rundenlimit wurde erreicht.") == 2
    assert b"<winner" not in limit


def test_a_cancelled_game_of_2026_is_judged_by_the_board() -> None:
    split = "a.a......./" + "/".join([".........."] * 7) + "/A.......A./.........."
    drawn = result_text("piranhas-2026", "server", f"{split} 10 -", End(Cause.CANCELLED))
    assert b'<winner regular="true" reason="Beide Spieler sind gleichauf"/>' in drawn
    ignored = result_text("piranhas-2026", "server", f"{split} 10 1", End(Cause.CANCELLED))
    assert b"gleichauf" in ignored
    credited = result_text("piranhas-2026", "document", f"{split} 10 1", End(Cause.CANCELLED))
    assert b'<winner team="TWO" regular="true" reason="B hat zuerst alle Fische' in credited
    heavier = split.replace("A.......A.", "C.......A.")
    won = result_text("piranhas-2026", "server", f"{heavier} 11 -", End(Cause.CANCELLED))
    assert '<winner team="TWO" regular="true" reason="B hat den größeren'.encode() in won


def _state(state: str) -> Element:
    stream = f'<p><room roomId="r"><data class="memento">{state}</data></room>'.encode()
    (message,) = Connection(Side.CLIENT).receive(stream)
    assert isinstance(message, Memento)
    assert isinstance(message.state, Element)
    return message.state
