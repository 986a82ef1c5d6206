"""What Othello programs can play: two players on an 8 × 8 board without holes."""

from __future__ import annotations

from spielleiter.errors import TextError, UsageError
from spielleiter.game import Move, Position

SIDE = 8
BLACK, WHITE = 0, 1


def check(position: Position) -> None:
    """Raise UsageError if Othello programs cannot play on the board."""
    whole = len(position.cells()) == SIDE * SIDE == position.columns * position.rows
    if not whole or position.seats != 2:
        raise UsageError("Othello programs know the board of 8 × 8 cells for two players only")


def stones(position: Position, seat: int) -> list[str]:
    """Where the stones of a seat lie, as a1 to h8."""
    return [
        f"{chr(ord('a') + column)}{row + 1}"
        for (column, row), occupant in position.cells().items()
        if occupant is not None and occupant.seat == seat
    ]


def move(position: Position, text: str) -> Move:
    """The move that an engine's answer means; a player who can move has to move."""
    if text.lower() in ("pass", "pa"):
        raise TextError("there is a legal move, so nobody passes")
    return position.move(text.lower())
