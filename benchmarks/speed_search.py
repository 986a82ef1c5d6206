"""Speed of search: nodes of alpha-beta, games of tree search, in the middle of a game."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.measure import REPEATS, Row, rate
from spielleiter import games, native
from spielleiter.game import Game

NODES = 1_000_000
SIMULATIONS = 3_000
SECONDS = 0.5
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
        if hasattr(game.native, "Engine"):
            yield speed_up(name, game)


def work(game: Game, kind: str, amount: int) -> Callable[[], float]:
    """A search of so many nodes or games from nothing; tells how many there were."""
    position = middle(game)
    engine = getattr(game.native, kind)(table=64)

    def run() -> float:
        engine.forget()
        return float(engine.search(position, nodes=amount).nodes)

    return run


def speed_up(name: str, game: Game) -> Row:
    """Nodes of two threads against those of one, in the same time on the wall."""
    position = middle(game)
    engines = [game.native.Engine(table=64, threads=threads) for threads in (1, 2)]
    ratios, nodes = [], 0
    for _ in range(REPEATS):
        one, two = (engine.search(position, time=SECONDS).nodes for engine in engines)
        ratios.append(two / one)
        nodes = two
        for engine in engines:
            engine.forget()
    ratio = statistics.median(ratios)
    what = f"{name}: Engine, two threads"
    return Row(what, ratio, "one thread", 1.5, 1.9, nodes / SECONDS, native.wanted()[0])


def middle(game: Game) -> Any:
    """The position after twelve random plies of a fixed game."""
    lot = random.Random(1)
    position = game.start(seed=1)
    for _ in range(12):
        position.play(lot.choice(position.legal_moves()))
    return position
