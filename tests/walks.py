"""Random walks through games, from explicit seeds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from spielleiter.game import Game, Option


def starts(game: Game, count: int, seed: int) -> Iterator[Any]:
    """Start positions by lot, over all choices of the set-up."""
    lot = random.Random(seed)
    for _ in range(count):
        chosen = {
            option.name: lot.choice(option.choices()) for option in game.options if wide(option)
        }
        yield game.start(lot.randrange(2**64), **chosen)


def wide(option: Option) -> bool:
    """Whether an option offers a list to choose from."""
    return bool(option.choices())


def walk(position: Any, lot: random.Random) -> Iterator[Any]:
    """The position itself, changed by random moves until the game is over or stuck."""
    yield position
    while moves := position.legal_moves():
        position.play(lot.choice(moves))
        yield position


def positions(game: Game, plies: int, seed: int) -> Iterator[Any]:
    """About `plies` positions of random games, each a copy of its own."""
    seen, round_ = 0, 0
    while seen < plies:
        lot = random.Random(f"{seed}/{round_}")
        for start in starts(game, 1, seed=lot.randrange(2**32)):
            for position in walk(start, lot):
                yield position.copy()
                seen += 1
        round_ += 1


def near_the_end(game: Game, plies: int) -> str:
    """A position in which a random game of the usual set-up has so many plies left."""
    seen = [position.text() for position in walk(game.start(1), random.Random(1))]
    return str(seen[-1 - plies])
