"""The scene shows what the position says, for the plain rules and the core alike."""

from __future__ import annotations

from typing import Any, cast
from xml.etree import ElementTree

import pytest

from spielleiter import games
from spielleiter.draw import svg
from spielleiter.game import Position, Scene
from spielleiter.games.piranhas import reference
from spielleiter.games.piranhas.scene import GLYPHS, scene

MIDDLE = "a...B...../.b......../..c......./.......#../....A...../...A....../.#......../"
MIDDLE += "........C./........../.........a 17 1"


def drawn(text: str, edition: str = "piranhas-2026", last: str | None = None) -> Scene:
    position = cast(Position, reference.Position.parse(text, edition))
    return scene(position, position.move(last) if last else None)


def texts_by_cell(shown: Scene) -> dict[tuple[int, int], str]:
    return {token.cells[0]: token.text for token in shown.tokens}


@pytest.mark.parametrize("edition", reference.EDITIONS)
def test_both_implementations_give_the_same_scene(edition: str) -> None:
    native: Any = games.load(edition).start(4)
    plain: Any = reference.Position.start(4, "", edition)
    for text in ("A4 right", "B0 up"):
        moves = native.move(text), plain.move(text)
        native.play(moves[0])
        plain.play(moves[1])
        assert scene(native, moves[0]) == scene(plain, moves[1])


def test_every_piece_of_the_text_lies_where_it_should() -> None:
    assert texts_by_cell(drawn(MIDDLE)) == reference.Position.parse(MIDDLE, "piranhas-2026").board


def test_a_fish_keeps_its_name_while_it_swims() -> None:
    position = cast(Position, reference.Position.start(4, "", "piranhas-2026"))
    move = position.move("A4-C4")
    before = {token.cells[0]: token.id for token in scene(position, None).tokens}
    position.play(move)
    after = {token.cells[0]: token.id for token in scene(position, move).tokens}
    assert after.pop((2, 4)) == before.pop((0, 4))
    assert after == before


def test_names_of_things_are_unique() -> None:
    position = cast(Position, reference.Position.start(4, "", "piranhas-2026"))
    move = position.move("A2-C0")
    position.play(move)
    shown = scene(position, move)
    things = [*shown.tokens, *(token for tray in shown.trays for token in tray.tokens)]
    assert len({token.id for token in things}) == len(things) == 34


def test_the_last_move_and_the_heaviest_swarms_are_marked() -> None:
    marks = {(mark.kind, mark.colour): set(mark.cells) for mark in drawn(MIDDLE).marks}
    assert marks["group", "red"] == {(0, 0), (1, 1), (2, 2)}
    assert marks["group", "blue"] == {(8, 7)}
    last = drawn(MIDDLE, last="C5-C2").marks[-1]
    assert (last.kind, last.cells) == ("last", ((2, 5), (2, 2)))


def test_eaten_fish_lie_beside_the_board() -> None:
    red, blue = drawn(MIDDLE).trays
    assert (len(red.tokens), len(blue.tokens)) == (12, 12)
    assert red.title == "red: 4 fish, 12 lost"


def test_more_fish_than_a_set_has_are_drawn_without_trouble() -> None:
    crowd = "/".join(["aaaaaaaaaa"] * 10) + " 1 -"
    assert not drawn(crowd).trays[0].tokens


@pytest.mark.parametrize(
    ("text", "edition", "lines"),
    [
        (
            MIDDLE,
            "piranhas-2026",
            (
                "Ply 17 of 60, round 9 of 30",
                "Blue to move",
                "Heaviest swarm: red 6, blue 3",
                "First union: blue",
            ),
        ),
        (
            "aa......../" + "........../" * 8 + ".........A 60 -",
            "piranhas-2019-draft",
            (
                "Ply 60 of 60, round 30 of 30",
                "White wins: larger swarm",
                "Largest swarm: white 2, black 1",
            ),
        ),
    ],
)
def test_the_status_tells_turn_swarms_and_result(
    text: str, edition: str, lines: tuple[str, ...]
) -> None:
    assert drawn(text, edition).status == lines


def test_every_thing_has_a_well_formed_drawing() -> None:
    for edition in reference.EDITIONS:
        shown = scene(games.load(edition).start(1), None)
        assert {token.glyph for token in shown.tokens} <= GLYPHS.keys()
    for drawing in GLYPHS.values():
        ElementTree.fromstring(f"<g>{drawing}</g>")


def test_the_picture_is_well_formed() -> None:
    ElementTree.fromstring(svg.render(drawn(MIDDLE)))
