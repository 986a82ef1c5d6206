"""Lapses of weak players: turns played greedily, without search."""

from __future__ import annotations

import random

from spielleiter.bots import greedy
from spielleiter.game import Clock, Move, Position

WHOLE = 1024
"""Lapses are given per so many positions."""


def lapse(position: Position, lapses: int, seed: int) -> Move | None:
    """The greedy move, if this position is a lapse; otherwise None.

    For a given seed the same positions are lapses, in whatever order they come.
    """
    lot = random.Random(f"{seed}/{position.key()}")
    if lot.randrange(WHOLE) >= lapses:
        return None
    return greedy.Player(seed=lot.randrange(2**32)).choose(position, Clock())
