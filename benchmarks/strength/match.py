"""Matches between two settings of the same engine: paired openings, seats swapped, equal limits.

    python -m benchmarks.strength.match piranhas-2026 --pairs 200 --nodes 4000 \\
        --first '{}' --second '{"without": ["null_move"]}'

The second engine may come from another tree that is built, such as yesterday's; it then runs in a
process of its own (`--second-tree FOLDER`, its name for the record with `--second-name`).

With a number of nodes the same arguments give the same games on every machine; with `--seconds`
the clock decides. The result is a line of JSON with the sequential test of "the first is 0 Elo
stronger" against "it is `--elo` stronger".
"""

from __future__ import annotations

import json
import math
import os
import random
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click

from spielleiter import games
from spielleiter.game import Game


@dataclass(slots=True)
class Tally:
    """What the first player scored: pairs of games by their points in halves, 0 … 4."""

    pairs: list[int] = field(default_factory=lambda: [0] * 5)

    @property
    def count(self) -> int:
        return sum(self.pairs)

    @property
    def share(self) -> float:
        """Points of the first player, 0 … 1."""
        return sum(at * n for at, n in enumerate(self.pairs)) / (4 * max(1, self.count))

    def spread(self) -> float:
        """Standard deviation of the share of one pair."""
        mean = self.share
        return math.sqrt(
            sum(n * (at / 4 - mean) ** 2 for at, n in enumerate(self.pairs)) / max(1, self.count)
        )


def elo(share: float) -> float:
    """Difference in strength that a share of the points means."""
    share = min(max(share, 1e-3), 1 - 1e-3)
    return 400 * math.log10(share / (1 - share))


def expected(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


def log_likelihood_ratio(tally: Tally, low: float, high: float) -> float:
    """Of `high` against `low` Elo, with the pairs' spread as measured (normal approximation)."""
    variance = max(tally.spread() ** 2, 0.25 / 16) / max(1, tally.count)
    first, second = expected(low), expected(high)
    return (second - first) * (2 * tally.share - first - second) / (2 * variance)


BOUND = math.log(0.95 / 0.05)
"""Five per cent error on either side."""


def verdict(ratio: float) -> str:
    return "accepted" if ratio >= BOUND else "rejected" if ratio <= -BOUND else "open"


def opening(game: Game, lot: random.Random, plies: int) -> Any:
    """A position after random moves that is not over yet."""
    while True:
        position = game.start(lot.randrange(2**32))
        for _ in range(plies):
            if position.legal_moves():
                position.play(lot.choice(position.legal_moves()))
        if position.legal_moves():
            return position


Limit = dict[str, Any]
"""How long to think about a move: a number of nodes, or a time."""


def play(start: Any, engines: list[Any], limits: list[Limit]) -> float:
    """Points of engine 0, which plays seat 0."""
    position = start.copy()
    for engine in engines:
        engine.forget()
    while position.outcome() is None and position.legal_moves():
        seat = position.to_move()
        position.play(engines[seat].search(position, **limits[seat]).best)
    outcome = position.outcome()
    if outcome is None:  # who cannot move where no rule covers it has lost
        return float(position.to_move() == 1)
    return 0.5 if outcome.winner is None else float(outcome.winner == 0)


class Elsewhere:
    """An engine of another tree, in a process of its own: a line asks, a line answers."""

    def __init__(self, tree: Path, game: str, options: dict[str, Any]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVANT, game, json.dumps(options)],
            env={**os.environ, "PYTHONPATH": str(tree / "src")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def forget(self) -> None:
        self._ask({})

    def search(self, position: Any, **limit: Any) -> SimpleNamespace:
        asked = {"position": position.text(), "limit": limit}
        return SimpleNamespace(best=position.move(self._ask(asked)))

    def _ask(self, question: dict[str, Any]) -> str:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()


SERVANT = """
import json, sys
from spielleiter import games
game = games.load(sys.argv[1])
engine = game.native.Engine(**json.loads(sys.argv[2]))
for line in sys.stdin:
    asked = json.loads(line)
    if asked:
        report = engine.search(game.parse(asked["position"]), **asked["limit"])
        print(report.best.text(), flush=True)
    else:
        engine.forget()
        print(flush=True)
"""


@click.command()
@click.argument("name", metavar="GAME")
@click.option("--pairs", type=int, default=200, show_default=True, help="At most so many.")
@click.option("--nodes", type=int, default=4000, show_default=True)
@click.option("--second-nodes", type=int, help="If the second gets another number.")
@click.option("--seconds", type=float, help="For a move, instead of nodes.")
@click.option("--first", default="{}", help="Options of the first engine, JSON.")
@click.option("--second", default="{}", help="Options of the second engine, JSON.")
@click.option("--second-tree", type=click.Path(path_type=Path), help="Where the second one lives.")
@click.option("--second-name", default="", help="What to call it in the record.")
@click.option("--plies", type=int, default=8, show_default=True, help="Random plies to begin.")
@click.option("--elo", "wanted", type=float, default=20.0, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--store", type=click.Path(path_type=Path), help="Append the result to this file.")
def command(
    name: str,
    pairs: int,
    nodes: int,
    second_nodes: int | None,
    seconds: float | None,
    first: str,
    second: str,
    second_tree: Path | None,
    second_name: str,
    plies: int,
    wanted: float,
    seed: int,
    store: Path | None,
) -> None:
    """Play until the test has decided or all pairs are played."""
    game = games.load(name)
    kind = getattr(game.native, "Engine", None) or game.native.Mcts
    options = [{"table": 8, **json.loads(text)} for text in (first, second)]
    engines: list[Any] = [kind(**options[0])]
    engines.append(
        kind(**options[1]) if second_tree is None else Elsewhere(second_tree, name, options[1])
    )
    amounts: Limit = {"nodes": [nodes, second_nodes or nodes]}
    limits: list[Limit] = [{"nodes": amount} for amount in amounts["nodes"]]
    if seconds is not None:
        amounts, limits = {"seconds": seconds}, 2 * [{"time": seconds}]
    tally = Tally()
    for number in range(pairs):
        start = opening(game, random.Random(f"{seed}/{number}"), plies)
        points = play(start, engines, limits) + 1 - play(start, engines[::-1], limits[::-1])
        tally.pairs[round(2 * points)] += 1
        if number >= 15 and verdict(log_likelihood_ratio(tally, 0, wanted)) != "open":
            break
    ratio = log_likelihood_ratio(tally, 0, wanted)
    margin = 1.96 * tally.spread() / math.sqrt(max(1, tally.count))
    result = {
        "game": name,
        "first": json.loads(first),
        "second": {**json.loads(second), **({"tree": second_name} if second_name else {})},
        **amounts,
        "plies": plies,
        "seed": seed,
        **asdict(tally),
        "share": round(tally.share, 4),
        "elo": round(elo(tally.share), 1),
        "elo_range": [round(elo(tally.share - margin), 1), round(elo(tally.share + margin), 1)],
        "sprt": {"elo": [0, wanted], "ratio": round(ratio, 2), "verdict": verdict(ratio)},
    }
    text = json.dumps(result)
    click.echo(text)
    if store is not None:
        with store.open("a", encoding="utf-8") as file:
            file.write(text + "\n")


if __name__ == "__main__":
    command()
