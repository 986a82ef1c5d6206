"""Speed of Piranhas: the table of docs/lab/speed.md."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from benchmarks import peers
from benchmarks.measure import HERE, Row, rate
from spielleiter import games

GAME = games.load("piranhas-2026")
PLIES = (0, 16, 32, 46)


def rows(c: float) -> Iterator[Row]:
    """Every figure of the table, one thread; `c` is the yardstick of this run."""
    samples = list(_samples())
    nodes = rate(lambda: sum(position.perft(4) for position in samples))
    yield Row("piranhas perft(4), counted leaves, native", nodes / c, "C", 0.3, 2, nodes)
    start = samples[0]
    played = rate(lambda: float(start.playouts(10_000, seed=1).games))
    yield Row("piranhas random games, native", played / c, "C", 5e-5, 5e-4, played)
    peer = peers.run(
        peers.python("socha==4.3.9", "setuptools<70"),
        HERE / "scripts" / "socha_piranhas.py",
        start.text(),
    )
    lists = rate(lambda: _lists(start))
    against = "socha 4.3.9"
    yield Row("piranhas legal moves from Python", lists / peer["lists"], against, 10, 20, lists)
    stepped = rate(lambda: _stepped(start))
    yield Row("piranhas games from Python", stepped / peer["games"], against, 10, 15, stepped)
    read = rate(lambda: _read(start))
    yield Row("piranhas boards read from Python", read * 10e-6, "1/(10 µs)", 1, 2, read)


def _samples() -> Iterator[Any]:
    """Positions of one random game, from the start to ply 46."""
    lot = random.Random(5)
    position = GAME.start(1)
    for ply in range(PLIES[-1] + 1):
        if ply in PLIES:
            yield position.copy()
        position.play(lot.choice(position.legal_moves()))


def _lists(start: Any) -> int:
    for _ in range(20_000):
        list(start.legal_moves())
    return 20_000


def _read(start: Any) -> int:
    for _ in range(20_000):
        start.cells()
    return 20_000


def _stepped(start: Any) -> int:
    lot = random.Random(1)
    for _ in range(200):
        position = start.copy()
        while moves := position.legal_moves():
            position.play(lot.choice(moves))
    return 200
