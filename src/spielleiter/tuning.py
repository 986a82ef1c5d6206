"""Fits the weights of a game's evaluation to games that it plays against itself.

The evaluation is a sum of features times weights. Games begin with random openings and are played
with a fixed number of nodes for each move. They use the weights that are given, not those that are
built in. So the same options give the same games on every machine. `fit` then chooses the weights
whose predicted chances of winning come nearest to the results: logistic regression with a small
penalty for large weights (`ridge`) and for weights that jump from one stage of the game to the next
(`smooth`). One game in five is held out to judge the fit.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

import numpy as np
import numpy.typing as npt

from spielleiter.errors import UsageError
from spielleiter.game import CERTAIN, Engine, Game, Position

Array = npt.NDArray[np.float64]
Keep = Callable[[int, Position, list[str]], None]
"""Called with each game: its number, its start and its moves."""

UNITS = 400 / np.log(10)
"""Units of score for one natural unit of log odds, as scores are defined."""
FINE = 16
"""Weights are whole numbers of this part of a unit."""
RARE = 0.25
"""The standard deviation assumed for features that vary less: rare features get small weights."""
HELD_OUT = 5
"""One game of so many judges the fit."""


@dataclass(frozen=True, slots=True)
class SelfPlay:
    """How the games are played."""

    games: int
    nodes: int
    seed: int
    weights: list[int]
    options: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TrainingData:
    """One row for each position: its features, its result, and the number of its game."""

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
    """Weights in natural units of log odds."""

    weights: Array

    def summary(self, data: TrainingData) -> str:
        """The loss on the games fitted to and on those held out."""
        seen = loss(self.weights, *data.part(held_out=False))
        unseen = loss(self.weights, *data.part(held_out=True))
        return f"{len(data.results)} positions, loss {seen:.4f}, on unseen games {unseen:.4f}"


def collect(game: Game, how: SelfPlay, keep: Keep | None = None) -> TrainingData:
    """Play the games and collect their quiet positions; `keep` is called with every game."""
    engine = game.native.Engine(table=8, weights=how.weights)
    rows, results, numbers = [], [], []
    for number in range(how.games):
        engine.forget()
        lot = random.Random(f"{how.seed}/{number}")
        kept = None if keep is None else partial(keep, number)
        for features, result in one_game(game, engine, how, lot, kept):
            rows.append(features)
            results.append(result)
            numbers.append(number)
    if not rows:
        raise UsageError("no quiet position was found: play more games, or with more nodes")
    stages = len(rows[0]) // len(game.native.feature_names())
    return TrainingData(np.array(rows, float), np.array(results, float), np.array(numbers), stages)


def one_game(
    game: Game,
    engine: Engine,
    how: SelfPlay,
    rng: random.Random,
    keep: Callable[[Position, list[str]], None] | None = None,
) -> Iterator[tuple[list[float], float]]:
    """The quiet positions of one game from a random opening, each with its value for the mover.

    The value is the mean of what search estimated and of how the game ended: the first knows more
    about the position, the second is true.
    """
    options = {name: rng.choice(values.split(",")) for name, values in how.options.items()}
    position = game.start(rng.randrange(2**32), **options)
    start, moves = position.copy(), list[str]()
    for _ in range(4 + rng.randrange(8)):
        if position.legal_moves():
            moves.append(rng.choice(position.legal_moves()).text())
            position.play(moves[-1])
    seen = []
    while position.outcome() is None and position.legal_moves():
        report = engine.search(position, nodes=how.nodes)
        chosen = report.best
        if abs(report.score) < CERTAIN and is_quiet(game, position, report.score, how.weights):
            seen.append((game.native.features(position), position.to_move(), report.score))
        if rng.random() < 0.03:
            seen.clear()  # the result no longer says anything about the positions before
            chosen = rng.choice(position.legal_moves())
        moves.append(chosen.text())
        position.play(chosen)
    if keep is not None:
        keep(start, moves)
    for features, seat, score in seen:
        yield features, 0.5 * result_of(position, seat) + 0.5 / (1 + 10 ** (-score / 400))


def is_quiet(game: Game, position: Position, score: int, weights: list[int]) -> bool:
    """Whether the static evaluation is near the score of search: elsewhere features say little."""
    return abs(int(game.native.evaluate(position, weights)) - score) < 300


def result_of(position: Position, seat: int) -> float:
    """1 for a win, 0.5 for a draw, 0 for a loss or if there is no move and no rule for that."""
    outcome = position.outcome()
    if outcome is None:
        return 0.0 if position.to_move() == seat else 1.0
    return 0.5 if outcome.winner is None else float(outcome.winner == seat)


def loss(weights: Array, features: Array, results: Array) -> float:
    """The mean cross-entropy, in natural units."""
    chance = np.clip(1 / (1 + np.exp(-features @ weights)), 1e-6, 1 - 1e-6)
    return float(-(results * np.log(chance) + (1 - results) * np.log(1 - chance)).mean())


def fit(data: TrainingData, ridge: float, smooth: float, stages: int) -> Fit:
    """Newton's method on the cross-entropy plus the penalties."""
    features, results = data.part(held_out=False)
    scale = np.maximum(features.std(axis=0), RARE)
    scaled = features / scale
    penalty = np.diag(np.full(len(scale), ridge)) + smooth * jumps(scale, stages)
    weights = np.zeros(len(scale))
    for _ in range(50):
        chance = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (results - chance) - penalty @ weights
        curve = (scaled * (chance * (1 - chance))[:, None]).T @ scaled + penalty
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


def weights_of(game: Game, text: str | None) -> list[int]:
    """The weights that a text written by `rendered` holds; all zero without one."""
    count = len(game.native.weights(game.start(0)))
    if text is None:
        return [0] * count
    rows = [line.partition("//")[0] for line in text.splitlines()]
    weights = [int(number) for row in rows for number in re.findall(r"-?\d+", row)]
    if len(weights) != count:
        raise UsageError(f"the text holds {len(weights)} weights, {game.name} takes {count}")
    return weights
