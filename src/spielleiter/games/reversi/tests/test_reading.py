"""A bot reads the board: stones, counts, holes, and where a move sets its stone."""

from __future__ import annotations

import random

import pytest

from spielleiter.games.reversi import Position, maps, reference

MAPS = ("p2_08x08_classic", "p4_14x15_maze", "p3_09x09_hexagon", "p2_15x01_column")


def walked(name: str, seed: int) -> list[Position]:
    """The positions of a random game in which a player of three or four is thrown out."""
    position = Position.start(seed, maps.find(name).position(), "reversi")
    lot, seen = random.Random(seed), [position]
    while moves := seen[-1].legal_moves():
        seen.append(seen[-1].after(lot.choice(list(moves))))
        if len(seen) == 12 and position.seats > 2:
            seen[-1].disqualify(1)
    return seen


@pytest.mark.parametrize("name", MAPS)
def test_stones_and_holes_are_those_of_the_reference(name: str) -> None:
    for position in walked(name, seed=1):
        slow = reference.Position.parse(position.text(), "reversi")
        assert position.stone_counts() == slow.stone_counts()
        assert position.holes() == slow.holes()
        for seat in range(position.seats):
            assert position.stones(seat) == slow.stones(seat)
            assert position.is_disqualified(seat) == slow.is_disqualified(seat)


@pytest.mark.parametrize("name", MAPS)
def test_a_move_sets_a_stone_on_its_cell(name: str) -> None:
    for position in walked(name, seed=2):
        mover = position.to_move()
        for move in position.legal_moves():
            assert position.at(move.cell) is None
            stone = position.after(move).at(move.cell)
            assert stone is not None
            assert stone.seat == mover
