"""Train the forecast network of Blokus on examples of games.cpp.

    python forecast.py EXAMPLES... --out forecast.bin --minutes 2

Each example is a position as the network sees it, the points by which the seat on turn leads and
those by which it led at the end. The network learns how many points it will still gain, and how
sure that makes a win. Rotations and reflections of the board make eight examples out of one. The
architecture is that of forecast.hpp, written for whole boards at once.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import torch
from boards import ROUNDS, SIDE, device_to_learn_on, places, read, set_rate, turned, write
from torch import Tensor, nn
from torch.nn import functional

PLANES, COLOURS, KINDS = 20, 4, 21
POINTS = 16.0
"""The network counts in sixteens of points."""
EXAMPLE = np.dtype(
    [
        ("rows", "<u4", (PLANES, SIDE)),
        ("pieces", "<u4", COLOURS),
        ("round", "<u2"),
        ("lead", "<i2"),
        ("end", "<i2"),
        ("seat", "<u2"),
    ]
)


class Network(nn.Module):
    """forecast.hpp for a batch of boards."""

    def __init__(self, units: int, hidden: int) -> None:
        super().__init__()
        self.units = units

        def normal(*shape: int, scale: float) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape) * scale)

        self.seen = normal(PLANES, 9, units, scale=0.12)
        self.place = normal(55, units, scale=0.05)
        self.time = normal(ROUNDS, units, scale=0.05)
        self.summed = normal(units, hidden, scale=0.15)
        self.piece = normal(COLOURS * KINDS, hidden, scale=0.05)
        self.late = normal(ROUNDS, hidden, scale=0.05)
        self.inner = normal(hidden, hidden, scale=0.15)
        self.inner_bias = normal(hidden, scale=0.01)
        self.gain = normal(hidden, scale=0.1)
        self.gain_late = normal(ROUNDS, scale=0.01)
        self.sure = nn.Parameter(torch.zeros(ROUNDS))
        self.register_buffer("places", places(), persistent=False)

    def forward(
        self, planes: Tensor, pieces: Tensor, rounds: Tensor, lead: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The lead at the end, in sixteens, and the logit of a win."""
        weight = self.seen.permute(2, 0, 1).reshape(self.units, PLANES, 3, 3)
        first = functional.conv2d(planes, weight, padding=1)
        first = first + self.place[self.places].permute(2, 0, 1)
        first = functional.relu(first + self.time[rounds][:, :, None, None])
        pooled = first.sum((2, 3)) / 64
        hidden = pooled @ self.summed + pieces @ self.piece + self.late[rounds]
        hidden = functional.relu(hidden)
        hidden = functional.relu(hidden @ self.inner + self.inner_bias)
        end = lead + hidden @ self.gain + self.gain_late[rounds]
        return end, end * self.sure[rounds].exp()


class Examples:
    """Examples on the device that learns; planes as rows of bits."""

    def __init__(self, paths: list[Path], device: str) -> None:
        raw = np.concatenate([np.fromfile(path, dtype=EXAMPLE) for path in paths])
        self.rows = torch.from_numpy(raw["rows"].astype(np.int32)).to(device)
        self.pieces = torch.from_numpy(raw["pieces"].astype(np.int32)).to(device)
        rounds = torch.from_numpy(raw["round"].astype(np.int64))
        self.rounds = rounds.clamp(max=ROUNDS - 1).to(device)
        self.lead = torch.from_numpy(raw["lead"].astype(np.float32)).to(device) / POINTS
        self.end = torch.from_numpy(raw["end"].astype(np.float32)).to(device) / POINTS
        self.bits = torch.arange(SIDE, dtype=torch.int32, device=device)
        self.kinds = torch.arange(KINDS, dtype=torch.int32, device=device)

    def __len__(self) -> int:
        return len(self.rounds)

    def batch(self, at: Tensor, symmetry: int) -> tuple[Tensor, ...]:
        planes = turned(((self.rows[at][..., None] >> self.bits) & 1).float(), symmetry)
        pieces = ((self.pieces[at][..., None] >> self.kinds) & 1).float().flatten(1)
        return planes, pieces, self.rounds[at], self.lead[at], self.end[at]


def losses(network: Network, batch: tuple[Tensor, ...]) -> tuple[Tensor, Tensor]:
    """Of the chance to win, as cross entropy, and of the points, in sixteens."""
    *given, end = batch
    forecast, logit = network(*given)
    won = (end.sign() + 1) / 2
    chance = functional.binary_cross_entropy_with_logits(logit, won)
    return chance, functional.smooth_l1_loss(forecast, end)


def validate(network: Network, examples: Examples, at: Tensor, size: int) -> list[float]:
    with torch.no_grad():
        parts = [torch.stack(losses(network, examples.batch(part, 0))) for part in at.split(size)]
    return [float(value) for value in torch.stack(parts).mean(0)]


def train(
    network: Network, examples: Examples, minutes: float, size: int, rate: float, share: float
) -> None:
    device = examples.rounds.device
    split = min(100_000, max(1, len(examples) // 25))
    test = torch.arange(0, split, device=device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-4)
    if split > 1:
        before = validate(network, examples, test, size)
        print(f"before: chance {before[0]:.4f}, points {before[1]:.4f}", flush=True)
    begin, step = time.monotonic(), 0
    while (spent := (time.monotonic() - begin) / (60 * minutes)) < 1:
        set_rate(optimiser, rate, spent)
        at = torch.randint(split, len(examples), (size,), device=device)
        chance, points = losses(network, examples.batch(at, int(torch.randint(8, ()))))
        optimiser.zero_grad(set_to_none=True)
        (chance + share * points).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if step % 1000 == 0:
            print(f"step {step}: {chance:.4f} {points:.4f}, spent {spent:.2f}", flush=True)
        step += 1
    left = validate(network, examples, test, size)
    print(f"{step} steps; on {split} other examples: chance {left[0]:.4f}, points {left[1]:.4f}")


def by_round(network: Network, examples: Examples) -> None:
    """How good the forecast is as the game goes on: cross entropy by rounds."""
    at = torch.arange(0, min(100_000, max(1, len(examples) // 25)), device=examples.rounds.device)
    for low in range(0, ROUNDS, 3):
        part = at[(examples.rounds[at] >= low) & (examples.rounds[at] < low + 3)]
        if len(part) > 50:
            chance, points = validate(network, examples, part, 4096)
            print(f"rounds {low:2}…{low + 2:2}: {len(part)} examples, {chance:.4f} {points:.4f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="go on from these weights")
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--size", type=int, default=4096, help="examples in a step")
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--units", type=int, default=32)
    parser.add_argument("--hidden", type=int, default=32)
    parser.add_argument("--points", type=float, default=0.3, help="weight of the points")
    given = parser.parse_args()
    device = device_to_learn_on()
    network = Network(given.units, given.hidden).to(device)
    if given.start is not None:
        read(network, given.start)
    examples = Examples(given.examples, device)
    print(f"{len(examples)} examples on {device}", flush=True)
    train(network, examples, given.minutes, given.size, given.rate, given.points)
    by_round(network, examples)
    write(network, given.out)


if __name__ == "__main__":
    main()
