"""Reversi in the Go Text Protocol, as Othello engines speak it: B begins, moves are a1 to h8."""

from __future__ import annotations

from itertools import chain

from spielleiter.game import Move, Position
from spielleiter.games.reversi.othello import check, move, stones

__all__ = ["GAME", "OTHER", "SETTINGS", "check", "colour", "move", "opening", "plays"]

GAME = "Othello"
SETTINGS: tuple[str, ...] = ()
OTHER = {"B": "W", "W": "B"}
_START = "00000000/00000000/00000000/00021000/00012000/00000000/00000000/00000000 2 1 -"
_MOST = 4
"""At most so many moves are searched for between two turns of an engine."""


def colour(position: Position) -> str:
    """The colour to move."""
    return "BW"[position.to_move()]


def opening(position: Position) -> Move | None:
    """No opening is prescribed."""
    return None


def plays(before: Position | None, position: Position) -> list[tuple[str, str]] | None:
    """The moves between two positions; None if there are too many."""
    known = type(position).parse(_START, position.edition) if before is None else before  # type: ignore[attr-defined]
    count = _count(position) - _count(known)
    return _found(known, position, count) if 0 <= count <= _MOST else None


def _found(known: Position, position: Position, count: int) -> list[tuple[str, str]] | None:
    """Every move adds one stone, so the number of moves is known."""
    if count == 0:
        return [] if known.text() == position.text() else None
    there = set(chain(stones(position, 0), stones(position, 1)))
    for each in known.legal_moves():
        if each.text() in there:
            rest = _found(known.after(each), position, count - 1)
            if rest is not None:
                return [(colour(known), each.text()), *rest]
    return None


def _count(position: Position) -> int:
    return len(stones(position, 0)) + len(stones(position, 1))
