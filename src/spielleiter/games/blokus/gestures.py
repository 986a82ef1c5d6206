"""Moves by hand: take up a piece from the tray, turn it, and lay it down."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from spielleiter.game import Cell, Gesture, Move, Position
from spielleiter.games.blokus.reference import CELLS, NAMES, NUMBER_OF, ORIENTATIONS, PASS, SIDE
from spielleiter.games.blokus.scene import COLOURS, messages, piece_id


def gestures(position: Position) -> tuple[Gesture, ...]:
    """A gesture for every legal move; a pass has no place."""
    colour = _colour_on_turn(position)
    return tuple(
        _gesture(colour, position.action(move), move.text()) for move in position.legal_moves()
    )


def described(position: Position, move: Move) -> Gesture:
    """The gesture of a move, with the name of the piece and where it lies."""
    colour, action = _colour_on_turn(position), position.action(move)
    gesture = _gesture(colour, action, move.text())
    if action == PASS:
        return gesture
    kind, cells = _placed(action)
    piece, (x, y) = messages(f"piece.{NAMES[kind]}"), cells[0]
    label = messages("placed", piece=piece, cell=f"{chr(ord('a') + x)}{y + 1}")
    return replace(gesture, label=label, colour=colour)


def _colour_on_turn(position: Position) -> str:
    turn = int(position.text().split()[1])
    return list(COLOURS.values())[turn % len(COLOURS)]


def _gesture(colour: str, action: int, text: str) -> Gesture:
    if action == PASS:
        return Gesture(text, None, (), messages("pass"))
    kind, cells = _placed(action)
    return Gesture(text, piece_id(colour, NAMES[kind]), cells)


@cache
def _placed(action: int) -> tuple[int, tuple[Cell, ...]]:
    """The piece of a placement and its cells, row by row."""
    number, corner = divmod(action, CELLS)
    held = ORIENTATIONS[number]
    cells = ((x + corner % SIDE, y + corner // SIDE) for x, y in held.shape)
    return held.kind, tuple(sorted(cells, key=lambda cell: (cell[1], cell[0])))


def interpret(position: Position, token: str | None, cells: Sequence[Cell]) -> Move | None:
    """The move that lays a piece of the colour on turn on these cells, on the board or beyond."""
    if token is None:
        return None if cells else position.move_at(PASS)
    colour, _, name = token.partition("-")
    if colour != _colour_on_turn(position) or name not in NAMES or not cells:
        return None
    kind = NAMES.index(name)
    left, top = min(x for x, _ in cells), min(y for _, y in cells)
    number = NUMBER_OF.get((kind, frozenset((x - left, y - top) for x, y in cells)))
    if number is None:
        return None
    if not (0 <= left < SIDE and 0 <= top < SIDE):
        return _off_board(position, number)
    return position.move_at(CELLS * number + SIDE * top + left)


def _off_board(position: Position, number: int) -> Move | None:
    """Places left of the board and above have no move; one beyond the other end is as wrong."""
    is_single = len(ORIENTATIONS[number].shape) == 1
    return None if is_single else position.move_at(CELLS * number + CELLS - 1)
