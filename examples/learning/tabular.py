"""Q-learning with a table, on the Reversi board of 4 × 4, against a player that moves by lot.

    python examples/learning/tabular.py --games 20000 --out tabular.svg

Needs spielleiter[envs]. A state is the text of the position; its actions' values are learnt from
the end of the game backwards, and the greedy player is measured now and then.
"""

from __future__ import annotations

import argparse
import random
from collections import defaultdict
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from curve import draw

from spielleiter.envs.gymnasium import env_id

MAP = "p2_04x04_classic"
Table = dict[str, dict[int, float]]


class Learner:
    """Values of actions by position; what was never tried is worth 0."""

    def __init__(self, rate: float, explores: float, lot: random.Random) -> None:
        self.values: Table = defaultdict(dict)
        self.rate, self.explores, self.lot = rate, explores, lot

    def choose(self, state: str, legal: list[int], explores: float) -> int:
        if self.lot.random() < explores:
            return self.lot.choice(legal)
        known = self.values[state]
        best = max(known.get(action, 0.0) for action in legal)
        return self.lot.choice([a for a in legal if known.get(a, 0.0) == best])

    def learn(self, steps: list[tuple[str, int]], result: float) -> None:
        """Backwards: the last move led to the result, each other to the best that followed."""
        target = result
        for state, action in reversed(steps):
            known = self.values[state]
            known[action] = known.get(action, 0.0) + self.rate * (target - known.get(action, 0.0))
            target = max(known.values())


def play(env: Any, learner: Learner, explores: float) -> tuple[list[tuple[str, int]], float]:
    """One game: where the learner moved, and how it ended."""
    seen, _ = env.reset()
    steps: list[tuple[str, int]] = []
    over, reward = False, 0.0
    while not over:
        legal = np.flatnonzero(seen["action_mask"]).tolist()
        state = env.unwrapped.position.text()
        action = learner.choose(state, legal, explores)
        steps.append((state, action))
        seen, reward, over, _, _ = env.step(action)
    return steps, reward


def points(env: Any, learner: Learner, games: int) -> float:
    """Points won without exploring, in percent; a draw is half a point."""
    return 50 + 50 * sum(play(env, learner, 0.0)[1] for _ in range(games)) / games


def main(words: list[str] | None = None) -> float:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=20_000)
    parser.add_argument("--measured", type=int, default=300, help="games of each measurement")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("tabular.svg"))
    given = parser.parse_args(words)
    env = gymnasium.make(env_id("reversi"), map=MAP, seat=None, opponent="random")
    env.reset(seed=given.seed)
    learner = Learner(rate=0.2, explores=0.2, lot=random.Random(given.seed))
    curve = [(0.0, points(env, learner, given.measured))]
    for part in range(10):
        for _ in range(given.games // 10):
            learner.learn(*play(env, learner, learner.explores))
        curve.append(((part + 1) * given.games / 10, points(env, learner, given.measured)))
        print(f"{curve[-1][0]:.0f} games: {curve[-1][1]:.1f} %", flush=True)
    draw(given.out, "Q-learning, Reversi 4 × 4", {"against random": curve}, "games")
    return curve[-1][1]


if __name__ == "__main__":
    main()
