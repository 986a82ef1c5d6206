"""A bot reads the board: squares and pieces of a colour, and what a move covers."""

from __future__ import annotations

import random

import pytest

from spielleiter.errors import UsageError
from spielleiter.game import AUTHORITIES
from spielleiter.games.blokus import Position, reference
from spielleiter.games.blokus.reference import COLOUR_NAMES


def walked(edition: str, authority: str, seed: int) -> list[Position]:
    """The positions of a random game."""
    position = Position.start(seed, "", edition, authority)
    lot, seen = random.Random(seed), [position]
    while moves := seen[-1].legal_moves():
        seen.append(seen[-1].after(lot.choice(list(moves))))
    return seen


@pytest.mark.parametrize("authority", AUTHORITIES)
@pytest.mark.parametrize("edition", ["blokus-2021", "blokus-2027"])
def test_colours_and_pieces_are_those_of_the_reference(edition: str, authority: str) -> None:
    for position in walked(edition, authority, seed=1):
        slow = reference.Position.parse(position.text(), edition, authority)
        assert position.colour_to_move() == slow.colour_to_move()
        assert position.colours_in_play() == slow.colours_in_play()
        assert position.start_piece == slow.start_piece
        for colour in COLOUR_NAMES:
            assert position.pieces_left(colour) == slow.pieces_left(colour)
            assert position.squares(colour) == slow.squares(colour)
            assert position.points(colour) == slow.points(colour)


def test_a_colour_covers_the_cells_that_say_so() -> None:
    for position in walked("blokus-2027", "document", seed=2):
        for colour in COLOUR_NAMES:
            own = [
                cell for cell, lies in position.cells().items() if lies and lies.colour == colour
            ]
            assert tuple(own) == position.squares(colour)


def test_a_move_covers_its_cells_with_its_piece() -> None:
    lot = random.Random(3)
    for position in walked("blokus-2027", "document", seed=3):
        moves = list(position.legal_moves())
        for move in lot.sample(moves, k=min(20, len(moves))):
            slow = reference.parse_move(move.text())
            assert (move.piece, move.orientation) == (slow.piece, slow.orientation)
            assert (move.cells, move.is_pass) == (slow.cells, slow.is_pass)
            after, colour = position.after(move), position.colour_to_move()
            assert set(after.squares(colour)) - set(position.squares(colour)) == set(move.cells)
            if move.piece is not None:
                assert move.piece in position.pieces_left(colour)
                assert move.piece not in after.pieces_left(colour)


def test_a_pass_has_neither_piece_nor_cells() -> None:
    move = Position.start(1, "", "blokus-2027").move("pass")
    assert (move.is_pass, move.piece, move.orientation, move.cells) == (True, None, None, ())


def test_an_unknown_colour_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="blue, yellow, red and green, not 'pink'"):
        Position.start(1, "", "blokus-2027").squares("pink")
