"""How a position of ours lies on Pentobi's board.

Pentobi prunes first moves by the corner in which a colour starts there: blue upper left, yellow
upper right, red lower right, green lower left. So the pieces of a position either all lie in these
corners or none of them lies in the corner of its colour, which switches that pruning off.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

SIDE = 20
COLOURS = "BYRG"
CORNERS = ((0, 0), (SIDE - 1, 0), (SIDE - 1, SIDE - 1), (0, SIDE - 1))

Cell = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Symmetry:
    """One of the eight of a square: quarter turns, then perhaps a reflection in the diagonal."""

    turns: int = 0
    transposed: bool = False

    def map(self, cell: Cell) -> Cell:
        x, y = cell
        for _ in range(self.turns):
            x, y = SIDE - 1 - y, x
        return (y, x) if self.transposed else (x, y)

    def back(self, cell: Cell) -> Cell:
        x, y = cell[::-1] if self.transposed else cell
        for _ in range(self.turns):
            x, y = y, SIDE - 1 - x
        return x, y


SYMMETRIES = tuple(
    Symmetry(turns, transposed) for turns in range(4) for transposed in (False, True)
)


def pieces(position: Any) -> dict[int, list[set[Cell]]]:
    """What lies on the board, by colour: pieces of one colour never touch along an edge."""
    laid = {cell: held.colour[0] for cell, held in position.cells().items() if held is not None}
    found: dict[int, list[set[Cell]]] = {colour: [] for colour in range(4)}
    while laid:
        cell, colour = next(iter(laid.items()))
        piece, edge = set[Cell](), [cell]
        while edge:
            x, y = edge.pop()
            if laid.get((x, y)) == colour:
                del laid[x, y]
                piece.add((x, y))
                edge += [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        found[COLOURS.index(colour.upper())].append(piece)
    return found


def symmetry_for(position: Any) -> Symmetry | None:
    """One that suits Pentobi's pruning of first moves; None if there is none."""
    lies = {colour: set().union(*own) for colour, own in pieces(position).items()}
    at_home = {
        symmetry: sum(CORNERS[colour] in map(symmetry.map, cells) for colour, cells in lies.items())
        for symmetry in SYMMETRIES
    }
    everybody = position.edition == "blokus-2021"
    wanted = len(CORNERS) if everybody else 0
    return next((symmetry for symmetry, count in at_home.items() if count == wanted), None)


def field_names(cells: Iterable[Cell], symmetry: Symmetry) -> str:
    """As Pentobi's files have them: `a1` is lower left, and a file lists fields in that order."""
    mapped = sorted((symmetry.map(cell) for cell in cells), key=lambda cell: (-cell[1], cell[0]))
    return ",".join(f"{chr(ord('a') + x)}{SIDE - y}" for x, y in mapped)


def fields_of(names: str, symmetry: Symmetry) -> set[Cell]:
    """Our cells for the fields of a move in Pentobi's file."""
    return {
        symmetry.back((ord(name[0]) - ord("a"), SIDE - int(name[1:]))) for name in names.split(",")
    }
