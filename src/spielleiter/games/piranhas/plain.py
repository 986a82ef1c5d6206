"""The reference with its lines counted once: quick enough for bots where nothing is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from spielleiter.games.piranhas import reference
from spielleiter.games.piranhas.reference import (
    FISH,
    NAMES,
    OCTOPUS,
    SIZE,
    WEIGHT,
    Field,
    Move,
    ahead,
    on_board,
)

_MOST_LINES = 6 * SIZE


@cache
def _lines(field: Field) -> tuple[int, ...]:
    """The numbers of the four lines through a field, in the order of the first four directions."""
    x, y = field
    return x, SIZE + x + (SIZE - 1 - y), 3 * SIZE + y, 4 * SIZE + x + y


@cache
def _ways(field: Field) -> tuple[tuple[str, int, tuple[Field, ...]], ...]:
    """Per direction its line, and the fields from here to the edge of the board."""
    lines = _lines(field) * 2  # back comes in the same order as forth
    return tuple(
        (direction, number, _ray(field, direction))
        for direction, number in zip(NAMES, lines, strict=True)
    )


def _ray(field: Field, direction: str) -> tuple[Field, ...]:
    reach = (ahead(field, direction, distance) for distance in range(1, SIZE))
    return tuple(reached for reached in reach if on_board(reached))


class Position(reference.Position):
    """A moment of the game."""

    def _possible_moves(self) -> Iterator[Move]:
        """A fish swims as far as its line has fish, if nothing is in the way (§3)."""
        board, seat = self.board, self.to_move()
        counts = [0] * _MOST_LINES
        for field, piece in board.items():
            if piece in WEIGHT:
                for number in _lines(field):
                    counts[number] += 1
        own, opponents = FISH[seat] + OCTOPUS, FISH[1 - seat]
        for fish in self.fish(seat):
            for direction, number, ray in _ways(fish):
                distance = counts[number]
                if distance > len(ray) or board.get(ray[distance - 1], " ") in own:
                    continue
                if not any(board.get(passed, " ") in opponents for passed in ray[: distance - 1]):
                    yield Move(fish, direction, distance)
