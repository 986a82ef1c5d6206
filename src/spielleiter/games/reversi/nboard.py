"""Reversi in the NBoard protocol: a position as a game in GGF that begins with it."""

from __future__ import annotations

from spielleiter.game import Position
from spielleiter.games.reversi.othello import check, move

__all__ = ["check", "game", "move"]

_MARKS = "*O"
"""Black, who is player 1, and white."""


def game(position: Position, seconds: float | None = None) -> str:
    """The position as GGF, with the time that a player has."""
    board = "".join(
        "-" if occupant is None or occupant.seat is None else _MARKS[occupant.seat]
        for occupant in position.cells().values()
    )
    minutes, rest = divmod(max(1, int(seconds or 1)), 60)
    head = f"(;GM[Othello]PC[Spielleiter]PB[black]PW[white]RE[?]TI[{minutes}:{rest:02}]TY[8]"
    return f"{head}BO[8 {board} {_MARKS[position.to_move()]}];)"
