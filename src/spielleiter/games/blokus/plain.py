"""The reference with bitboards: the same answers, quick enough for bots where nothing is compiled.

A set of cells is an integer with a bit per cell. All places of a piece are tried at once: a cell is
a good upper left corner if everything that the piece covers from there is free, so the sets of free
cells, moved by every square of the piece, are intersected.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Self

from spielleiter.games.blokus import reference
from spielleiter.games.blokus.reference import CELLS, ORIENTATIONS, PASS, SIDE, Mistake, Move, Shape

_ALL = (1 << CELLS) - 1
_LEFT = sum(1 << SIDE * row for row in range(SIDE))
_NOT_LEFT, _NOT_RIGHT = _ALL & ~_LEFT, _ALL & ~(_LEFT << SIDE - 1)
_SPAN = range(max(y for held in ORIENTATIONS for _, y in held.shape) + 1)
_OFFSETS = tuple(sorted({SIDE * y + x for y in _SPAN for x in _SPAN}))


def _bits(cells: frozenset[int]) -> int:
    return sum(1 << cell for cell in cells)


def _corners(shape: Shape) -> int:
    """The upper left corners from which a shape stays on the board."""
    rows = range(SIDE - max(y for _, y in shape))
    columns = range(SIDE - max(x for x, _ in shape))
    return sum(1 << SIDE * row + column for row in rows for column in columns)


_HELD = tuple(
    tuple(
        (CELLS * number, tuple(sorted(SIDE * y + x for x, y in held.shape)), _corners(held.shape))
        for number, held in enumerate(ORIENTATIONS)
        if held.kind == kind
    )
    for kind in range(len(reference.NAMES))
)
"""Per piece its orientations: the first of their moves, what they cover, where they fit."""
_SHAPES = tuple(sum(1 << SIDE * y + x for x, y in held.shape) for held in ORIENTATIONS)
_FIRST = {cells: _bits(cells) for cells in (reference.CORNERS, reference.EDGE)}
_move = functools.cache(Move)


def _covered(number: int) -> int:
    """What a placement covers that stays on the board."""
    return _SHAPES[number // CELLS] << number % CELLS


class Position(reference.Position):
    """A moment of the game, with the cells of each colour as bits besides."""

    _own_bits: list[int]

    def copy(self) -> Self:
        """An independent position of the same game."""
        twin = super().copy()
        twin._own_bits = self._owned().copy()
        return twin

    def _place(self, move: Move) -> None:
        self._owned()[self.colour] |= _covered(move.number)
        super()._place(move)

    def _owned(self) -> list[int]:
        """Per colour, the cells it covers."""
        if "_own_bits" not in self.__dict__:
            self._own_bits = [0] * 4
            for cell, colour in self.board.items():
                self._own_bits[colour] |= 1 << cell
        return self._own_bits

    def _free_and_contacts(self, colour: int) -> tuple[int, int]:
        """The cells that a placement may cover, and those of which it has to cover one."""
        blue, yellow, red, green = self._owned()
        own = self._own_bits[colour]
        sides = (own & _NOT_RIGHT) << 1 | (own & _NOT_LEFT) >> 1
        free = _ALL & ~(blue | yellow | red | green | sides | own << SIDE | own >> SIDE)
        if self.is_first(colour):
            return free, free & _FIRST[self.rules.first_cells]
        return free, free & (sides << SIDE | sides >> SIDE)

    def _corners_of_placements(self, colour: int) -> Iterator[tuple[int, int]]:
        """Per orientation that fits anywhere, the first of its moves and the upper left corners."""
        free, contacts = self._free_and_contacts(colour)
        if not contacts:
            return
        room = {offset: free >> offset for offset in _OFFSETS}
        touch = {offset: contacts >> offset for offset in _OFFSETS}
        for kind in sorted(self.pieces(colour)):
            for first, offsets, fits in _HELD[kind]:
                touched = 0
                for offset in offsets:
                    fits &= room[offset]
                    touched |= touch[offset]
                if fits & touched:
                    yield first, fits & touched

    def placements(self, colour: int) -> Iterator[int]:
        """All legal placements, by the first contact they cover and then by number."""
        _, contacts = self._free_and_contacts(colour)
        over: dict[int, list[int]] = {}
        for first, corners in self._corners_of_placements(colour):
            while corners:
                number = first + (corners & -corners).bit_length() - 1
                corners &= corners - 1
                touched = _covered(number) & contacts
                over.setdefault(touched & -touched, []).append(number)
        for contact in sorted(over):
            yield from over[contact]

    def can_place(self, colour: int) -> bool:
        """Whether a colour has any legal placement."""
        return next(self._corners_of_placements(colour), None) is not None

    def legal_moves(self) -> list[Move]:
        """All legal moves in a fixed order; none when the game is over."""
        if self.is_over():
            return []
        passing = [_move(PASS)] if self.may_pass() else []
        return [*map(_move, self.placements(self.colour)), *passing]

    def _wrong_place(self, move: Move) -> Mistake | None:
        """Most moves that are asked about are legal; why others are not, the reference says."""
        if reference.cells_of(move.number) is not None:
            covered = _covered(move.number)
            free, contacts = self._free_and_contacts(self.colour)
            if not covered & ~free and covered & contacts:
                return None
        return super()._wrong_place(move)
