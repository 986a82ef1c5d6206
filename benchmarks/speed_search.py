"""Speed of search: nodes of alpha-beta, games of tree search, in the middle of a game; ends."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

from benchmarks.measure import REPEATS, Rate, Row, rate
from spielleiter import games, native
from spielleiter.game import Game

AMOUNTS = {"Engine": 1_000_000, "Mcts": 3_000}
"""Nodes, or games played out."""
MUST = {"Engine": (0.012, 0.03), "Mcts": (2.2e-5, 4.4e-5)}
"""Ratios to C that are wanted, of the hardest game of a kind."""
MUST_OF = {("reversi", "Engine"): (0.02, 0.04)}
"""Where a game has wishes of its own."""
TWO_THREADS = (1.3, 1.8)
"""How many times as fast two threads are wanted to be, on two cores with nothing else to do."""
SOLVED = {"reversi": 18}
"""Games whose ends are solved exactly, and from how many empty cells it is measured."""
ENDS = (0.06, 0.12)
"""Nodes of solving, as ratios to C."""


def rows(yardstick: float) -> Iterator[Row]:
    """Two rows for each engine of each game: one thread against C, two against one."""
    flavour = native.wanted()[0]
    for name in games.names():
        game = games.load(name)
        for kind in (kind for kind in AMOUNTS if hasattr(game.native, kind)):
            speed = rate(work(game, kind))
            title = f"{name}: {kind}, full strength, ply 12"
            wanted = MUST_OF.get((name, kind), MUST[kind])
            yield Row(title, speed / yardstick, "C", *wanted, speed, flavour)
            one, two = (by_the_clock(work(game, kind, threads)) for threads in (1, 2))
            title = f"{name}: {kind}, two threads, ply 12"
            yield Row(title, two / one, "one thread", *TWO_THREADS, two, flavour)
    for name, empties in SOLVED.items():
        game = games.load(name)
        speed = rate(solving(game, empties))
        title = f"{name}: ends solved, {empties} empty cells"
        yield Row(title, speed / yardstick, "C", *ENDS, speed, flavour)
        one, two = (by_the_clock(solving(game, empties, n, times=1.0)) for n in (1, 2))
        title = f"{name}: ends solved, two threads, by time"
        yield Row(title, two / one, "one thread", *TWO_THREADS, two, flavour)


def solving(game: Game, empties: int, threads: int = 1, times: float = 0.0) -> Callable[[], float]:
    """Solves three ends from nothing; tells how many nodes it took, or `times` if that is given.

    Threads visit nodes of their own, so it is the time to the answer that shows what they gain.
    """
    positions = [late(game, empties, seed) for seed in range(3)]
    engine = game.native.Engine(table=64, threads=threads)

    def run() -> float:
        nodes = 0
        for position in positions:
            engine.forget()
            nodes += engine.search(position).nodes
        return times or float(nodes)

    return run


def late(game: Game, empties: int, seed: int) -> Any:
    """A position of a random game with so many cells left to play on."""
    lot = random.Random(seed)
    position = game.start(seed=1)
    while position.text().split()[0].count("0") > empties:
        position.play(lot.choice(position.legal_moves()))
    return position


def work(game: Game, kind: str, threads: int = 1) -> Callable[[], float]:
    """A search of a fixed amount from nothing; tells how much it was."""
    position = middle(game)
    engine = getattr(game.native, kind)(table=64, threads=threads)

    def run() -> float:
        engine.forget()
        return float(engine.search(position, nodes=AMOUNTS[kind]).nodes)

    return run


def by_the_clock(work: Callable[[], float]) -> Rate:
    """Median of what `work` achieves per second that passes: threads share these."""
    rates = []
    for _ in range(REPEATS):
        begin = perf_counter()
        rates.append(work() / (perf_counter() - begin))
    return Rate(rates)


def middle(game: Game) -> Any:
    """The position after twelve random plies of a fixed game."""
    lot = random.Random(1)
    position = game.start(seed=1)
    for _ in range(12):
        position.play(lot.choice(position.legal_moves()))
    return position
