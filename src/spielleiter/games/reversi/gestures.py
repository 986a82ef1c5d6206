"""Moves by hand: a player places a stone on a cell."""

from __future__ import annotations

from collections.abc import Sequence

from spielleiter.game import Cell, Gesture, Move, Position
from spielleiter.games.reversi.scene import cell_of


def gestures(position: Position) -> tuple[Gesture, ...]:
    """A gesture for every legal move."""
    moves = position.legal_moves()
    return tuple(Gesture(move.text(), None, (cell_of(position, move),)) for move in moves)


def described(position: Position, move: Move) -> Gesture:
    """The gesture of a move, with the colour of its stone."""
    colour = f"player {position.to_move() + 1}"
    return Gesture(move.text(), None, (cell_of(position, move),), move.text(), colour)


def interpret(position: Position, token: str | None, cells: Sequence[Cell]) -> Move | None:
    """The move that sets a stone on that cell, which may be a hole or taken."""
    if token is not None or len(cells) != 1:
        return None
    _, height, width = position.planes
    x, y = cells[0]
    return position.move(f"{x},{y}") if 0 <= x < width and 0 <= y < height else None
