"""The Elo difference of the first player, estimated from blocks."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

_CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """Score and Elo difference with the bounds of the 95 % interval.

    An unbeaten player's Elo is infinite; one of the bounds is finite all the same.
    """

    blocks: int
    score: float
    elo: float
    low: float
    high: float
    los: float
    """Likelihood of superiority: the chance that the first player is the stronger one."""


def estimate(scores: NDArray[np.float64]) -> Estimate:
    """The estimate from block scores between 0 and 1; the variance is that between blocks."""
    count = len(scores)
    if count == 0:
        return Estimate(0, 0.5, 0.0, -math.inf, math.inf, 0.5)
    mean = math.fsum(scores) / count
    low, high = _bounds(scores, mean)
    return Estimate(count, mean, elo(mean), elo(low), elo(high), _los(scores, mean))


def elo(score: float) -> float:
    """The Elo difference at which a score is expected."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return 400 * math.log10(score / (1 - score))


def _bounds(scores: NDArray[np.float64], mean: float) -> tuple[float, float]:
    if mean in (0.0, 1.0):  # no variance to learn from: the exact bound for as many like blocks
        far = ((1 - _CONFIDENCE) / 2) ** (1 / len(scores))
        return (far, 1.0) if mean == 1.0 else (0.0, 1 - far)
    if len(scores) == 1:
        return 0.0, 1.0
    reach = NormalDist().inv_cdf((1 + _CONFIDENCE) / 2) * _deviation(scores, mean)
    return max(0.0, mean - reach), min(1.0, mean + reach)


def _los(scores: NDArray[np.float64], mean: float) -> float:
    if mean in (0.0, 1.0):
        unlikely = float(0.5 ** len(scores))
        return 1 - unlikely if mean == 1.0 else unlikely
    deviation = _deviation(scores, mean) if len(scores) > 1 else 0.5
    if deviation == 0:
        return 0.5 if mean == 0.5 else float(mean > 0.5)
    return NormalDist().cdf((mean - 0.5) / deviation)


def _deviation(scores: NDArray[np.float64], mean: float) -> float:
    """The standard error of the mean."""
    squares = math.fsum((score - mean) ** 2 for score in scores)
    return math.sqrt(squares / (len(scores) - 1) / len(scores))
