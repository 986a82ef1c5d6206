"""Positions that turn into each other if the board is turned or mirrored are one position.

A game's folder says in `symmetries.py` which turns of the board leave its rules as they are:
`SYMMETRIES`, some of `mirror` (left and right change places), `flip` (top and bottom) and
`transpose` (rows become columns; square boards only). Without that file there are none.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from hashlib import blake2b
from importlib.util import find_spec
from operator import itemgetter
from zlib import crc32

from spielleiter.game import Game, Position

TRACE = 0xFFFF
"""The bits of a key that are its trace."""
Order = tuple[int, ...]
"""For each cell of the turned board, row by row, which cell of the board lies there."""


class BoardSymmetries:
    """The symmetries of a game, and the key that symmetric positions share."""

    def __init__(self, game: Game) -> None:
        known = find_spec(f"{game.folder}.symmetries") is not None
        self._names: tuple[str, ...] = game.part("symmetries").SYMMETRIES if known else ()

    def key(self, position: Position) -> int:
        """The same number for symmetric positions, within 64 bits with a sign."""
        text = position.text()
        return (text_key(self.texts(text)[0]) & ~TRACE) | trace(text)

    def texts(self, text: str) -> list[str]:
        """A position's text and its symmetric ones, in order: the first stands for all."""
        board, space, rest = text.partition(" ")
        rows = board.split("/")
        cells, columns = "".join(rows), len(rows[0])
        if len(cells) != columns * len(rows):
            return [text]
        turns = _turns(self._names, columns, len(rows))
        turned = [_board("".join(turn(cells)), width) for turn, width in turns]
        return [each + space + rest for each in sorted({board, *turned})]


def trace(text: str) -> int:
    """The last bits of a position's key, found without turning the board.

    They depend on what lies there and not on where, so most moves that lead elsewhere are told
    apart from those that lead to a known position by this alone.
    """
    board, _, rest = text.partition(" ")
    return crc32(rest.encode(), sum(board.encode())) & TRACE


def text_key(text: str) -> int:
    """A number for a text."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def _board(cells: str, columns: int) -> str:
    return "/".join([cells[at : at + columns] for at in range(0, len(cells), columns)])


@functools.cache
def _turns(
    names: tuple[str, ...], columns: int, rows: int
) -> Sequence[tuple[Callable[[str], tuple[str, ...]], int]]:
    """Every turn of a board but the first, which leaves it as it is, and its new width."""
    return [(itemgetter(*order), width) for order, width in _group(names, columns, rows)[1:]]


def _group(names: tuple[str, ...], columns: int, rows: int) -> list[tuple[Order, int]]:
    """All that the named turns make of a board, one after the other."""
    identity = tuple(range(columns * rows))
    found = [(identity, columns)]
    for order, width in found:
        height = len(order) // width
        for name in names:
            if name == "transpose" and width != height:
                continue
            turned = tuple(order[at] for at in _step(name, width, height))
            if turned not in [each for each, _ in found]:
                found.append((turned, height if name == "transpose" else width))
    return found


def _step(name: str, width: int, height: int) -> Order:
    cells = [(row, column) for row in range(height) for column in range(width)]
    if name == "mirror":
        return tuple(row * width + width - 1 - column for row, column in cells)
    if name == "flip":
        return tuple((height - 1 - row) * width + column for row, column in cells)
    return tuple(column * width + row for row, column in cells)
