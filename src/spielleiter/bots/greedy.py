"""One ply ahead: the move after which the score is best."""

from __future__ import annotations

import random

from spielleiter.game import Bot, Clock, Move, Position, Seat

WIN = 1_000_000


class Player(Bot):
    """Takes a win, avoids a loss, otherwise the largest lead; equals are drawn from the seed."""

    name = "greedy"

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)

    def choose(self, position: Position, clock: Clock) -> Move:
        """A move with the best lead right after it; ties are drawn by lot."""
        seat = position.to_move()
        values = [(lead_after(position, move, seat), move) for move in active_moves(position)]
        best = max(value for value, _ in values)
        return self._random.choice([move for value, move in values if value == best])


def active_moves(position: Position) -> list[Move]:
    """The legal moves; a pass only where there is nothing else.

    It gains nothing, but it may put off the end of a game that is lost.
    """
    moves = list(position.legal_moves())
    return [move for move in moves if move.text() != "pass"] or moves


def lead_after(position: Position, move: Move, seat: Seat) -> int:
    """Lead of a seat after a move: its score less the best score of the others."""
    after = position.after(move)
    if (outcome := after.outcome()) is not None and outcome.winner is not None:
        return WIN if outcome.winner == seat else -WIN
    scores = after.scores()
    return int(scores[seat] - max(scores[:seat] + scores[seat + 1 :]))
