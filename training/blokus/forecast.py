"""Train the forecast network of Blokus on examples of recorded games.

    python forecast.py EXAMPLES... --out forecast.bin --minutes 2

Each example is a position as the network sees it, the points by which the seat on turn leads, those
by which it led at the end, and what search thought of it. The network learns how many points it
will still gain, and how sure that makes a win. Rotations and reflections of the board make eight
examples out of one. The architecture is that of forecast_network.hpp, for whole boards at once.
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

STEPS, COLOURS, KINDS = 5, 4, 21
POINTS = 16.0
"""The network counts in sixteens of points."""
EXAMPLE = np.dtype(
    [
        ("level", "u1", (COLOURS, SIDE, SIDE)),
        ("pieces", "<u4", COLOURS),
        ("round", "<u2"),
        ("lead", "<i2"),
        ("end", "<i2"),
        ("worth", "<i2"),
        ("careful", "<u2"),
        ("game", "<u2"),
    ]
)


class Network(nn.Module):
    """forecast_network.hpp for a batch of boards."""

    def __init__(self, units: int, hidden: int) -> None:
        super().__init__()
        self.units = units

        def normal(*shape: int, scale: float) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape) * scale)

        self.seen = normal(COLOURS * STEPS, 9, units, scale=0.12)
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
        self, level: Tensor, pieces: Tensor, rounds: Tensor, lead: Tensor
    ) -> tuple[Tensor, Tensor]:
        """The lead at the end, in sixteens, and the logit of a win."""
        weight = self.seen.permute(2, 0, 1).reshape(self.units, -1, 3, 3)
        steps = torch.arange(1, STEPS + 1, device=level.device)
        planes = (level[:, :, None] >= steps[:, None, None]).float().flatten(1, 2)
        planes = planes.contiguous(memory_format=torch.channels_last)
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
    """Examples on the device that learns."""

    def __init__(self, paths: list[Path], device: str, share: float) -> None:
        raw = np.concatenate([np.fromfile(path, dtype=EXAMPLE) for path in paths])
        self.level = torch.from_numpy(raw["level"]).to(device)
        self.pieces = torch.from_numpy(raw["pieces"].astype(np.int32)).to(device)
        rounds = torch.from_numpy(raw["round"].astype(np.int64))
        self.rounds = rounds.clamp(max=ROUNDS - 1).to(device)
        self.lead = torch.from_numpy(raw["lead"].astype(np.float32)).to(device) / POINTS
        self.end = torch.from_numpy(raw["end"].astype(np.float32)).to(device) / POINTS
        self.careful = torch.from_numpy(raw["careful"].astype(np.float32)).to(device)
        self.won = (self.end.sign() + 1) / 2
        worth = torch.from_numpy(raw["worth"].astype(np.float32)).to(device) / 10_000
        part = torch.where(self.careful > 0, torch.where(worth >= 0, share, 0.0), 1.0)
        self.wanted = self.won + part * (worth.clamp(min=0) - self.won)
        self.kinds = torch.arange(KINDS, dtype=torch.int32, device=device)
        held = torch.from_numpy(raw["game"].astype(np.int64) % 25 == 0).to(device)
        self.test, self.learn = torch.nonzero(held).flatten(), torch.nonzero(~held).flatten()

    def __len__(self) -> int:
        return len(self.rounds)

    def batch(self, at: Tensor, symmetry: int) -> tuple[Tensor, ...]:
        level = turned(self.level[at], symmetry)
        pieces = ((self.pieces[at][..., None] >> self.kinds) & 1).float().flatten(1)
        return level, pieces, self.rounds[at], self.lead[at]


def losses(
    network: Network, examples: Examples, at: Tensor, symmetry: int, wanted: Tensor
) -> tuple[Tensor, Tensor]:
    """Of the chance to win, as cross entropy, and of the points, in sixteens."""
    forecast, logit = network(*examples.batch(at, symmetry))
    chance = functional.binary_cross_entropy_with_logits(logit, wanted[at])
    error = functional.smooth_l1_loss(forecast, examples.end[at], reduction="none")
    return chance, (error * examples.careful[at]).mean()


def validate(network: Network, examples: Examples, at: Tensor, size: int) -> list[float]:
    at = at[examples.careful[at] > 0]
    with torch.no_grad():
        parts = [
            torch.stack(losses(network, examples, part, 0, examples.won)) * len(part)
            for part in at.split(size)
        ]
    return [float(value) for value in torch.stack(parts).sum(0) / max(1, len(at))]


def train(
    network: Network, examples: Examples, minutes: float, size: int, rate: float, share: float
) -> None:
    device = examples.rounds.device
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-3)
    before = validate(network, examples, examples.test, size)
    print(f"before: chance {before[0]:.4f}, points {before[1]:.4f}", flush=True)
    begin, step = time.monotonic(), 0
    while (spent := (time.monotonic() - begin) / (60 * minutes)) < 1:
        set_rate(optimiser, rate, spent)
        at = examples.learn[torch.randint(len(examples.learn), (size,), device=device)]
        symmetry = int(torch.randint(8, ()))
        chance, points = losses(network, examples, at, symmetry, examples.wanted)
        optimiser.zero_grad(set_to_none=True)
        (chance + share * points).backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if step % 2000 == 0:
            left = validate(network, examples, examples.test, size)
            print(
                f"step {step}: {chance:.4f} {points:.4f}, others {left[0]:.4f} {left[1]:.4f}, "
                f"spent {spent:.2f}",
                flush=True,
            )
        step += 1
    left = validate(network, examples, examples.test, size)
    count = len(examples.test)
    print(f"{step} steps; on {count} other examples: chance {left[0]:.4f}, points {left[1]:.4f}")


def by_round(network: Network, examples: Examples) -> None:
    """How good the forecast is as the game goes on: cross entropy by rounds."""
    rounds = examples.rounds[examples.test]
    for low in range(0, ROUNDS, 3):
        part = examples.test[(rounds >= low) & (rounds < low + 3)]
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
    parser.add_argument("--worth", type=float, default=0.3, help="share of what search thought")
    given = parser.parse_args()
    device = device_to_learn_on()
    network = Network(given.units, given.hidden).to(device)
    if given.start is not None:
        read(network, given.start)
    examples = Examples(given.examples, device, given.worth)
    by_round(network, examples)
    print(f"{len(examples)} examples on {device}", flush=True)
    train(network, examples, given.minutes, given.size, given.rate, given.points)
    by_round(network, examples)
    write(network, given.out)


if __name__ == "__main__":
    main()
