"""Estimates, the sequential test and ratings say what they promise to say."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from numpy.typing import NDArray

from spielleiter.errors import UsageError
from spielleiter.tournament.estimate import elo, estimate
from spielleiter.tournament.head_to_head import HeadToHead
from spielleiter.tournament.pairing import GameResult, Opening, Pairing
from spielleiter.tournament.ratings import SCALE, davidson, plackett_luce, rate
from spielleiter.tournament.sprt import Sprt, expected_score, judge

Chances = NDArray[np.float64]

PAIRS = np.array([0.08, 0.20, 0.40, 0.22, 0.10])  # two games of two players
TABLES = np.array([1, 2, 3, 5, 7, 9, 10, 9, 7, 5, 3, 2, 1], dtype=float)  # three games of three


def tilted(chances: Chances, mean: float) -> Chances:
    """The same shape of distribution with another mean score."""
    scores, low, high = np.linspace(0, 1, len(chances)), -50.0, 50.0
    for _ in range(60):
        middle = (low + high) / 2
        other = chances * np.exp(middle * scores)
        other /= other.sum()
        low, high = (middle, high) if other @ scores < mean else (low, middle)
    return np.asarray(other)


def accepted_h1(test: Sprt, chances: Chances, matches: int, seed: int) -> float:
    """The share of simulated matches in which H1 was accepted; every match ends."""
    lot = np.random.default_rng(seed)
    counts, going = np.zeros((matches, len(chances))), np.arange(matches)
    h1 = np.zeros(matches, dtype=bool)
    while len(going):
        counts[going, lot.choice(len(chances), size=len(going), p=chances)] += 1
        llr = test.llr(counts[going])
        h1[going[llr >= test.upper]] = True
        going = going[(test.lower < llr) & (llr < test.upper)]
    return float(h1.mean())


@pytest.mark.parametrize("shape", [PAIRS, TABLES], ids=["pairs", "tables of three"])
def test_errors_of_the_sequential_test_are_about_as_rare_as_promised(shape: Chances) -> None:
    test = Sprt(0, 100)
    assert accepted_h1(test, tilted(shape, expected_score(0)), 1_000, seed=1) <= 0.05 + 0.02
    assert accepted_h1(test, tilted(shape, expected_score(100)), 1_000, seed=2) >= 0.95 - 0.02


@pytest.mark.deep
@pytest.mark.parametrize("shape", [PAIRS, TABLES], ids=["pairs", "tables of three"])
@pytest.mark.parametrize(("alpha", "beta"), [(0.05, 0.05), (0.02, 0.10)])
def test_error_rates_stay_within_a_point_of_alpha_and_beta(
    shape: Chances, alpha: float, beta: float
) -> None:
    test = Sprt(0, 40, alpha, beta)
    false_h1 = accepted_h1(test, tilted(shape, expected_score(0)), 10_000, seed=1)
    false_h0 = 1 - accepted_h1(test, tilted(shape, expected_score(40)), 10_000, seed=2)
    assert abs(false_h1 - alpha) <= 0.01
    assert abs(false_h0 - beta) <= 0.01


def test_the_llr_is_that_of_the_likeliest_distributions_with_the_two_means() -> None:
    """Checked against a slow search along the family of fitting distributions."""
    counts = np.array([10.0, 30, 60, 40, 20])
    test = Sprt(0, 30)
    scores, shares = np.linspace(0, 1, 5), counts / counts.sum()

    def fitted(mean: float) -> Chances:
        low, high = -1 / (1 - mean) + 1e-12, 1 / mean - 1e-12
        for _ in range(200):
            middle = (low + high) / 2
            fit = shares / (1 + middle * (scores - mean))
            low, high = (middle, high) if (fit @ (scores - mean)) > 0 else (low, middle)
        return np.asarray(fit)

    h0, h1 = fitted(expected_score(0)), fitted(expected_score(30))
    assert h1.sum() == pytest.approx(1)
    assert h1 @ scores == pytest.approx(expected_score(30))
    assert float(test.llr(counts)) == pytest.approx(float((counts * np.log(h1 / h0)).sum()))


def test_a_test_ends_with_the_first_block_that_decides() -> None:
    blocks = np.array([4, 3] * 200)
    verdict = judge(Sprt(0, 20), blocks, 5)
    assert verdict.accepted == "H1"
    assert verdict.blocks < 100
    assert judge(Sprt(0, 20), blocks[: verdict.blocks], 5) == verdict
    assert judge(Sprt(0, 20), blocks[: verdict.blocks - 1], 5).accepted is None
    assert judge(Sprt(0, 20), 4 - blocks, 5).accepted == "H0"
    assert judge(Sprt(0, 20), blocks[:0], 5).blocks == 0


def test_a_test_needs_two_strengths_and_sensible_risks() -> None:
    with pytest.raises(UsageError, match="below"):
        Sprt(5, 0)
    with pytest.raises(UsageError, match="alpha"):
        Sprt(0, 5, alpha=0.7)


def test_the_verdict_of_a_match_is_not_changed_by_games_that_ended_later() -> None:
    match = HeadToHead(("a", "b"), seed=1, test=Sprt(0, 200))
    played = {}
    for number in range(400):
        pairing = match.encounter.game(number)
        winner = pairing.players.index("a") if random.Random(number).random() < 0.8 else 0
        ranks = (1, 2) if winner == 0 else (2, 1)
        played[pairing.key] = GameResult(pairing, ranks, (0, 0), (None, None))
    verdict = match.verdict(played)
    assert verdict is not None
    assert verdict.accepted == "H1"
    assert len(match.counted(played)) == 2 * verdict.blocks < 400
    assert match.finished(played)


def test_elo_is_the_inverse_of_the_expected_score() -> None:
    for difference in (-300, -10, 0, 55.5, 700):
        assert elo(expected_score(difference)) == pytest.approx(difference)


def test_the_interval_holds_the_truth_in_about_19_of_20_matches() -> None:
    lot = np.random.default_rng(5)
    chances = tilted(PAIRS, expected_score(30))
    inside = 0
    for _ in range(1_000):
        found = estimate(lot.choice(5, size=200, p=chances) / 4)
        inside += found.low <= 30 <= found.high
    assert 0.93 <= inside / 1_000 <= 0.97


def test_extreme_results_have_sensible_bounds() -> None:
    nothing = estimate(np.array([]))
    assert (nothing.elo, nothing.los) == (0, 0.5)
    unbeaten = estimate(np.ones(20))
    assert unbeaten.elo == math.inf == unbeaten.high
    assert 200 < unbeaten.low < 300
    assert unbeaten.los > 0.999
    level = estimate(np.full(8, 0.5))
    assert (level.elo, level.los) == (0, 0.5)


def games(
    strengths: list[float], count: int, seats: int = 2, ties: float = 0.0
) -> list[GameResult]:
    """Results drawn from the model that ratings assume."""
    lot = np.random.default_rng(3)
    found = []
    for number in range(count):
        chosen = lot.choice(len(strengths), seats, replace=False)
        luck = [strengths[player] + lot.gumbel() for player in chosen]
        ranks = tuple(1 + sum(other > each for other in luck) for each in luck)
        if lot.random() < ties:
            ranks = (1,) * seats
        pairing = Pairing(str(number), tuple(f"p{player}" for player in chosen), Opening(0))
        found.append(GameResult(pairing, ranks, (0,) * seats, (None,) * seats))
    return found


def test_without_draws_ratings_are_those_of_choix() -> None:
    import choix  # brings SciPy: most of a second

    results = games([0.0, 0.7, -0.4, 1.5, 0.2], 600)
    data, wins = [], np.zeros((5, 5))
    for result in results:
        one, other = (int(player[1:]) for player in result.pairing.players)
        winner, loser = (one, other) if result.ranks[0] == 1 else (other, one)
        data.append((winner, loser))
        wins[winner, loser] += 1
    theirs = choix.opt_pairwise(5, data, alpha=0.005, tol=1e-12)
    ours, _, _ = davidson(wins, np.zeros((5, 5)), prior=0.01)
    assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-6)


def test_rankings_of_three_and_four_are_rated_as_by_choix() -> None:
    import choix  # brings SciPy: most of a second

    results = games([0.0, 0.7, -0.4, 1.5, 0.2], 60, seats=4)
    orders: dict[tuple[int, ...], float] = {}
    for result in results:
        seated = zip(result.ranks, result.pairing.players, strict=True)
        order = tuple(int(player[1:]) for _, player in sorted(seated))
        orders[order] = orders.get(order, 0) + 1
    data = [order for order, times in orders.items() for _ in range(int(times))]
    theirs = choix.opt_rankings(5, data, alpha=0.005, tol=1e-10)
    ours, _ = plackett_luce(5, orders, prior=0.01)
    assert ours == pytest.approx(theirs - theirs.mean(), abs=1e-6)


@pytest.mark.parametrize("seats", [2, 3])
def test_ratings_do_not_depend_on_the_order_of_results(seats: int) -> None:
    results = games([0.0, 0.7, -0.4, 1.5], 200, seats, ties=0.2)
    shuffled = results.copy()
    random.Random(1).shuffle(shuffled)
    assert rate(shuffled) == rate(results)


@pytest.mark.parametrize("seats", [2, 3])
def test_intervals_of_ratings_hold_the_truth(seats: int) -> None:
    strengths = [0.0, 0.7, -0.4, 1.5]
    mean = sum(strengths) / 4
    for rating in rate(games(strengths, 2_000, seats)):
        true = SCALE * (strengths[int(rating.player[1:])] - mean)
        assert abs(rating.elo - true) <= 1.5 * rating.margin
        assert rating.margin < 40


def test_draws_bring_equal_players_together_and_nobody_is_infinite() -> None:
    drawn = games([0.0, 0.0], 100, ties=1.0)
    assert [round(each.elo, 6) for each in rate(drawn)] == [0, 0]
    unbeaten = [each for each in games([0.0, 9.0], 60) if each.ranks.count(1) == 1]
    best, worst = rate(unbeaten)
    assert best.player == "p1"
    assert 200 < best.elo - worst.elo < 5_000
    assert rate([]) == []
