"""Speed of search: nodes of alpha-beta, games of tree search, in the middle of a game."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.measure import Row, rate
from spielleiter import games, native
from spielleiter.game import Game

NODES = 1_000_000
SIMULATIONS = 3_000
MUST = {"Engine": (0.012, 0.03), "Mcts": (2.2e-5, 4.4e-5)}
"""Ratios to C that are wanted, of the hardest game of a kind."""


def rows(yardstick: float) -> Iterator[Row]:
    """One row for each engine of each game."""
    for name in games.names():
        game = games.load(name)
        for kind, amount in (("Engine", NODES), ("Mcts", SIMULATIONS)):
            if hasattr(game.native, kind):
                speed = rate(work(game, kind, amount))
                must, aim = MUST[kind]
                yield Row(
                    f"{name}: {kind}, full strength, ply 12",
                    speed / yardstick,
                    "C",
                    must,
                    aim,
                    speed,
                    native.wanted()[0],
                )


def work(game: Game, kind: str, amount: int) -> Callable[[], float]:
    """A search of so many nodes or games from nothing; tells how many there were."""
    position = middle(game)
    engine = getattr(game.native, kind)(table=64)

    def run() -> float:
        engine.forget()
        return float(engine.search(position, nodes=amount).nodes)

    return run


def middle(game: Game) -> Any:
    """The position after twelve random plies of a fixed game."""
    lot = random.Random(1)
    position = game.start(seed=1)
    for _ in range(12):
        position.play(lot.choice(position.legal_moves()))
    return position
