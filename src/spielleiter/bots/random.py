"""Any legal move, all equally likely."""

from __future__ import annotations

import random

from spielleiter.game import Bot, Clock, Move, Position


class Player(Bot):
    """Draws from its seed alone."""

    name = "random"

    def __init__(self, seed: int = 0) -> None:
        self._drawn = random.Random(seed).choice

    def choose(self, position: Position, clock: Clock) -> Move:
        """Any legal move, each as likely as the others."""
        return self._drawn(position.legal_moves())
