"""How our positions are laid on Pentobi's board, so that it can be an opponent."""

from __future__ import annotations

import click
import pytest

from benchmarks.strength.pentobi.__main__ import GameFile
from benchmarks.strength.pentobi.board import (
    CORNERS,
    SIDE,
    SYMMETRIES,
    Symmetry,
    field_names,
    fields_of,
    pieces,
    symmetry_for,
)
from spielleiter import games
from spielleiter.game import Position


def opened(edition: str, seed: int, plies: int = 4) -> Position:
    position: Position = games.load(edition, "server").start(seed)
    for ply in range(plies):
        move = position.random_move(1_000 * seed + ply)
        assert move is not None
        position.play(move)
    return position


def test_there_are_eight_symmetries_and_each_can_be_undone() -> None:
    cells = [(0, 0), (3, 1), (19, 7)]
    assert len({tuple(symmetry.map(cell) for cell in cells) for symmetry in SYMMETRIES}) == 8
    for symmetry in SYMMETRIES:
        assert [symmetry.back(symmetry.map(cell)) for cell in cells] == cells


def test_fields_are_named_from_the_lower_left_corner_in_order() -> None:
    cells = {(0, SIDE - 1), (1, SIDE - 1), (0, SIDE - 2)}
    assert field_names(cells, Symmetry()) == "a1,b1,a2"
    for symmetry in SYMMETRIES:
        assert fields_of(field_names(cells, symmetry), symmetry) == cells


@pytest.mark.parametrize("edition", ["blokus-2021", "blokus-2027"])
def test_openings_lie_in_the_corners_of_their_colours_or_in_none(edition: str) -> None:
    suited = 0
    for seed in range(40):
        position = opened(edition, seed)
        if (symmetry := symmetry_for(position)) is None:
            continue
        suited += 1
        laid = pieces(position)
        at_home = [
            corner in {symmetry.map(cell) for piece in laid[colour] for cell in piece}
            for colour, corner in enumerate(CORNERS)
        ]
        assert at_home == [edition == "blokus-2021"] * 4
    assert suited >= 5


def test_pieces_of_one_colour_are_told_apart() -> None:
    position = opened("blokus-2021", 3, plies=12)
    assert [len(own) for own in pieces(position).values()] == [3, 3, 3, 3]
    assert all(1 <= len(piece) <= 5 for own in pieces(position).values() for piece in own)


def test_a_game_is_a_file_with_a_position_and_moves_and_answers_are_read_from_one() -> None:
    position = opened("blokus-2021", 5)
    assert symmetry_for(position) is not None
    game = GameFile(position)
    move = position.random_move(1)
    assert move is not None
    game.played(0, move)
    before = position.copy()
    position.play(move)
    text = game.text(1)
    assert text.startswith("(;GM[Blokus Two-Player]A1[")
    assert text.endswith("PL[2])")
    assert ";1[" in text
    assert game.move_in(text, before) == move.text()


def test_a_position_that_pentobi_would_prune_wrongly_is_refused() -> None:
    unsuited = next(
        position
        for position in (opened("blokus-2021", seed) for seed in range(40))
        if symmetry_for(position) is None
    )
    with pytest.raises(click.ClickException, match=r"pentobi\.openings"):
        GameFile(unsuited)
