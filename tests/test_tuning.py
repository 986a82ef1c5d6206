"""Weights are fitted to games: what made the results is found again."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from spielleiter import games
from spielleiter.cli import cli
from spielleiter.errors import UsageError
from spielleiter.tuning import (
    TrainingData,
    fit,
    loss,
    quantised,
    rendered,
    weights_of,
)

pytestmark = pytest.mark.native

TUNABLE = [name for name in games.names() if hasattr(games.load(name).native, "features")]


def data(weights: list[float], rows: int = 2_000) -> TrainingData:
    """Positions whose results are just what these weights predict."""
    features = np.random.default_rng(1).normal(size=(rows, len(weights)))
    chances = 1 / (1 + np.exp(-features @ np.array(weights)))
    return TrainingData(features, chances, np.arange(rows) // 10, stages=1)


def test_the_weights_that_made_the_results_are_found_again() -> None:
    known = [1.5, -0.5, 0.0]
    found = fit(data(known), ridge=1e-6, smooth=0.0, stages=1)
    assert found.weights == pytest.approx(known, abs=1e-3)


def test_a_penalty_makes_weights_smaller_and_the_loss_larger() -> None:
    known = data([1.5, -0.5, 0.0])
    free, bound = (fit(known, ridge, 0.0, stages=1).weights for ridge in (1e-6, 1e4))
    assert np.abs(bound).sum() < np.abs(free).sum()
    assert loss(bound, *known.part(held_out=True)) > loss(free, *known.part(held_out=True))


def test_one_game_in_five_is_held_out() -> None:
    fitted, held_out = (len(data([1.0]).part(held_out=part)[1]) for part in (False, True))
    assert (fitted, held_out) == (1_600, 400)


@pytest.mark.parametrize("name", TUNABLE)
def test_written_weights_are_read_again(name: str) -> None:
    game = games.load(name)
    count = len(weights_of(game, None))
    weights = quantised(np.linspace(-1, 1, count))
    assert weights_of(game, rendered(game, weights, "a test")) == weights
    with pytest.raises(UsageError, match=f"{name} takes {count}"):
        weights_of(game, "{{1, 2}},")


@pytest.mark.parametrize("name", TUNABLE[:1])
def test_the_command_plays_games_and_writes_weights(name: str) -> None:
    done = CliRunner().invoke(cli, ["tune", name, "--games", "10", "--nodes", "30"])
    assert done.exit_code == 0, done.output
    assert "round 1: " in done.stderr
    assert any(weights_of(games.load(name), done.stdout))
