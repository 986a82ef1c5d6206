"""Positions of random games, for tests."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from spielleiter import games


def positions(count: int) -> Iterator[Any]:
    """From random games, up to the end."""
    for number in range(count):
        lot = random.Random(number)
        position = games.load(("blokus-2021", "blokus-2027")[number % 2]).start(number)
        for _ in range(number * 3):
            if position.outcome() is None:
                position.play(lot.choice(position.legal_moves()))
        if position.outcome() is None:
            yield position
