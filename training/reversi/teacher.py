"""Train the teacher: a convolutional network that says what positions are worth.

    python teacher.py SCORED... --write TEACHER --seconds 700

SCORED are files of `selfplay scored`; the last one is not learnt from, but judges. The network sees
both players' stones and moves and says two things: what search says, and how the game will end. It
is far too slow to play; `distil.py` teaches the pattern tables with it.
"""

from __future__ import annotations

import argparse
import time
from copy import deepcopy
from pathlib import Path

import numpy as np
import torch
from boards import cells, empty_cells, moves, words
from torch import nn

RECORD = np.dtype(
    [("own", "<u8"), ("other", "<u8"), ("lead", "i1"), ("explained", "i1"), ("score", "<i2")]
)
PER_STONE = 32
CHANNELS, BLOCKS, BATCH, RATE = 128, 8, 6144, 2e-3
RESULTS_COUNT = 0.15
"""Beside what search says, which is much less noisy."""
NEAR = 24
"""Stones; what is decided by more matters less."""
PHASES = [(5, 16), (17, 24), (25, 32), (33, 40), (41, 48), (49, 60)]
"""Empty cells."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("scored", type=Path, nargs="+")
    parser.add_argument("--write", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=700.0)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    learnt = Positions(options.scored[:-1], device)
    teacher = trained(learnt, options.seconds, device)
    judge(teacher, Positions(options.scored[-1:], device))
    torch.save(teacher.state_dict(), options.write)


class Positions:
    """Positions of games on the device."""

    def __init__(self, paths: list[Path], device: str) -> None:
        data = np.concatenate([np.fromfile(path, RECORD) for path in paths])
        self.own, self.other = words(data["own"], device), words(data["other"], device)
        self.lead, self.explained, self.score = (
            torch.from_numpy(data[name].astype(np.float32)).to(device)
            for name in ("lead", "explained", "score")
        )
        self.score /= PER_STONE

    def __len__(self) -> int:
        return len(self.own)


class Teacher(nn.Module):
    """Residual blocks of convolutions; answers in stones: what search says, how it ends."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(convolution(5, CHANNELS), nn.ReLU())
        self.blocks = nn.Sequential(*(Block() for _ in range(BLOCKS)))
        self.narrow = nn.Sequential(nn.Conv2d(CHANNELS, 16, 1), nn.BatchNorm2d(16), nn.ReLU())
        self.last = nn.Sequential(nn.Linear(16 * 64, 256), nn.ReLU(), nn.Linear(256, 2))

    def forward(self, planes: torch.Tensor) -> torch.Tensor:
        seen = self.narrow(self.blocks(self.first(planes)))
        return self.last(seen.flatten(1)).float() * 16


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(
            convolution(CHANNELS, CHANNELS), nn.ReLU(), convolution(CHANNELS, CHANNELS)
        )

    def forward(self, seen: torch.Tensor) -> torch.Tensor:
        return torch.relu(seen + self.inner(seen))


def convolution(channels: int, made: int) -> nn.Sequential:
    return nn.Sequential(nn.Conv2d(channels, made, 3, padding=1, bias=False), nn.BatchNorm2d(made))


def planes(own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """What the network sees of words: stones and moves of both, and where the board is."""
    mine, theirs = cells(own), cells(other)
    seen = [mine, theirs, moves(mine, theirs), moves(theirs, mine), torch.ones_like(mine)]
    return laid_out(torch.stack(seen, 1).view(-1, 5, 8, 8).to(torch.bfloat16))


def laid_out(seen: torch.Tensor) -> torch.Tensor:
    return seen.contiguous(memory_format=torch.channels_last)


def turned(seen: torch.Tensor, symmetry: int) -> torch.Tensor:
    """One of the eight views of the board."""
    if symmetry & 1:
        seen = seen.flip(3)
    if symmetry & 2:
        seen = seen.flip(2)
    return laid_out(seen.transpose(2, 3) if symmetry & 4 else seen)


def closeness(stones: torch.Tensor) -> torch.Tensor:
    return 1 / (1 + (stones / NEAR) ** 2)


def trained(learnt: Positions, seconds: float, device: str) -> Teacher:
    """The mean of the last networks, which knows more than each of them."""
    begin = time.perf_counter()
    network = Teacher().to(device, memory_format=torch.channels_last)
    mean = deepcopy(network).eval()
    optimiser = torch.optim.AdamW(
        network.parameters(), lr=RATE, weight_decay=1e-4, betas=(0.9, 0.98)
    )
    step = 0
    while (part := (time.perf_counter() - begin) / seconds) < 1:
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1, step / 300) * max(0.02, (1 - part) ** 1.2)
        loss = loss_of(network, learnt, step * 5 % 8, device)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 5.0)
        optimiser.step()
        step += 1
        follow(mean, network, step)
    print(f"{step} steps of {BATCH} positions, of {len(learnt)}", flush=True)
    return mean


def loss_of(network: Teacher, learnt: Positions, symmetry: int, device: str) -> torch.Tensor:
    drawn = torch.randint(0, len(learnt), (BATCH,), device=device)
    with torch.autocast(device, torch.bfloat16):
        said = network(turned(planes(learnt.own[drawn], learnt.other[drawn]), symmetry))
    score = learnt.score[drawn]
    weight = closeness(score)
    search = weight * (said[:, 0] - score) ** 2
    result = weight * learnt.explained[drawn] * (said[:, 1] - learnt.lead[drawn]) ** 2
    return (search + RESULTS_COUNT * result).mean() / 16


@torch.no_grad()
def follow(mean: Teacher, network: Teacher, step: int) -> None:
    share = max(0.001, 10 / (step + 10))
    for ours, theirs in zip(mean.parameters(), network.parameters(), strict=True):
        ours.lerp_(theirs, share)
    for ours, theirs in zip(mean.buffers(), network.buffers(), strict=True):
        ours.copy_(theirs)


@torch.no_grad()
def said(teacher: Teacher, own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """What the teacher says of words, both answers."""
    with torch.autocast(own.device.type, torch.bfloat16):
        return torch.cat(
            [
                teacher(planes(*part))
                for part in zip(own.split(1 << 16), other.split(1 << 16), strict=True)
            ]
        )


def judge(teacher: Teacher, held: Positions) -> None:
    """Print how far off it is, on positions that it has not learnt from."""
    values = said(teacher, held.own, held.other)
    empties = empty_cells(cells(held.own), cells(held.other))
    for low, high in PHASES:
        here = (empties >= low) & (empties <= high)
        score, weight = held.score[here], closeness(held.score[here])
        search = (weight * (values[here, 0] - score) ** 2).sum() / weight.sum()
        ended = here & (held.explained > 0)
        result = ((values[ended, 1] - held.lead[ended]) ** 2).mean()
        print(f"{low}-{high} empty: search {search**0.5:.2f}, results {result**0.5:.2f} stones off")


if __name__ == "__main__":
    main()
