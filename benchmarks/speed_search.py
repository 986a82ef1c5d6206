"""Speed of search: nodes of alpha-beta, games of tree search, in the middle of a game."""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from benchmarks.measure import REPEATS, Row, rate
from spielleiter import games, native
from spielleiter.game import Game

AMOUNTS = {"Engine": 1_000_000, "Mcts": 3_000}
"""Nodes, or games played out."""
MUST = {"Engine": (0.012, 0.03), "Mcts": (2.2e-5, 4.4e-5)}
"""Ratios to C that are wanted, of the hardest game of a kind."""
TWO_THREADS = (1.3, 1.8)
"""How many times as fast two threads are wanted to be, on two cores with nothing else to do."""


def rows(yardstick: float) -> Iterator[Row]:
    """Two rows for each engine of each game: one thread against C, two against one."""
    flavour = native.wanted()[0]
    for name in games.names():
        game = games.load(name)
        for kind in (kind for kind in AMOUNTS if hasattr(game.native, kind)):
            speed = rate(work(game, kind))
            title = f"{name}: {kind}, full strength, ply 12"
            yield Row(title, speed / yardstick, "C", *MUST[kind], speed, flavour)
            one, two = (by_the_clock(work(game, kind, threads)) for threads in (1, 2))
            title = f"{name}: {kind}, two threads, ply 12"
            yield Row(title, two / one, "one thread", *TWO_THREADS, two, flavour)


def work(game: Game, kind: str, threads: int = 1) -> Callable[[], float]:
    """A search of a fixed amount from nothing; tells how much it was."""
    position = middle(game)
    engine = getattr(game.native, kind)(table=64, threads=threads)

    def run() -> float:
        engine.forget()
        return float(engine.search(position, nodes=AMOUNTS[kind]).nodes)

    return run


def by_the_clock(work: Callable[[], float]) -> float:
    """Median of what `work` achieves per second that passes: threads share these."""
    rates = []
    for _ in range(REPEATS):
        begin = perf_counter()
        rates.append(work() / (perf_counter() - begin))
    return statistics.median(rates)


def middle(game: Game) -> Any:
    """The position after twelve random plies of a fixed game."""
    lot = random.Random(1)
    position = game.start(seed=1)
    for _ in range(12):
        position.play(lot.choice(position.legal_moves()))
    return position
