"""A sequential probability ratio test (SPRT) between two strengths, by blocks.

The test counts blocks, not games: the games of a block share their opening, so they are not
independent. The score of a block is what the first player took from all opponents in it, between 0
and 1; with two players and two games it has five values, hence *pentanomial*. The test is the
generalised SPRT: the likelihoods are those of the distributions that fit the blocks best among all
with the mean score that a hypothesis asks for.
Source of the method: M. Van den Bergh, "A practical introduction to the GSPRT" (2020).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from spielleiter.errors import UsageError

Counts = NDArray[np.float64]
Accepted = Literal["H0", "H1"]

_UNSEEN = 1e-3  # a value that has not been seen yet is not therefore impossible
_ITERATIONS = 16


@dataclass(frozen=True, slots=True)
class Sprt:
    """H0: the first player is `elo0` stronger; H1: it is `elo1` stronger.

    `alpha` bounds the chance to accept H1 when H0 is true, `beta` the reverse.
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise UsageError(f"elo0 has to be below elo1, not {self.elo0:g} and {self.elo1:g}")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise UsageError("alpha and beta lie between 0 and 0.5")

    @classmethod
    def parse(cls, text: str, alpha: float = 0.05, beta: float = 0.05) -> Sprt:
        """The test that `ELO0,ELO1` means."""
        try:
            low, high = (float(part) for part in text.split(","))
        except ValueError:
            raise UsageError(f"--sprt {text}: expected two numbers such as 0,20") from None
        return cls(low, high, alpha, beta)

    @property
    def lower(self) -> float:
        """At or below this log-likelihood ratio H0 is accepted."""
        return math.log(self.beta / (1 - self.alpha))

    @property
    def upper(self) -> float:
        """At or above this log-likelihood ratio H1 is accepted."""
        return math.log((1 - self.beta) / self.alpha)

    def llr(self, counts: Counts) -> NDArray[np.float64]:
        """The log-likelihood ratio of H1 to H0, for counts of block scores along the last axis."""
        scores = np.linspace(0.0, 1.0, counts.shape[-1])
        seen = np.maximum(counts, _UNSEEN)
        total = seen.sum(axis=-1, keepdims=True)
        shares = seen / total
        low = _tilt(shares, scores - expected_score(self.elo0))
        high = _tilt(shares, scores - expected_score(self.elo1))
        ratio: NDArray[np.float64] = (seen * (np.log(low) - np.log(high))).sum(axis=-1)
        return ratio


@dataclass(frozen=True, slots=True)
class Verdict:
    """The state of a sequential test."""

    accepted: Accepted | None
    blocks: int
    """How many blocks count: the first ones up to the decision, or all so far."""
    llr: float
    lower: float
    upper: float


def judge(test: Sprt, blocks: NDArray[np.int64], values: int) -> Verdict:
    """The verdict on block scores (as indices of `values` equidistant scores) in their order.

    The test ends with the first block that decides; whatever was played after it does not count.
    """
    if len(blocks) == 0:
        return Verdict(None, 0, 0.0, test.lower, test.upper)
    llr = test.llr(np.cumsum(np.eye(values)[blocks], axis=0))
    crossed = np.flatnonzero((llr <= test.lower) | (llr >= test.upper))
    last = int(crossed[0]) if len(crossed) else len(blocks) - 1
    accepted: Accepted | None = None
    if len(crossed):
        accepted = "H1" if llr[last] >= test.upper else "H0"
    return Verdict(accepted, last + 1, float(llr[last]), test.lower, test.upper)


def expected_score(elo: float) -> float:
    """The expected score against a player who is that much weaker."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def _tilt(shares: NDArray[np.float64], above: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 + θ·above, by which the shares are divided to give them the mean that `above` is 0 at.

    θ is the root of a decreasing function between the two ends where a share would be infinite:
    Newton's method, and halving where that would leave the bracket.
    """
    low = np.full(shares.shape[:-1], -1 / above.max())
    high = np.full(shares.shape[:-1], -1 / above.min())
    root = np.zeros(shares.shape[:-1])
    for _ in range(_ITERATIONS):
        parts = above / (1 + root[..., None] * above)
        value = (shares * parts).sum(axis=-1)
        low, high = np.where(value > 0, root, low), np.where(value > 0, high, root)
        newton = root + value / (shares * parts * parts).sum(axis=-1)
        root = np.where((low < newton) & (newton < high), newton, (low + high) / 2)
    tilt: NDArray[np.float64] = 1 + root[..., None] * above
    return tilt
