"""Matches between two engines of a game: paired openings, seats swapped, equal nodes or time.

    python -m benchmarks.strength.match piranhas-2026 --pairs 200 --nodes 4000 \\
        --first '{}' --second '{"without": ["null_move"]}'
    python -m benchmarks.strength.match blokus-2027 --time 0.3 --jobs 16 \\
        --second-tree ../yesterday --second-name 1a2b3c4 --store benchmarks/results/strength.jsonl

Either engine may come from another tree that is built, such as yesterday's; it then runs in a
process of its own (`--second-tree FOLDER`, its name for the record with `--second-name`).

With nodes the same arguments give the same games on every machine. The result is a line of JSON
with the sequential test of "the first is 0 Elo stronger" against "it is `--elo` stronger"; it ends
the match as soon as it has decided, unless `--whole` asks for all pairs. Pairs begin by lot or at
the positions of a file (`--openings`).
"""

from __future__ import annotations

import atexit
import functools
import json
import math
import multiprocessing
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any

import click

from benchmarks import HELP
from benchmarks.beside import interpreter
from benchmarks.strength import task_pool
from benchmarks.strength.kinds import Kind
from spielleiter.bots import _levels

ENGINES = {"alphabeta": "Engine", "mcts": "Mcts"}
LEAST = 15
"""Pairs before the test may decide: the spread must be known."""


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


# --------------------------------------------------------------------------------------- playing


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two: its options and limits as JSON, and the tree it lives in (none: this one)."""

    options: str
    limits: str
    tree: str = ""


@dataclass(frozen=True, slots=True)
class Duel:
    """Who plays what."""

    kind: str
    engine: str
    """Its class in the native module."""
    sides: tuple[Side, Side]
    plies: int
    seed: int
    openings: tuple[str, ...] = ()
    """Where pairs begin, one after the other; if there are none, by lot."""


def play_pair(duel: Duel, number: int) -> float:
    """Points of the first side from two games with the same beginning, seats swapped."""
    kind = Kind.parse(duel.kind)
    if duel.openings:
        start = kind.game.parse(duel.openings[number % len(duel.openings)])
    else:
        start = kind.opening(random.Random(f"{duel.seed}/{number}"), duel.plies)
    engines = [engine_of(duel, at) for at in (0, 1)]
    limits = [json.loads(side.limits) for side in duel.sides]
    return play(start, engines, limits) + 1 - play(start, engines[::-1], limits[::-1])


def play(start: Any, engines: list[Any], limits: list[dict[str, Any]]) -> float:
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


@functools.cache
def engine_of(duel: Duel, at: int) -> Any:
    """The engine of a side, made once in a process."""
    side = duel.sides[at]
    if side.tree:
        return Elsewhere(duel, side)
    kind = getattr(Kind.parse(duel.kind).game.native, duel.engine)
    return kind(**json.loads(side.options))


class Elsewhere:
    """An engine of another tree, in a process of its own: a line asks, a line answers."""

    def __init__(self, duel: Duel, side: Side) -> None:
        kind = Kind.parse(duel.kind)
        self._process = subprocess.Popen(
            [
                *(str(_built(side.tree)), "-c", SERVANT),
                *(kind.edition, kind.authority, duel.engine, side.options),
            ],
            env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        atexit.register(self.close)
        module = Path(self._answer())
        if Path(side.tree).resolve() not in module.parents:
            raise click.ClickException(f"{side.tree} plays with the engine of {module}")

    def close(self) -> None:
        self._process.communicate()

    def forget(self) -> None:
        self._ask({})

    def search(self, position: Any, **limits: Any) -> SimpleNamespace:
        asked = {"position": position.text(), "limits": limits}
        return SimpleNamespace(best=position.move(self._ask(asked)))

    def _ask(self, question: dict[str, Any]) -> str:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        answer = self._process.stdout.readline()
        if not answer:
            raise click.ClickException("the engine of the other tree has died")
        return answer.strip()


def _built(tree: str) -> Path:
    python = interpreter(Path(tree))
    if not python.exists():
        raise click.ClickException(f"{tree} is not built: run `make build` there")
    return python


SERVANT = """
import json, sys
from spielleiter import games
game = games.load(sys.argv[1], sys.argv[2])
print(game.native.__file__, flush=True)
engine = getattr(game.native, sys.argv[3])(**json.loads(sys.argv[4]))
for line in sys.stdin:
    asked = json.loads(line)
    if asked:
        report = engine.search(game.parse(asked["position"]), **asked["limits"])
        print(report.best.text(), flush=True)
    else:
        engine.forget()
        print(flush=True)
"""


# -------------------------------------------------------------------------------------- the match


def match(
    duel: Duel, pairs: int, wanted: float | None, jobs: int, limit: float = math.inf
) -> Tally:
    """Play until the test has decided, all pairs are played or so many seconds are over.

    `wanted`: the strength that is tested; None: all pairs are played.
    """
    tally = Tally()
    end = monotonic() + limit
    with (
        results(duel, pairs, jobs) as scores,
        click.progressbar(length=pairs, label=duel.kind, file=sys.stderr) as bar,
    ):
        for points in scores:
            tally.pairs[round(2 * points)] += 1
            bar.update(1)
            if has_decided(tally, wanted) or monotonic() > end:
                break
    return tally


def has_decided(tally: Tally, wanted: float | None) -> bool:
    if wanted is None or tally.count <= LEAST:
        return False
    return verdict(log_likelihood_ratio(tally, 0, wanted)) != "open"


@contextmanager
def results(duel: Duel, pairs: int, jobs: int) -> Iterator[Iterator[float]]:
    """The points of all pairs in their order, so that the test sees the same on every machine."""
    if jobs == 1:
        yield (play_pair(duel, number) for number in range(pairs))
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        yield pool.imap(functools.partial(play_pair, duel), range(pairs))


def record(duel: Duel, names: tuple[str, str], tally: Tally, wanted: float) -> dict[str, Any]:
    """The match as data."""
    ratio = log_likelihood_ratio(tally, 0, wanted)
    margin = 1.96 * tally.spread() / math.sqrt(max(1, tally.count))
    sides = [
        {**json.loads(side.options), **({"tree": name} if name else {})}
        for side, name in zip(duel.sides, names, strict=True)
    ]
    return {
        "game": duel.kind,
        "engine": duel.engine,
        "first": sides[0],
        "second": sides[1],
        "limits": [json.loads(side.limits) for side in duel.sides],
        **({"openings": len(duel.openings)} if duel.openings else {"plies": duel.plies}),
        "seed": duel.seed,
        **asdict(tally),
        "share": round(tally.share, 4),
        "elo": round(elo(tally.share), 1),
        "elo_range": [round(elo(tally.share - margin), 1), round(elo(tally.share + margin), 1)],
        "sprt": {"elo": [0, wanted], "ratio": round(ratio, 2), "verdict": verdict(ratio)},
    }


def best_engine(kind: str) -> str:
    """The engine that plays a game best, by its name among players."""
    parsed = Kind.parse(kind)
    name = _levels.best(parsed.start(random.Random(0)))
    if name in ENGINES:
        return str(name)
    return "alphabeta" if hasattr(parsed.game.native, "Engine") else "mcts"


@click.command(context_settings=HELP)
@click.argument("name", metavar="GAME")
@click.option("--pairs", type=int, default=200, show_default=True, help="At most so many.")
@click.option("--nodes", type=int, default=4000, show_default=True)
@click.option("--second-nodes", type=int, help="If the second gets another number.")
@click.option("--time", type=float, help="Seconds for each move instead of nodes.")
@click.option("--engine", type=click.Choice(tuple(ENGINES)), help="Default: the best one.")
@click.option("--first", default="{}", help="Options of the first engine, JSON.")
@click.option("--second", default="{}", help="Options of the second engine, JSON.")
@click.option("--first-tree", type=click.Path(), default="", help="Where the first one lives.")
@click.option("--second-tree", type=click.Path(), default="", help="Where the second one lives.")
@click.option("--first-name", default="", help="What to call it in the record.")
@click.option("--second-name", default="", help="What to call it in the record.")
@click.option("--plies", type=int, default=8, show_default=True, help="Random plies to begin.")
@click.option("--openings", type=click.Path(path_type=Path), help="A position a line instead.")
@click.option("--whole", is_flag=True, help="Play all pairs, whatever the test says.")
@click.option("--elo", "wanted", type=float, default=20.0, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="Pairs played side by side.")
@click.option("--limit", type=float, default=math.inf, help="End after so many seconds.")
@click.option("--store", type=click.Path(path_type=Path), help="Append the result to this file.")
def command(
    name: str,
    pairs: int,
    nodes: int,
    second_nodes: int | None,
    time: float | None,
    engine: str | None,
    first: str,
    second: str,
    first_tree: str,
    second_tree: str,
    first_name: str,
    second_name: str,
    plies: int,
    openings: Path | None,
    whole: bool,
    wanted: float,
    seed: int,
    jobs: int,
    limit: float,
    store: Path | None,
) -> None:
    """Play until the test has decided, all pairs are played or the time is up."""
    limits: list[dict[str, float]] = [{"nodes": nodes}, {"nodes": second_nodes or nodes}]
    small = {"table": 8}  # few nodes fill no more, and clearing takes time
    if time is not None:
        limits, small = [{"time": time}] * 2, {}
    sides = [
        Side(json.dumps({**small, **json.loads(options)}), json.dumps(limit), tree)
        for options, limit, tree in zip(
            (first, second), limits, (first_tree, second_tree), strict=True
        )
    ]
    starts = tuple(openings.read_text().splitlines()) if openings else ()
    kind = ENGINES[engine or best_engine(name)]
    duel = Duel(name, kind, (sides[0], sides[1]), plies, seed, starts)
    tally = match(duel, pairs, None if whole else wanted, jobs, limit)
    line = record(duel, (first_name, second_name), tally, wanted)
    click.echo(json.dumps(line))
    task_pool.keep(store, [line])


if __name__ == "__main__":
    command()
