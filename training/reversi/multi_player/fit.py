"""The weights that say best who will be first: a multinomial logit, solved by Newton's method.

    python fit.py PLAYERS WEIGHTS.inc RECORDS… --about "8,000 games of …"

Records are those of `features`. One block of games in twenty judges the fit.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

FEATURES = [
    *("bias", "parity", "stones", "lead", "few_stones", "moves", "no_moves", "frontier"),
    *("corners", "edges", "stable", "near_corner", "corner_moves", "first_corner_moves"),
    *("edge_moves", "exclusive_moves"),
]
KNOTS = 5
SEATS = 4
RIDGE = 2.0
CHUNK = 20_000

Array = NDArray[np.float32]


class Data:
    """Positions, and what they look like to every player."""

    def __init__(self, players: int, files: list[Path]) -> None:
        width = 1 + len(FEATURES) * players + players
        rows = np.concatenate([np.fromfile(file, np.float32).reshape(-1, width) for file in files])
        self.players = players
        self.full: Array = rows[:, 0]
        self.features: Array = rows[:, 1:-players].reshape(-1, len(FEATURES), players)
        self.first: Array = rows[:, -players:]
        self.knots = interpolation(self.full)
        block = np.arange(len(rows)) * 40 // len(rows)
        self.unseen = np.nonzero(block % 20 == 7)[0]
        self.seen = np.nonzero(block % 20 != 7)[0]

    def design(self, rows: NDArray[np.int64], turn: int) -> Array:
        """A number for each weight of that place in the turn."""
        features, knots = self.features[rows, :, turn], self.knots[rows]
        return (features[:, :, None] * knots[:, None, :]).reshape(len(rows), -1)


def interpolation(full: Array) -> Array:
    """How much each knot counts."""
    place = full * (KNOTS - 1)
    knot = np.minimum(KNOTS - 2, place.astype(int))
    parts = np.zeros((len(full), KNOTS), np.float32)
    parts[np.arange(len(full)), knot] = 1 - (place - knot)
    parts[np.arange(len(full)), knot + 1] = place - knot
    return parts


def chances(seen: list[Array], weights: NDArray[np.float64]) -> Array:
    sums = np.stack([x @ w.astype(np.float32) for x, w in zip(seen, weights, strict=True)], 1)
    parts: Array = np.exp(sums - sums.max(1, keepdims=True))
    parts /= parts.sum(1, keepdims=True)
    return parts


def chunks(rows: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    return np.array_split(rows, max(1, len(rows) // CHUNK))


def loss(data: Data, rows: NDArray[np.int64], weights: NDArray[np.float64]) -> float:
    total = 0.0
    for some in chunks(rows):
        seen = [data.design(some, turn) for turn in range(data.players)]
        total -= float((data.first[some] * np.log(chances(seen, weights) + 1e-9)).sum())
    return total / len(rows)


def newton(data: Data, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The step to where the slope would vanish if it changed evenly."""
    players, width = weights.shape
    slope = RIDGE * weights
    bend = np.zeros((players, width, players, width))
    for some in chunks(data.seen):
        seen = [data.design(some, turn) for turn in range(players)]
        found = chances(seen, weights)
        for a in range(players):
            slope[a] += seen[a].T @ (found[:, a] - data.first[some, a])
            for b in range(a + 1):
                part = found[:, a] * (float(a == b) - found[:, b])
                bend[a, :, b] += seen[a].T @ (seen[b] * part[:, None])
    for a in range(players):
        for b in range(a):
            bend[b, :, a] = bend[a, :, b].T
    square = bend.reshape(players * width, -1) + RIDGE * np.eye(players * width)
    return np.asarray(np.linalg.solve(square, slope.reshape(-1)), float).reshape(weights.shape)


def fitted(data: Data) -> NDArray[np.float64]:
    weights = np.zeros((data.players, len(FEATURES) * KNOTS))
    for turn in range(12):
        step = newton(data, weights)
        weights -= step
        print(turn, f"loss on unseen games {loss(data, data.unseen, weights):.4f}", flush=True)
        if np.abs(step).max() < 0.02:
            break
    return weights


def table(weights: NDArray[np.float64], about: str) -> str:
    """The weights as C++ includes them: feature, place in the turn, knot."""
    players = len(weights)
    whole = np.zeros((len(FEATURES), SEATS, KNOTS), int)
    rounded = np.clip(np.round(256 * weights), -32767, 32767).astype(int)
    whole[:, :players] = rounded.reshape(players, len(FEATURES), KNOTS).transpose(1, 0, 2)
    lines = [f"// Made by training/reversi/multi_player/fit.py: {about}.", "// clang-format off"]
    for name, turns in zip(FEATURES, whole, strict=True):
        inner = ", ".join("{{" + ", ".join(f"{w:5d}" for w in knots) + "}}" for knots in turns)
        lines.append(f"{{{{{inner}}}}},  // {name}")
    return "\n".join([*lines, "// clang-format on", ""])


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("players", type=int)
    words.add_argument("out", type=Path)
    words.add_argument("records", type=Path, nargs="+")
    words.add_argument("--about", default="")
    given = words.parse_args()
    data = Data(given.players, given.records)
    weights = fitted(data)
    seen, unseen = (loss(data, rows, weights) for rows in (data.seen, data.unseen))
    positions = f"{len(data.full):,} positions, loss {seen:.4f}, on unseen games {unseen:.4f}"
    given.out.write_text(table(weights, f"{given.about}; {positions}"), encoding="utf-8")
    for low in np.arange(0, 1, 0.2):
        part = data.full[data.unseen]
        rows = data.unseen[(part >= low) & (part < low + 0.2)]
        if len(rows):
            print(f"full {low:.1f} to {low + 0.2:.1f}: loss {loss(data, rows, weights):.4f}")


if __name__ == "__main__":
    main()
