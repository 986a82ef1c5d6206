"""Speed of Reversi: the table of docs/lab/speed.md."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks import peers
from benchmarks.measure import HERE, Rate, Row, rate
from spielleiter import games

GAME = games.load("reversi")
TOGETHER = 2_048
VIEWS = {
    "plane bits": "plane_bits",
    "planes of the board": "board_planes",
    "masks and planes": "planes",
}
"""What is looked at after every step; plane 5 shows the legal moves."""


def rows(c: float) -> Iterator[Row]:
    """Every figure of the table, one thread; `c` is the yardstick of this run."""
    yield from _perft_and_games(c)
    yield from _search(c)
    yield from _against_open_spiel()
    yield from _against_pgx()


def _perft_and_games(c: float) -> Iterator[Row]:
    small, large = GAME.start(), GAME.start(map="p4_15x15_open")
    nodes = rate(lambda: float(small.perft(10)))
    yield Row("reversi 8x8 perft(10), counted leaves, native", nodes / c, "C", 0.4, 0.8, nodes)
    played = rate(lambda: float(large.playouts(5_000, seed=1).games))
    yield Row("reversi 15x15, 4 players: random games", played / c, "C", 1.4e-5, 2.7e-5, played)
    nodes = rate(lambda: float(large.perft(7)))
    yield Row("reversi 15x15, 4 players: perft(7)", nodes / c, "C", 0.08, 0.18, nodes)


def _search(c: float) -> Iterator[Row]:
    """The middle of a game with full judgement, and the end solved to the last stone."""
    engine = GAME.native.Engine(table=16)
    nodes = rate(lambda: _searched(engine, _random_position(46), nodes=2_000_000))
    yield Row("reversi 8x8 search in the middle game", nodes / c, "C", 0.02, 0.04, nodes)
    nodes = rate(lambda: _searched(engine, _random_position(20)))
    yield Row("reversi 8x8 endgame solver, 20 empty cells", nodes / c, "C", 0.06, 0.1, nodes)


def _searched(engine: Any, position: Any, nodes: int | None = None) -> float:
    engine.forget()
    return float(engine.search(position, nodes=nodes).nodes)


def _random_position(empty: int) -> Any:
    """A position of a fixed random game with so many empty cells."""
    lot, position = random.Random(1), GAME.start()
    for _ in range(60 - empty):
        position.play(lot.choice(position.legal_moves()))
    return position


def _against_open_spiel() -> Iterator[Row]:
    peer = peers.run(peers.python("open_spiel==2.0.2"), HERE / "scripts" / "open_spiel_othello.py")
    start = GAME.start()
    played = rate(lambda: float(start.playouts(100_000, seed=1).games))
    ratio = played / peer["rollouts"]
    yield Row("reversi 8x8 random games, native", ratio, "open_spiel", 30, 120, played)
    stepped = rate(lambda: _stepped(start))
    ratio = stepped / peer["stepped"]
    yield Row("reversi 8x8 games stepped from Python", ratio, "open_spiel", 2, 5, stepped)


def _against_pgx() -> Iterator[Row]:
    script = HERE / "scripts" / "pgx_othello.py"
    peer = peers.run(peers.python("pgx==2.6.0"), script, str(TOGETHER))
    actions, alive = _trajectory()
    steps = _step_rate(actions, alive)
    yield Row("reversi 8x8 batch steps, masks", steps / peer["steps"], "pgx", 10, 50, steps)
    for what, view in VIEWS.items():
        seen = _step_rate(actions, alive, view)
        yield Row(f"reversi 8x8 batch steps, {what}", seen / peer["steps"], "pgx", 10, 50, seen)


def _stepped(start: Any) -> int:
    lot = random.Random(1)
    for _ in range(200):
        position = start.copy()
        while moves := position.legal_moves():
            position.play(lot.choice(moves))
    return 200


def _trajectory() -> tuple[list[Any], int]:
    """The actions of random games, drawn beforehand, and how many of them are moves."""
    lot = np.random.default_rng(2)
    batch, actions, alive = GAME.batch(TOGETHER), [], 0
    while not batch.done.all():
        chances = lot.random(batch.mask.shape) * batch.mask
        actions.append(chances.argmax(axis=1).astype(np.int32))
        alive += int((~batch.done).sum())
        batch.step(actions[-1])
    return actions, alive


def _step_rate(actions: list[Any], alive: int, view: str | None = None) -> Rate:
    """Steps a second of processor time, measured as the peer's script does: the games are there."""
    rates = []
    for _ in range(9):
        batch = GAME.batch(TOGETHER, masks=view in (None, "planes"))
        begin = time.process_time()
        for action in actions:
            batch.step(action)
            if view is not None:
                getattr(batch, view)  # written when somebody looks
        rates.append(alive / (time.process_time() - begin))
    return Rate(rates)
