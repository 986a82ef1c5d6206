"""Ratings from all results at once, whatever their order.

Two at a table: Bradley–Terry with draws after Davidson (1970). More: Plackett–Luce, where players
who share a rank count as every order of them alike. Strengths are logarithms with mean 0 and a weak
normal prior, so that unbeaten players have a finite rating. Results are counted first, so that
their order cannot change even the last bit.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from spielleiter.errors import UsageError
from spielleiter.tournament.pairing import GameResult, PlayerId

PRIOR = 0.01
"""Inverse variance of the prior on strengths: a standard deviation of 10, that is 1,700 Elo."""
SCALE = 400 / math.log(10)

Vector = NDArray[np.float64]
_STEPS, _SMALL = 200, 1e-12
_REACH = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Rating:
    """The strength of a player in Elo, relative to the mean of all, ± the 95 % interval."""

    player: PlayerId
    elo: float
    margin: float
    games: int


def rate(results: Iterable[GameResult], prior: float = PRIOR) -> list[Rating]:
    """The ratings of all players, best first.

    Only players who were present count: an absent player, or one that never started, changes no
    rating.
    """
    results = [among for each in results if (among := _present(each)) is not None]
    if not results:
        return []
    players = sorted({player for each in results for player in each.pairing.players})
    seats = max(len(each.pairing.players) for each in results)
    strengths, spread = (_pairs if seats == 2 else _rankings)(players, results, prior)
    games = Counter(player for each in results for player in each.pairing.players)
    found = [
        Rating(player, SCALE * float(value), SCALE * _REACH * float(width), games[player])
        for player, value, width in zip(players, strengths, spread, strict=True)
    ]
    return sorted(found, key=lambda each: (-each.elo, each.player))


def _present(result: GameResult) -> GameResult | None:
    """The result without absent players; None if fewer than two were present."""
    if result.ruled is not None:
        return None
    if True not in result.absent:
        return result
    there = [seat for seat, absent in enumerate(result.absent) if not absent]
    if len(there) < 2:
        return None
    players = tuple(result.pairing.players[seat] for seat in there)
    ranks = tuple(result.ranks[seat] for seat in there)
    return replace(result, pairing=replace(result.pairing, players=players), ranks=ranks)


def davidson(wins: Vector, draws: Vector, prior: float = PRIOR) -> tuple[Vector, float, Vector]:
    """Log-strengths, the draw parameter ν and the standard errors of the strengths.

    `wins[i, j]` games i won against j; `draws` is symmetric. i wins with a chance proportional to
    exp(sᵢ), j to exp(sⱼ), and neither to ν·exp((sᵢ + sⱼ) / 2).
    """
    count = len(wins)
    drawn = float(np.triu(draws).sum())

    def climb(at: Vector) -> tuple[Vector, NDArray[np.float64]]:
        return _davidson_slope(at, wins, draws, prior)

    start = np.zeros(count + 1)
    start[-1] = 0.0 if drawn else -np.inf
    found, curvature = _ascend(climb, start, free=count + bool(drawn))
    covariance = np.linalg.inv(-curvature)[:count, :count]
    strengths = found[:count] - found[:count].mean()
    return strengths, math.exp(found[-1]), _about_the_mean(covariance)


def plackett_luce(
    players: int, orders: Mapping[tuple[int, ...], float], prior: float = PRIOR
) -> tuple[Vector, Vector]:
    """Log-strengths and their standard errors from weighted orders, the best player first."""
    weighted = sorted(orders.items())

    def climb(at: Vector) -> tuple[Vector, NDArray[np.float64]]:
        return _luce_slope(at, weighted, prior)

    found, curvature = _ascend(climb, np.zeros(players), free=players)
    return found - found.mean(), _about_the_mean(np.linalg.inv(-curvature))


def _pairs(
    players: Sequence[PlayerId], results: Sequence[GameResult], prior: float
) -> tuple[Vector, Vector]:
    at = {player: number for number, player in enumerate(players)}
    wins, draws = np.zeros((len(at), len(at))), np.zeros((len(at), len(at)))
    for result in results:
        one, other = (at[player] for player in result.pairing.players)
        if result.ranks[0] == result.ranks[1]:
            draws[one, other] += 1
            draws[other, one] += 1
        elif result.ranks[0] < result.ranks[1]:
            wins[one, other] += 1
        else:
            wins[other, one] += 1
    strengths, _, spread = davidson(wins, draws, prior)
    return strengths, spread


def _rankings(
    players: Sequence[PlayerId], results: Sequence[GameResult], prior: float
) -> tuple[Vector, Vector]:
    at = {player: number for number, player in enumerate(players)}
    tables = Counter(
        tuple(sorted(zip(each.ranks, map(at.__getitem__, each.pairing.players), strict=True)))
        for each in results
    )
    orders: defaultdict[tuple[int, ...], float] = defaultdict(float)
    for table, games in sorted(tables.items()):
        ways = _orders(table)
        for order in ways:
            orders[order] += games / len(ways)
    return plackett_luce(len(at), orders, prior)


def _orders(table: tuple[tuple[int, int], ...]) -> list[tuple[int, ...]]:
    """All orders that agree with the ranks."""
    groups = itertools.groupby(table, key=lambda each: each[0])
    ways = [list(itertools.permutations(player for _, player in group)) for _, group in groups]
    return [tuple(itertools.chain(*choice)) for choice in itertools.product(*ways)]


def _ascend(
    climb: Callable[[Vector], tuple[Vector, NDArray[np.float64]]], start: Vector, free: int
) -> tuple[Vector, NDArray[np.float64]]:
    """Newton's method on a concave function, with limited steps."""
    at = start.copy()
    for _ in range(_STEPS):
        slope, curvature = climb(at)
        step = np.linalg.solve(-curvature[:free, :free], slope[:free])
        at[:free] += step / max(1.0, float(np.abs(step).max()))
        if np.abs(step).max() < _SMALL:
            return at, climb(at)[1][:free, :free]
    raise UsageError("the ratings do not settle: the prior has to be above 0")


def _about_the_mean(covariance: NDArray[np.floating[Any]]) -> Vector:
    """Standard errors relative to the mean of all, since the common level is arbitrary."""
    centring = np.eye(len(covariance)) - 1 / len(covariance)
    return np.asarray(np.sqrt(np.diag(centring @ covariance @ centring)))


def _davidson_slope(
    at: Vector, wins: Vector, draws: Vector, prior: float
) -> tuple[Vector, NDArray[np.float64]]:
    """First and second derivatives of the log-likelihood by strengths and log ν."""
    count = len(wins)
    slope, curvature = np.zeros(count + 1), np.zeros((count + 1, count + 1))
    for i, j in zip(*np.nonzero(np.triu(wins + wins.T + draws)), strict=True):
        games = wins[i, j] + wins[j, i] + draws[i, j]
        powers = np.array([at[i], at[j], at[-1] + (at[i] + at[j]) / 2])
        chances = np.exp(powers - powers.max())
        chances /= chances.sum()
        features = np.zeros((3, count + 1))
        features[0, i] = features[1, j] = features[2, -1] = 1
        features[2, [i, j]] = 0.5
        seen = np.array([wins[i, j], wins[j, i], draws[i, j]])
        mean = chances @ features
        slope += seen @ features - games * mean
        curvature -= games * ((features.T * chances) @ features - np.outer(mean, mean))
    slope -= prior * np.nan_to_num(at, neginf=0.0)
    return slope, curvature - prior * np.eye(count + 1)


def _luce_slope(
    at: Vector, orders: Sequence[tuple[tuple[int, ...], float]], prior: float
) -> tuple[Vector, NDArray[np.float64]]:
    """First and second derivatives of the log-likelihood by strengths."""
    slope, curvature = -prior * at, -prior * np.eye(len(at))
    for order, weight in orders:
        for place in range(len(order) - 1):
            left = np.array(order[place:])
            chances = np.exp(at[left] - at[left].max())
            chances /= chances.sum()
            slope[left[0]] += weight
            slope[left] -= weight * chances
            curvature[np.ix_(left, left)] -= weight * (
                np.diag(chances) - np.outer(chances, chances)
            )
    return slope, curvature
