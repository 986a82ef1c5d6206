"""Lapses and guesses of weak players: turns played without search.

A lapse is played greedily. A guess is a random move, but none of those that look worst at once:
beginners do not pass where they can set a piece.
"""

from __future__ import annotations

import random

from spielleiter.bots import greedy
from spielleiter.game import Clock, Move, Position

WHOLE = 1024
"""Lapses and guesses are given per so many positions."""


def lapse(position: Position, lapses: int, seed: int) -> Move | None:
    """The greedy move, if this position is a lapse; otherwise None.

    For a given seed the same positions are lapses, in whatever order they come.
    """
    lot = random.Random(f"{seed}/{position.key()}")
    if lot.randrange(WHOLE) >= lapses:
        return None
    return greedy.Player(seed=lot.randrange(2**32)).choose(position, Clock())


def guess(position: Position, guesses: int, seed: int) -> Move | None:
    """A random move, where this is one of the positions; None elsewhere. Repeatable as `lapse`."""
    lot = random.Random(f"{seed}/{position.key()}/guess")
    if lot.randrange(WHOLE) >= guesses:
        return None
    seat, moves = position.to_move(), greedy.active_moves(position)
    leads = [greedy.lead_after(position, move, seat) for move in moves]
    better = [move for move, lead in zip(moves, leads, strict=True) if lead > min(leads)]
    return lot.choice(better or moves)
