"""Strength as a function of one number, found from games between players of any two numbers.

The number, 0 … 1, says how much a player may use; its strength in Elo is linear between knots. The
knots are where they make the games most likely, with a small price for kinks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

UNIT = 400 / np.log(10)
"""Elo for one natural unit of log odds."""
PRICE = 4.0
"""Of kinks of one unit."""


@dataclass(frozen=True, slots=True)
class Games:
    """What the first player scored against the second one."""

    first: float
    second: float
    points: float
    count: int


@dataclass(frozen=True, slots=True)
class Curve:
    """Elo at evenly spaced knots; the last one is nothing."""

    elo: tuple[float, ...]

    def __call__(self, number: float) -> float:
        return float(np.interp(number, np.linspace(0, 1, len(self.elo)), self.elo))

    def where(self, elo: float) -> float:
        """The number of a player of that strength; 0 or 1 where there is none."""
        rising = np.maximum.accumulate(np.array(self.elo))
        rising += np.arange(len(rising)) * 1e-9
        return float(np.interp(elo, rising, np.linspace(0, 1, len(rising))))

    def spaced(self, step: float, count: int) -> list[float]:
        """The numbers of so many players, each a step below the next; the last one is 1."""
        return [self.where(-step * below) for below in range(count - 1, -1, -1)]


def fit(games: Sequence[Games], knots: int) -> Curve:
    """The curve that explains the games best (Newton's method)."""
    rows = np.array([_hat(each.first, knots) - _hat(each.second, knots) for each in games])
    count = np.array([each.count for each in games], float)
    points = np.array([each.points for each in games], float)
    # Half a game drawn by each pairing keeps a clean sweep from being infinite.
    points, count = points + 0.25, count + 0.5
    kinks = np.diff(np.eye(knots), 2, axis=0)
    price = PRICE * kinks.T @ kinks + 1e-6 * np.eye(knots)
    strength = np.zeros(knots)
    for _ in range(100):
        chance = 1 / (1 + np.exp(-rows @ strength))
        slope = rows.T @ (points - count * chance) - price @ strength
        bend = (rows * (count * chance * (1 - chance))[:, None]).T @ rows + price
        step = np.linalg.solve(bend, slope)
        strength += np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-9:
            break
    elo = UNIT * (strength - strength[-1])
    return Curve(tuple(float(value) for value in elo))


def _hat(number: float, knots: int) -> Array:
    """How much each knot counts at a number."""
    place = min(max(number, 0.0), 1.0) * (knots - 1)
    weights: Array = np.maximum(0.0, 1 - np.abs(np.arange(knots) - place))
    return weights
