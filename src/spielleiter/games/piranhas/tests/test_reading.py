"""A bot reads the aquarium: fish, swarms, octopuses, and what a move does."""

from __future__ import annotations

import random

import pytest

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.game import AUTHORITIES
from spielleiter.games.piranhas import Position, reference
from spielleiter.games.piranhas.reference import DIRECTIONS, ahead

EDITIONS = [
    name for name in games.names() if games.load(name).folder == "spielleiter.games.piranhas"
]


def walked(edition: str, authority: str, seed: int) -> list[Position]:
    """The positions of a random game."""
    position = Position.start(seed, "", edition, authority)
    lot, seen = random.Random(seed), [position]
    while moves := seen[-1].legal_moves():
        seen.append(seen[-1].after(lot.choice(list(moves))))
    return seen


@pytest.mark.parametrize("authority", AUTHORITIES)
@pytest.mark.parametrize("edition", EDITIONS)
def test_fish_and_swarms_are_those_of_the_reference(edition: str, authority: str) -> None:
    for position in walked(edition, authority, seed=1):
        slow = reference.Position.parse(position.text(), edition, authority)
        assert position.octopuses() == slow.octopuses()
        assert position.first_union == slow.first_union
        for seat in (0, 1):
            assert list(position.fish(seat).items()) == list(slow.fish(seat).items())
            assert position.is_whole(seat) == slow.is_whole(seat)
            swarms = [sorted(swarm.items()) for swarm in position.swarms(seat)]
            assert sorted(swarms) == sorted(sorted(swarm.items()) for swarm in slow.swarms(seat))


def test_the_cells_of_fish_say_whose_they_are_and_how_heavy() -> None:
    for position in walked("piranhas-2026", "document", seed=2):
        cells = position.cells()
        for seat in (0, 1):
            own = {at: fish.weight for at, fish in cells.items() if fish and fish.seat == seat}
            assert own == position.fish(seat)
        assert tuple(at for at, lies in cells.items() if lies and lies.is_octopus) == (
            position.octopuses()
        )


def test_a_move_names_its_start_its_target_and_its_direction() -> None:
    for position in walked("piranhas-2026", "document", seed=3):
        mover = position.to_move()
        for move in position.legal_moves():
            assert move.direction in DIRECTIONS
            assert move.target == ahead(move.start, move.direction, move.distance)
            assert move.start in position.fish(mover)
            after = position.after(move)
            assert after.at(move.start) is None
            assert after.at(move.target) == position.at(move.start)


def test_a_move_off_the_board_has_no_target() -> None:
    position = Position.start(1, "", "piranhas-2026")
    assert position.move("A1 left").target is None


def test_only_the_two_seats_have_fish() -> None:
    position = Position.start(1, "", "piranhas-2026")
    for seat in (-1, 2):
        with pytest.raises(UsageError, match="seat"):
            position.fish(seat)
