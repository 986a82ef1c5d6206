"""Which settings of the tree search win, from games of `settings.cpp`.

    python training/blokus/settings.py FILE… NAME=LOW:HIGH …

Names and bounds are those the games were played with, in the same order. The points of a pair of
games are fitted by the difference of two parabolas, one for each side: how steep it is between the
bounds, how much it bends, and where it is highest.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

Array = np.ndarray[tuple[int, ...], np.dtype[np.float64]]
RIDGE = 1.0
"""Holds back what few games seem to say."""


def features(places: Array) -> Array:
    """A straight line and a parabola for each setting."""
    return np.hstack([places, places**2])


def fitted(games: Array, count: int) -> tuple[Array, Array]:
    """The share of the points that each feature is worth, and its standard error."""
    points = np.sign(games[:, -2:]).sum(axis=1) / 4
    matrix = features(games[:, :count]) - features(games[:, count : 2 * count])
    square = matrix.T @ matrix + RIDGE * np.eye(2 * count)
    worth = np.linalg.solve(square, matrix.T @ points)
    rest = float(np.var(points - matrix @ worth))
    return worth, np.sqrt(np.diag(np.linalg.inv(square)) * rest)


def highest(line: float, bend: float) -> float:
    """Where a parabola is highest between -1 and 1."""
    ends = max((-1.0, 1.0), key=lambda place: line * place + bend * place**2)
    return ends if bend >= 0 else float(np.clip(-line / (2 * bend), -1, 1))


def main(words: list[str]) -> None:
    files = [Path(word) for word in words if "=" not in word]
    bounds = [word for word in words if "=" in word]
    games = np.vstack([np.loadtxt(file, ndmin=2) for file in files])
    worth, error = fitted(games, len(bounds))
    print(f"{len(games)} pairs; share of the points from the middle to the upper bound")
    for at, word in enumerate(bounds):
        name, both = word.split("=")
        low, high = map(float, both.split(":"))
        line, bend = worth[at], worth[at + len(bounds)]
        place = low + (high - low) * (highest(line, bend) + 1) / 2
        print(
            f"{name:12} steep {line:+.3f} ± {error[at]:.3f}, "
            f"bent {bend:+.3f} ± {error[at + len(bounds)]:.3f}, highest at {place:.3f}"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
