"""Speed of Blokus: the table of docs/lab/speed.md."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import Any

from benchmarks import peers
from benchmarks.measure import HERE, Row, rate
from spielleiter import games

GAME = games.load("blokus-2027", "server")
WIDE = 300
"""A mid-game position has at least this many placements."""
ROTATIONS = {"N": "NONE", "R": "RIGHT", "M": "MIRROR", "L": "LEFT"}


def rows(c: float) -> Iterator[Row]:
    """Every figure of the table, one thread; `c` is the yardstick of this run."""
    sample, moves = _mid_game()
    lists = rate(lambda: _native_lists(sample))
    yield Row(
        "blokus legal placements of mid-game, native list", lists / c, "C", 1e-3, 2.6e-3, lists
    )
    start = GAME.start(1)
    played = rate(lambda: float(start.playouts(3_000, seed=1).games))
    yield Row("blokus random games, native", played / c, "C", 1.6e-5, 1e-4, played)
    interpreter = peers.python("socha==5.1.0")
    script = HERE / "scripts" / "socha_blokus.py"
    peer = peers.run(interpreter, script, start.text().split()[2], *map(_official, moves))
    seen = rate(lambda: _lists(sample))
    # the peer lists the pass only if nothing else is legal
    ours = len(sample.legal_moves()) - 1
    assert peer["count"] == ours, (peer["count"], ours)
    yield Row(
        "blokus legal moves from Python", seen / peer["lists"], "socha 5.1.0", 300, 1000, seen
    )


def _mid_game() -> tuple[Any, list[Any]]:
    """A position of round 5 or later with hundreds of placements, and the moves that lead there."""
    for seed in range(1000):
        lot = random.Random(seed)
        position, moves = GAME.start(1), []
        while position.ply < 20:
            big = sorted(position.legal_moves(), key=lambda move: _size(move.text()))[-40:]
            moves.append(lot.choice(big))
            position.play(moves[-1])
        if len(position.legal_moves()) > WIDE:
            return position, moves
    raise AssertionError("no random game was that wide")


def _size(text: str) -> int:
    return ["pass", "MONO", "DOMI", "TRIO", "TETR", "PENT"].index(text[:4])


def _official(move: Any) -> str:
    """`PENTO_Y:RF@a5` → `PENTO_Y RIGHT true 0 4`."""
    found = re.fullmatch(r"(\w+?)(?::([NRML])(F?))?@([a-t])(\d+)", move.text())
    assert found, move.text()
    kind, rotation, flipped, column, row = found.groups()
    x, y = ord(column) - ord("a"), int(row) - 1
    return f"{kind} {ROTATIONS[rotation or 'N']} {'true' if flipped else 'false'} {x} {y}"


def _native_lists(position: Any) -> int:
    for _ in range(20_000):
        position.legal_moves()
    return 20_000


def _lists(position: Any) -> int:
    for _ in range(2_000):
        list(position.legal_moves())
    return 2_000
