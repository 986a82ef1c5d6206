"""What a move does wrong, in words of the game: each is decided by counting corners and squares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from spielleiter.game import Cell
from spielleiter.text import Messages, Text

if TYPE_CHECKING:
    from spielleiter.games.blokus._core import Move, Position

messages: Final = Messages(__package__, "motif.")
_OPENING, _END = 20, 52
"""Plies at which phases change; a game has at most 84 placements."""
_CORNERS, _REGION = 3, 12
"""From so many corners or squares on a difference is worth a word. Guessed."""
_BESIDE = ((1, 0), (-1, 0), (0, 1), (0, -1))
_DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))


def phase(position: Position) -> str:
    """`opening`, `middle` or `end`."""
    if position.ply < _OPENING:
        return "opening"
    return "middle" if position.ply < _END else "end"


def motifs(before: Position, move: Move, better: Move) -> Iterator[Text]:
    """What the move did that the better one would not have done, the gravest first."""
    if move.is_pass and not better.is_pass:
        yield messages("passed")
        return
    if better.is_pass:
        return
    colour = before.colour_to_move()
    after, instead = before.after(move), before.after(better)
    if len(move.cells) < len(better.cells):
        values = {"squares": len(move.cells), "possible": len(better.cells)}
        yield messages("small-piece", **values)
    yield from _region(after, instead, colour)
    own, possible = len(_corners(after, colour)), len(_corners(instead, colour))
    if possible - own >= _CORNERS:
        yield messages("few-corners", corners=own, possible=possible)
    opened, closed = _others(after, colour), _others(instead, colour)
    if opened - closed >= _CORNERS:
        yield messages("corners-left", corners=opened, possible=closed)


def _region(after: Position, instead: Position, colour: str) -> Iterator[Text]:
    reached, possible = _reached(after, colour), _reached(instead, colour)
    if possible - reached >= _REGION:
        yield messages("region-closed", squares=reached, possible=possible)


def _others(position: Position, colour: str) -> int:
    """Corners of the opponent's colours: every second colour is the opponent's."""
    order = ("blue", "yellow", "red", "green")
    own = order.index(colour) % 2
    return sum(len(_corners(position, other)) for at, other in enumerate(order) if at % 2 != own)


def _free(position: Position, colour: str) -> set[Cell]:
    """Empty squares that do not lie beside the colour."""
    beside = set(_around(position.squares(colour), _BESIDE))
    return {cell for cell, there in position.cells().items() if there is None} - beside


def _corners(position: Position, colour: str) -> set[Cell]:
    """Where the next piece of a colour can begin."""
    return _free(position, colour) & set(_around(position.squares(colour), _DIAGONAL))


def _reached(position: Position, colour: str) -> int:
    """How many free squares are connected with a corner of the colour."""
    free, waiting = _free(position, colour), list(_corners(position, colour))
    found = set(waiting)
    while waiting:
        for cell in _around([waiting.pop()], _BESIDE):
            if cell in free and cell not in found:
                found.add(cell)
                waiting.append(cell)
    return len(found)


def _around(cells: Iterable[Cell], steps: Iterable[Cell]) -> Iterator[Cell]:
    for column, row in cells:
        for right, down in steps:
            yield column + right, row + down
