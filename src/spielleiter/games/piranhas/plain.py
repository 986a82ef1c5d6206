"""The reference with its lines counted once: quick enough for bots where nothing is compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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

_LINES = 6 * SIZE - 2
_ATTEMPTS = 64
"""Draws before the legal moves are listed, as in the core."""


@cache
def _lines(field: Field) -> tuple[int, ...]:
    """The numbers of the four lines through a field, in the order of the first four directions.

    Rows come first, then columns, rising and falling diagonals, as in lines.hpp.
    """
    x, y = field
    return SIZE + x, 3 * SIZE - 1 + x - y, y, 4 * SIZE - 1 + x + y


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


@cache
def _rank(start: Field, direction: str) -> tuple[int, bool, Field]:
    """Where a move stands among the legal ones: by line, forth before back, along the line."""
    at = NAMES.index(direction)
    return (_lines(start) * 2)[at], at >= len(NAMES) // 2, start


class Position(reference.Position):
    """A moment of the game."""

    def legal_moves(self) -> list[Move]:
        """Line by line as the core lists them: a seed draws the same game in every flavour."""
        return sorted(super().legal_moves(), key=lambda move: _rank(move.start, move.direction))

    def drawn_move(self, below: Callable[[int], int]) -> Move | None:
        """A fish and a direction drawn together until they are a move, as the core does it."""
        if self.outcome():
            return None
        fish = list(self.fish(self.to_move()))
        for _ in range(_ATTEMPTS if fish else 0):
            which, way = divmod(below(len(fish) * len(NAMES)), len(NAMES))
            move = Move(fish[which], NAMES[way], self.fish_on_line(fish[which], NAMES[way]))
            if not self._mistake(move):
                return move
        moves = self.legal_moves()
        return moves[below(len(moves))] if moves else None

    def _possible_moves(self) -> Iterator[Move]:
        """A fish swims as far as its line has fish, if nothing is in the way (§3)."""
        board, seat = self.board, self.to_move()
        counts = [0] * _LINES
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
