"""`spielleiter tune GAME`: fit the weights of a game's evaluation to games it plays against itself.

The evaluation is a sum of features times weights. Games are played from random openings with a
fixed number of nodes for each move and with given weights, not with those that are built in, so
the same options give the same games on every machine and at any time. Then
the weights are chosen so that the chance of winning which they promise comes nearest to what
happened: logistic regression, with a small price for large weights and for weights that jump from
one stage of the game to the next. A part of the games is kept apart to judge the fit.

Options of the game's set-up may name several values, with commas between: each game draws one.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import click
import numpy as np
import numpy.typing as npt

from spielleiter import games
from spielleiter.cli._options import (
    EXTRA,
    authority_option,
    game_argument,
    seed_option,
    set_up,
)
from spielleiter.errors import UsageError
from spielleiter.game import CERTAIN, Authority, Engine, Game, Position

Array = npt.NDArray[np.float64]

UNITS = 400 / np.log(10)
"""Units of score for one natural unit of log odds, as scores are defined."""
FINE = 16
"""Weights are whole numbers of this part of a unit."""
RARE = 0.25
"""Features that vary less are not trusted more than this."""
HELD_OUT = 5
"""One game of so many judges the fit."""


@click.command(context_settings={"help_option_names": ["-h", "--help"], **EXTRA})
@game_argument
@click.option("--games", "count", type=click.IntRange(10), default=1000, show_default=True)
@click.option("--nodes", type=click.IntRange(1), default=4000, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--ridge", type=float, default=20.0, show_default=True, help="Price of large weights."
)
@click.option("--smooth", type=float, default=50.0, show_default=True, help="Price of jumps.")
@click.option(
    "--start",
    type=click.Path(path_type=Path, exists=True),
    help="Weights to begin with, as written before (default: all nothing).",
)
@click.option("--write", type=click.Path(path_type=Path), help="File for the fitted weights.")
@seed_option
@authority_option
@click.pass_context
def command(
    context: click.Context,
    game: str,
    count: int,
    nodes: int,
    rounds: int,
    ridge: float,
    smooth: float,
    start: Path | None,
    write: Path | None,
    seed: int,
    authority: Authority,
) -> None:
    """Fit the evaluation of GAME to its own games; a round plays with the weights of the last."""
    edition = games.load(game, authority)
    if not hasattr(edition.native, "features"):
        raise UsageError(f"{game} has no evaluation to fit")
    options = set_up(edition, context.args)
    weights = given(edition, start)
    for number in range(rounds):
        data = collect(edition, SelfPlay(count, nodes, seed + number, weights, options))
        fitted = fit(data, ridge, smooth, stages=data.stages)
        weights = quantised(fitted.weights)
        click.echo(f"round {number + 1}: {fitted.summary(data)}", err=True)
    text = rendered(
        edition,
        weights,
        f"{game}, {count} games of {nodes} nodes a move, seed {seed}, "
        f"{rounds} rounds{', '.join(['', *context.args])}; {fitted.summary(data)}",
    )
    if write is None:
        click.echo(text, nl=False)
    else:
        write.write_text(text, "utf-8")


def given(game: Game, start: Path | None) -> list[int]:
    """The weights to begin with."""
    count = len(game.native.weights(game.start(0)))
    if start is None:
        return [0] * count
    rows = [line.partition("//")[0] for line in start.read_text("utf-8").splitlines()]
    weights = [int(number) for row in rows for number in re.findall(r"-?\d+", row)]
    if len(weights) != count:
        raise UsageError(f"{start} holds {len(weights)} weights, {game.name} takes {count}")
    return weights


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """How the games are played."""

    games: int
    nodes: int
    seed: int
    weights: list[int]
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Data:
    """Positions in rows: what they show, how good they turned out, and of which game they are."""

    features: Array
    results: Array
    game: npt.NDArray[np.int64]
    stages: int

    def part(self, held_out: bool) -> tuple[Array, Array]:
        """The features and results to fit to, or those held out."""
        chosen = (self.game % HELD_OUT == 0) == held_out
        return self.features[chosen], self.results[chosen]


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights in natural units, and how well they explain games they have not seen."""

    weights: Array

    def summary(self, data: Data) -> str:
        """The loss on the games fitted to and on those held out."""
        seen = loss(self.weights, *data.part(held_out=False))
        unseen = loss(self.weights, *data.part(held_out=True))
        return f"{len(data.results)} positions, loss {seen:.4f}, on unseen games {unseen:.4f}"


def collect(game: Game, how: SelfPlay) -> Data:
    """Play the games and gather their quiet positions."""
    engine = game.native.Engine(table=8, weights=how.weights)
    rows, results, numbers = [], [], []
    for number in range(how.games):
        engine.forget()
        for features, result in one_game(game, engine, how, random.Random(f"{how.seed}/{number}")):
            rows.append(features)
            results.append(result)
            numbers.append(number)
    stages = len(rows[0]) // len(game.native.feature_names())
    return Data(np.array(rows, float), np.array(results, float), np.array(numbers), stages)


def one_game(
    game: Game, engine: Engine, how: SelfPlay, lot: random.Random
) -> Iterator[tuple[list[float], float]]:
    """The quiet positions of one game from a random opening, each with its worth to the mover.

    The worth is half what search thought and half how the game ended: the one knows more of the
    position, the other is true.
    """
    options = {name: lot.choice(values.split(",")) for name, values in how.options.items()}
    position = game.start(lot.randrange(2**32), **options)
    for _ in range(4 + lot.randrange(8)):
        if position.legal_moves():
            position.play(lot.choice(position.legal_moves()))
    seen = []
    while position.outcome() is None and position.legal_moves():
        report = engine.search(position, nodes=how.nodes)
        after = position.copy()
        after.play(report.best)
        if abs(report.score) < CERTAIN and is_quiet(game, position, report.score, how.weights):
            seen.append((game.native.features(position), position.to_move(), report.score))
        if lot.random() < 0.03:
            seen.clear()  # a random move makes what was before unexplainable
            after = position.copy()
            after.play(lot.choice(position.legal_moves()))
        position = after
    for features, seat, score in seen:
        yield features, 0.5 * worth(position, seat) + 0.5 / (1 + 10 ** (-score / 400))


def is_quiet(game: Game, position: Position, score: int, weights: list[int]) -> bool:
    """Whether the estimate is near what search finds: elsewhere features explain nothing."""
    return abs(int(game.native.evaluate(position, weights)) - score) < 300


def worth(position: Position, seat: int) -> float:
    """1 for a win, 0 for a loss; who cannot move where no rule covers it has lost."""
    outcome = position.outcome()
    if outcome is None:
        return 0.0 if position.to_move() == seat else 1.0
    return 0.5 if outcome.winner is None else float(outcome.winner == seat)


def loss(weights: Array, features: Array, results: Array) -> float:
    """Mean surprise, in natural units."""
    chance = np.clip(1 / (1 + np.exp(-features @ weights)), 1e-6, 1 - 1e-6)
    return float(-(results * np.log(chance) + (1 - results) * np.log(1 - chance)).mean())


def fit(data: Data, ridge: float, smooth: float, stages: int) -> Fit:
    """Newton's method on the surprise plus the prices."""
    features, results = data.part(held_out=False)
    scale = np.maximum(features.std(axis=0), RARE)
    scaled = features / scale
    price = np.diag(np.full(len(scale), ridge)) + smooth * jumps(scale, stages)
    weights = np.zeros(len(scale))
    for _ in range(50):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (results - chance) - price @ weights
        curve = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + price
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-6:
            break
    return Fit(weights / scale)


def jumps(scale: Array, stages: int) -> Array:
    """The quadratic form that is large where weights of neighbouring stages differ."""
    form = np.zeros((len(scale), len(scale)))
    for at in range(len(scale) - 1):
        if at % stages == stages - 1:
            continue
        difference = np.zeros(len(scale))
        size = (scale[at] + scale[at + 1]) / 2
        difference[at], difference[at + 1] = size / scale[at], -size / scale[at + 1]
        form += np.outer(difference, difference)
    return form


def quantised(weights: Array) -> list[int]:
    """Whole numbers as the native evaluation takes them."""
    return [int(value) for value in np.clip(np.round(weights * UNITS * FINE), -32_000, 32_000)]


def rendered(game: Game, weights: list[int], description: str) -> str:
    """The weights as rows of a C++ table, with where they come from."""
    names = game.native.feature_names()
    stages = len(weights) // len(names)
    lines = [f"// Made by `spielleiter tune`: {description}.", "// clang-format off"]
    for at, name in enumerate(names):
        row = ", ".join(f"{weight:6d}" for weight in weights[at * stages : (at + 1) * stages])
        lines.append(f"{{{{{row}}}}},  // {name}")
    return "\n".join([*lines, "// clang-format on", ""])
