"""Positions of random games, for tests."""

from __future__ import annotations

import random
from typing import Any

from spielleiter import games

GAME = games.load("reversi")


def late(name: str, lot: random.Random, empties: int) -> Any:
    """A position of a random game with few empty cells, or with as few as the game came to."""
    position = GAME.start(map=name)
    while position.text().split(" ")[0].count("0") > empties and position.legal_moves():
        before = position.copy()
        position.play(lot.choice(position.legal_moves()))
    return position if position.legal_moves() else before
