"""Turns without thought: a weak player takes what counts most at once, whatever the reply is."""

from __future__ import annotations

import random

from spielleiter.bots import greedy
from spielleiter.game import Clock, Move, Position

WHOLE = 1024
"""Lapses are counted of so many positions."""


def lapse(position: Position, lapses: int, seed: int) -> Move | None:
    """The move that comes to mind first, where this is one of the positions; None elsewhere.

    To a player of a seed they are always the same ones, in whatever order they come.
    """
    lot = random.Random(f"{seed}/{position.key()}")
    if lot.randrange(WHOLE) >= lapses:
        return None
    return greedy.Player(seed=lot.randrange(2**32)).choose(position, Clock())
