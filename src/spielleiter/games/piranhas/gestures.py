"""Moves by hand: take up a fish and put it down where it swims to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from spielleiter.game import Cell, Gesture, Move, Position
from spielleiter.games.piranhas.scene import COLUMNS, cells_of_move, fish_id, name_of

_FISH = "fish-"


def gestures(position: Position) -> tuple[Gesture, ...]:
    """A gesture for every legal move."""
    moves = (move for move in position.legal_moves() if position.outcome() is None)
    return tuple(_gesture(move) for move in moves)


def described(position: Position, move: Move) -> Gesture:
    """The gesture of a move, with the fields between which the fish swims."""
    start, target = cells_of_move(move)
    return replace(_gesture(move), label=f"{name_of(start)} → {name_of(target)}")


def _gesture(move: Move) -> Gesture:
    start, target = cells_of_move(move)
    return Gesture(move.text(), fish_id(start), (target,))


def interpret(position: Position, token: str | None, cells: Sequence[Cell]) -> Move | None:
    """The move of that fish to that field; raises TextError if they are not on one line."""
    if token is None or not token.startswith(_FISH) or len(cells) != 1:
        return None
    (x, y) = cells[0]
    if not (0 <= x < len(COLUMNS) and 0 <= y < len(COLUMNS)):
        return None
    return position.move(f"{token.removeprefix(_FISH)}-{name_of((x, y))}")
