"""Moves by hand: point at the lowest stone that is to go; those above it go with it."""

from __future__ import annotations

from collections.abc import Sequence

from spielleiter.game import Cell, Gesture, Move, Position


def gestures(position: Position) -> tuple[Gesture, ...]:
    """A gesture for every legal move."""
    heaps = _heaps(position)
    return tuple(_gesture(heaps, move.text()) for move in position.legal_moves())


def _gesture(heaps: list[int], text: str) -> Gesture:
    heap, taken = "ABC".index(text[0]), int(text[1:])
    return Gesture(text, None, ((heap, heaps[heap] - taken),))


def interpret(position: Position, token: str | None, cells: Sequence[Cell]) -> Move | None:
    """The move that takes this stone and all above it."""
    heaps = _heaps(position)
    if token is not None or len(cells) != 1 or not 0 <= cells[0][0] < len(heaps):
        return None
    x, y = cells[0]
    taken = heaps[x] - y
    return position.move(f"{'ABC'[x]}{taken}") if 1 <= taken <= 9 else None


def _heaps(position: Position) -> list[int]:
    stones = [x for (x, _), lies in position.cells().items() if lies is not None]
    return [stones.count(x) for x in range(position.columns)]
