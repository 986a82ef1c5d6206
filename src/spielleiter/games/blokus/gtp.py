"""Blokus in the Go Text Protocol, as Pentobi's engine speaks it.

The colours are 1 to 4 (blue, yellow, red, green), a move is the list of its fields (`e8,d9,e9`),
with a1 in the lower left corner. Pentobi's colours begin in fixed corners with any piece; the
contest prescribes the piece and leaves the place free. So the first piece of a colour is placed for
the engine, and the engine is told to accept first pieces anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator

from spielleiter.errors import TextError
from spielleiter.game import Cell, Move, Position

GAME = "Blokus Two-Player"
OTHER: dict[str, str] = {}
SETTINGS = ("param_base accept_illegal 1", "param_base resign 0")
_COLOURS = "BYRG"


def check(position: Position) -> None:
    """Every edition is played."""


def plays(before: Position | None, position: Position) -> list[tuple[str, str]] | None:
    """The pieces that came onto the board, colour by colour; None if one was taken off it."""
    old = set() if before is None else set(_pieces(before))
    new = list(_pieces(position))
    return [each for each in new if each not in old] if old <= set(new) else None


def colour(position: Position) -> str:
    """The colour on turn, by its number."""
    return str(position.ply % len(_COLOURS) + 1)


def opening(position: Position) -> Move | None:
    """The first piece of a colour: in a corner, if one is free, else the first legal one."""
    number = position.ply % len(_COLOURS)
    if any(found == _COLOURS[number] for found, _ in _groups(position)):
        return None
    moves = list(position.legal_moves())
    last = position.rows - 1
    corners = {(0, 0), (0, last), (last, 0), (last, last)}
    return max(moves, key=lambda move: bool(corners & set(_cells(move))))


def move(position: Position, text: str) -> Move:
    """The move that an engine's answer means."""
    if text.lower() == "pass":
        return position.move("pass")
    wanted = text.lower()
    for each in position.legal_moves():
        if _cells(each) and _text(_cells(each), position.rows) == _sorted(wanted):
            return each
    raise TextError("this is no legal move")


def _cells(move: Move) -> tuple[Cell, ...]:
    cells: tuple[Cell, ...] = move.cells  # type: ignore[attr-defined]
    return cells


def _text(cells: tuple[Cell, ...], rows: int) -> str:
    """A piece as the list of its fields, in the order a1, b1, …, a2."""
    fields = sorted((rows - row, column) for column, row in cells)
    return ",".join(f"{chr(ord('a') + column)}{row}" for row, column in fields)


def _sorted(text: str) -> str:
    """The same list of fields in the usual order."""
    fields = [each.strip() for each in text.split(",")]
    if not all(each[:1].isalpha() and each[1:].isdecimal() for each in fields):
        raise TextError("expected fields such as e8,d9,e9 or pass")
    return ",".join(sorted(fields, key=lambda each: (int(each[1:]), each[0])))


def _pieces(position: Position) -> Iterator[tuple[str, str]]:
    """Every piece on the board: its colour and its fields."""
    for colour, cells in _groups(position):
        yield str(_COLOURS.index(colour) + 1), _text(cells, position.rows)


def _groups(position: Position) -> Iterator[tuple[str, tuple[Cell, ...]]]:
    """The pieces: those of a colour touch at corners only, so each is a group of its own."""
    left = {
        cell: occupant.text() for cell, occupant in position.cells().items() if occupant is not None
    }
    while left:
        first, colour = next(iter(left.items()))
        group = [first]
        del left[first]
        for column, row in group:
            for cell in (
                (column + 1, row),
                (column - 1, row),
                (column, row + 1),
                (column, row - 1),
            ):
                if left.get(cell) == colour:
                    del left[cell]
                    group.append(cell)
        yield colour, tuple(group)
