"""What was wrong with a move, in the words of the game, decided by cells and moves alone.

A corner is a cell whose stone can never be turned, since no line passes through it; on a map with
holes there are more of them than four.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from spielleiter.game import Cell, Seat
from spielleiter.text import Messages, Text

if TYPE_CHECKING:
    from spielleiter.games.reversi._core import Move, Position

messages: Final = Messages(__package__, "motif.")
_AXES = ((1, 0), (0, 1), (1, 1), (1, -1))
_MOBILITY, _OWN_MOVES, _EDGE, _FRONTIER = 2, 4, 2, 2
"""From so many moves or stones on a difference is worth a word; in the opening a move or a stone
at an empty cell less will do. Of 38 moves that gave away a tenth of the chance 42 % leave the
opponent another move and 71 % another stone to turn; of 11 that gave away little, none and two."""
_TURNED = 3
"""From so many stones of one's own on that the next player can turn it is worth a word. Guessed."""
_PARITY = 16
"""With at most so many empty cells it matters who has the last move in a region. Guessed."""


def phase(position: Position) -> str:
    """`opening`, `middle` or `end`, by thirds of the cells that are filled."""
    cells = position.cells()
    filled = sum(there is not None for there in cells.values())
    return ("opening", "middle", "end")[min(2, 3 * filled // max(1, len(cells)))]


def motifs(before: Position, move: Move, better: Move) -> Iterator[Text]:
    """What the move did that the better one would not have done, the gravest first."""
    seat, corners = before.to_move(), corner_cells(before)
    after, instead = before.after(move), before.after(better)
    if _is_wiped_out(after, seat) and not _is_wiped_out(instead, seat):
        yield _message(before, "wiped-out")
    if better.cell in corners and move.cell not in corners:
        yield messages("missed-corner", cell=better.text())
    given = _targets(after, seat) & corners - _targets(instead, seat) - {better.cell}
    if given:
        yield messages("corner-given", cell=_named(after, min(given)))
    elif (stones := _edge(after, seat, corners)) - _edge(instead, seat, corners) >= _EDGE:
        yield _message(before, "edge-given", stones=stones)
    elif _beside(before, move.cell, corners) and not _beside(before, better.cell, corners):
        yield messages("beside-corner")
    yield from _mobility(after, instead, seat)
    yield from _own_moves(after, instead, seat)
    yield from _frontier(after, instead, seat)
    yield from _parity(before, move, better)
    yield from _turned(after, instead, seat)


def _message(position: Position, key: str, **values: int) -> Text:
    """The form of a text for two players, or for more, where nobody is *the* opponent."""
    return messages(key if position.seats == 2 else f"{key}-several", **values)


def _beside(before: Position, cell: Cell, corners: set[Cell]) -> bool:
    """Whether an empty corner lies beside a cell."""
    return bool(set(_neighbours(cell)) & corners & _empty(before))


def _frontier(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """Stones beside empty cells give the opponents moves, which matters most in the opening."""
    mine, possible = _open_stones(after, seat), _open_stones(instead, seat)
    least = {"opening": 1, "middle": _FRONTIER}.get(phase(after), mine + 1)
    if mine - possible >= least:
        yield messages("frontier", stones=mine, possible=possible)


def _open_stones(position: Position, seat: Seat) -> int:
    """How many stones of a seat touch an empty cell."""
    empty = _empty(position)
    return sum(not empty.isdisjoint(_neighbours(cell)) for cell in position.stones(seat))


def _empty(position: Position) -> set[Cell]:
    return {cell for cell, there in position.cells().items() if there is None} - set(
        position.holes()
    )


def _neighbours(cell: Cell) -> Iterator[Cell]:
    column, row = cell
    return ((column + x, row + y) for x in (-1, 0, 1) for y in (-1, 0, 1) if x or y)


def corner_cells(position: Position) -> set[Cell]:
    """The cells of the board through which no line passes."""
    cells = _cells(position)
    return {cell for cell in cells if not any(_passes(cells, cell, axis) for axis in _AXES)}


def _cells(position: Position) -> set[Cell]:
    """The cells that stones can lie on."""
    return set(position.cells()) - set(position.holes())


def _passes(cells: set[Cell], cell: Cell, axis: Cell) -> bool:
    (column, row), (right, down) = cell, axis
    return (column + right, row + down) in cells and (column - right, row - down) in cells


def _targets(position: Position, seat: Seat) -> set[Cell]:
    """The moves of the next player, unless that is the seat itself."""
    if position.outcome() is not None or position.to_move() == seat:
        return set()
    return {move.cell for move in position.legal_moves()}


def _replies(position: Position, seat: Seat) -> Iterator[Position]:
    """What the next move can lead to, unless it is the seat's own."""
    if position.outcome() is None and position.to_move() != seat:
        yield from (position.after(move) for move in position.legal_moves())


def _is_wiped_out(position: Position, seat: Seat) -> bool:
    """Whether the next move can turn every stone of a seat."""
    return any(not reply.stones(seat) for reply in _replies(position, seat))


def _own_moves(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """A player with few moves left must soon make a bad one."""
    mine, possible = _fewest_moves(after, seat), _fewest_moves(instead, seat)
    if mine is not None and possible is not None and possible - mine >= _OWN_MOVES:
        yield _message(after, "own-moves", moves=mine, possible=possible)


def _fewest_moves(position: Position, seat: Seat) -> int | None:
    """The fewest moves that a seat can have after the next move; None if it is not to move then."""
    asked = (each for each in _replies(position, seat) if each.outcome() is None)
    return min((len(each.legal_moves()) for each in asked if each.to_move() == seat), default=None)


def _mobility(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    theirs, possible = len(_targets(after, seat)), len(_targets(instead, seat))
    if theirs - possible >= (1 if phase(after) == "opening" else _MOBILITY):
        yield _message(after, "mobility", moves=theirs, possible=possible)


def _edge(position: Position, seat: Seat, corners: set[Cell]) -> int:
    """The most stones in rows from corners that an opponent gains with the next move."""
    mover = position.to_move()
    later = (len(edge_stones(reply, mover, corners)) for reply in _replies(position, seat))
    return max(0, max(later, default=0) - len(edge_stones(position, mover, corners)))


def edge_stones(position: Position, seat: Seat, corners: set[Cell]) -> set[Cell]:
    """Stones of a seat in unbroken rows from a corner along an edge: nobody can turn them."""
    stones, cells = set(position.stones(seat)), _cells(position)
    found = corners & stones
    for column, row in corners & stones:
        for right, down in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            there = column + right, row + down
            while there in stones and _is_edge(cells, there, (abs(right), abs(down))):
                found = found | {there}
                there = there[0] + right, there[1] + down
    return found


def _is_edge(cells: set[Cell], cell: Cell, along: Cell) -> bool:
    """Whether a stone can be turned along one axis at most."""
    return not any(_passes(cells, cell, axis) for axis in _AXES if axis != along)


def _turned(after: Position, instead: Position, seat: Seat) -> Iterator[Text]:
    """Among several the next player chooses whose stones to turn; in a duel moves count more."""
    most, least = _most_turned(after, seat), _most_turned(instead, seat)
    if after.seats > 2 and most - least >= _TURNED:
        yield messages("turned-several", stones=most, possible=least)


def _most_turned(position: Position, seat: Seat) -> int:
    """The most stones of a seat that the next move can turn."""
    own = len(position.stones(seat))
    return max((own - len(reply.stones(seat)) for reply in _replies(position, seat)), default=0)


def _parity(before: Position, move: Move, better: Move) -> Iterator[Text]:
    """Towards the end of a duel the last move in a region is worth having."""
    empty = _empty(before)
    if before.seats != 2 or len(empty) > _PARITY:
        return
    left, possible = _region(empty, move.cell) - 1, _region(empty, better.cell) - 1
    if left % 2 == 1 and possible % 2 == 0:
        yield messages("parity", cells=left)


def _region(empty: set[Cell], cell: Cell) -> int:
    """How many empty cells are connected with this one, itself included."""
    found, waiting = {cell}, [cell]
    while waiting:
        for there in _neighbours(waiting.pop()):
            if there in empty and there not in found:
                found.add(there)
                waiting.append(there)
    return len(found)


def _named(position: Position, cell: Cell) -> str:
    return next(move.text() for move in position.legal_moves() if move.cell == cell)
