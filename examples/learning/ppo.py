"""Proximal policy optimisation on the Reversi board of 6 × 6, many games at once.

    python examples/learning/ppo.py --updates 60 --out ppo.svg

Needs spielleiter[envs,train]. `BatchVectorEnv` steps all games in one native call; the opponent
moves by lot. The network is a small perceptron with a head for the policy and one for the value.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
import torch
from curve import draw
from torch import Tensor, nn

from spielleiter.envs.gymnasium import BatchVectorEnv

SIDE, STRIDE, GAMES, STEPS, EPOCHS, CLIP = 6, 15, 64, 20, 3, 0.2
CELLS = [STRIDE * y + x for y in range(SIDE) for x in range(SIDE)]
"""The actions of this board among those of the largest one."""


class ActorCritic(nn.Module):
    """What to play, and how the game will end."""

    def __init__(self) -> None:
        super().__init__()
        size = 3 * SIDE * SIDE
        self.body = nn.Sequential(nn.Linear(size, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.policy, self.value = nn.Linear(128, SIDE * SIDE), nn.Linear(128, 1)

    def forward(self, planes: Tensor, mask: Tensor) -> tuple[Any, Tensor]:
        hidden = self.body(planes)
        logits = self.policy(hidden).masked_fill(~mask, -1e9)
        return torch.distributions.Categorical(logits=logits), self.value(hidden)[:, 0]


def inputs(seen: dict[str, Any]) -> tuple[Tensor, Tensor]:
    """Own stones, the other's, legal moves; a game that is over may play anything."""
    planes = seen["observation"][:, [0, 1, 5], :SIDE, :SIDE].reshape(len(seen["observation"]), -1)
    mask = torch.from_numpy(seen["action_mask"][:, CELLS] > 0)
    return torch.from_numpy(planes).float(), mask | ~mask.any(1, keepdim=True)


def collect(envs: BatchVectorEnv, seen: dict[str, Any], net: ActorCritic) -> tuple[Any, ...]:
    """Steps of all games: what was seen, done and gained, and the last observation."""
    rows = []
    for _ in range(STEPS):
        planes, mask = inputs(seen)
        with torch.no_grad():
            policy, value = net(planes, mask)
        chosen = policy.sample()
        alive = torch.from_numpy(seen["action_mask"].any(1))
        seen, rewards, done, _, _ = envs.step(np.array(CELLS)[chosen.numpy()])
        ends = torch.from_numpy(rewards).float(), torch.from_numpy(done)
        rows.append((planes, mask, chosen, policy.log_prob(chosen), value, alive, *ends))
    with torch.no_grad():
        _, value = net(*inputs(seen))
    return seen, value, *(torch.stack(column) for column in zip(*rows, strict=True))


def advantages(values: Tensor, last: Tensor, rewards: Tensor, done: Tensor) -> Tensor:
    """Generalised advantage estimation, with λ = 0.95 and no discount."""
    found, gain, after = torch.zeros_like(values), torch.zeros_like(last), last
    for step in reversed(range(len(values))):
        goes_on = (~done[step]).float()
        gain = rewards[step] + after * goes_on - values[step] + 0.95 * goes_on * gain
        found[step], after = gain, values[step]
    return found


def improve(net: ActorCritic, optimiser: torch.optim.Optimizer, rows: tuple[Any, ...]) -> None:
    last, planes, mask, chosen, before, values, alive, rewards, done = rows
    gains = advantages(values, last, rewards, done)
    wanted = (gains + values)[alive]
    planes, mask, chosen, before, gains = (
        each[alive] for each in (planes, mask, chosen, before, gains)
    )
    gains = (gains - gains.mean()) / (gains.std() + 1e-6)
    for _ in range(EPOCHS):
        for at in torch.randperm(len(gains)).split(256):
            policy, value = net(planes[at], mask[at])
            ratio = (policy.log_prob(chosen[at]) - before[at]).exp()
            surrogate = torch.min(ratio * gains[at], ratio.clamp(1 - CLIP, 1 + CLIP) * gains[at])
            error = (value - wanted[at]).square().mean()
            loss = 0.5 * error - surrogate.mean() - 0.01 * policy.entropy().mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 0.5)
            optimiser.step()


def points(net: ActorCritic, games: int, seed: int) -> float:
    """Points won by the likeliest moves against random ones, in percent."""
    envs = make(games)
    seen, _ = envs.reset(seed=seed)
    won, open_games = np.zeros(games), np.ones(games, bool)
    while open_games.any():
        with torch.no_grad():
            policy, _ = net(*inputs(seen))
        seen, rewards, done, _, _ = envs.step(np.array(CELLS)[policy.logits.argmax(1).numpy()])
        won, open_games = won + rewards * open_games, open_games & ~done
    return float(50 + 50 * won.mean())


def make(games: int) -> BatchVectorEnv:
    return BatchVectorEnv("reversi", games, opponent="random", seat=None, map="p2_06x06_classic")


def main(words: list[str] | None = None) -> float:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--updates", type=int, default=60)
    parser.add_argument("--measured", type=int, default=400, help="games of each measurement")
    parser.add_argument("--out", type=Path, default=Path("ppo.svg"))
    given = parser.parse_args(words)
    torch.manual_seed(1)
    envs, net = make(GAMES), ActorCritic()
    optimiser = torch.optim.Adam(net.parameters(), lr=1e-3)
    seen, _ = envs.reset(seed=1)
    curve = [(0.0, points(net, given.measured, 2))]
    for update in range(1, given.updates + 1):
        seen, *rows = collect(envs, seen, net)
        improve(net, optimiser, tuple(rows))
        if update % max(1, given.updates // 10) == 0:
            curve.append((update * GAMES * STEPS, points(net, given.measured, 2)))
            print(f"{curve[-1][0]:.0f} moves: {curve[-1][1]:.1f} %", flush=True)
    draw(given.out, "PPO, Reversi 6 × 6", {"against random": curve}, "moves")
    return curve[-1][1]


if __name__ == "__main__":
    main()
