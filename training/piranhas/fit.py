"""Fit the network of Piranhas to records of self-play: `python fit.py FILE... --write NET.npz`.

The chance of winning that the network promises is brought near to a mixture of what search thought
and how the game ended. Every position is shown in one of its eight orientations, by lot. Positions
whose best move is a capture, or with a whole swarm, are left out: they are search's business.
Needs PyTorch; a GPU takes a minute or two.
"""

from __future__ import annotations

import argparse
import math
import re
from multiprocessing import Pool
from pathlib import Path

import numpy as np
import torch
from export import FULL, SCALE, SIXTEENTHS, TEN
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits

RECORD = np.dtype(
    [
        ("cells", "u1", 50),
        ("ply", "u1"),
        ("credit", "u1"),
        ("seat", "u1"),
        ("flags", "u1"),
        ("score", "<i2"),
        ("result", "i1"),
        ("game", "u1"),
    ]
)
CAPTURES, WHOLE, LUCKY = 1, 2, 4
HIDDEN, THINGS, SQUARES = 128, 7, 100
KNOTS = (0.0, 12.0, 24.0, 36.0, 48.0, 52.0, 56.0, 60.0)
SWAPPED = (0, 4, 5, 6, 1, 2, 3, 7)
"""Codes as the other side sees them."""
TOGETHER = 100_000
"""Records that one process prepares at a time."""
FAINT = 0.1
"""How much of their random weights the units keep that a narrower network did not have."""
PULL = 1e-6
"""What it costs to leave an old number, in natural units of log odds."""

Device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Data:
    """Quiet positions as the seat to move sees them."""

    def __init__(self, files: list[str], share: float) -> None:
        records = np.concatenate([np.fromfile(name, RECORD) for name in files])
        quiet = (records["flags"] & (CAPTURES | WHOLE)) == 0
        records = records[quiet & (np.abs(records["score"]) < 3000)]
        with Pool() as pool:
            parts = pool.map(prepared, np.array_split(records, len(records) // TOGETHER + 1))
        cells, shape = (np.concatenate(each) for each in zip(*parts, strict=True))
        trust = np.where(records["flags"] & LUCKY, 1.0, share)
        chance = 1 / (1 + 10 ** (-records["score"].astype(float) / 400))
        credit = np.where(records["credit"] == records["seat"], 1.0, -1.0)
        self.cells = torch.tensor(cells, device=Device)
        self.ply = torch.tensor(records["ply"].astype(np.int64), device=Device)
        self.shape = torch.tensor(shape, device=Device)
        self.seat = torch.tensor(records["seat"].astype(np.int64), device=Device)
        self.credit = torch.tensor(
            np.where(records["credit"] == 2, 0.0, credit), dtype=torch.float32, device=Device
        )
        target = trust * chance + (1 - trust) * (records["result"].astype(float) + 1) / 2
        self.target = torch.tensor(target, dtype=torch.float32, device=Device)
        ends = (records["result"].astype(float) + 1) / 2
        self.result = torch.tensor(ends, dtype=torch.float32, device=Device)
        self.lucky = torch.tensor((records["flags"] & LUCKY) != 0, device=Device)
        held = torch.tensor(records["game"] % 16 == 0, device=Device)
        self.seen, self.unseen = torch.nonzero(~held)[:, 0], torch.nonzero(held)[:, 0]


def prepared(records: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The boards of records as the seat to move sees them, and their shapes."""
    cells = np.empty((len(records), SQUARES), np.int64)
    cells[:, 0::2], cells[:, 1::2] = records["cells"] & 15, records["cells"] >> 4
    second = records["seat"] == 1
    cells[second] = np.array(SWAPPED)[cells[second]]
    return cells.astype(np.uint8), shape_of(cells)


def shape_of(cells: np.ndarray) -> np.ndarray:
    """Swarms less holes, links, spread, reach and number of fish: own less the other's."""
    own, other = ((cells >= low) & (cells < low + 3) for low in (1, 4))
    difference = np.stack(shape_of_school(own)) - np.stack(shape_of_school(other))
    return np.asarray(difference.T, dtype=np.float32)


def shape_of_school(fish: np.ndarray) -> tuple[np.ndarray, ...]:
    board = np.zeros((len(fish), 12, 12), np.int64)
    board[:, 1:11, 1:11] = fish.reshape(-1, 10, 10)
    a, b, c, d = board[:, :-1, :-1], board[:, :-1, 1:], board[:, 1:, :-1], board[:, 1:, 1:]
    corners = a + b + c + d
    diagonal = (corners == 2) & (a == d)
    windows = (corners == 1).astype(int) - (corners == 3) - 2 * diagonal
    here = board[:, 1:11, 1:11]
    steps = (board[:, 1:11, 2:], board[:, 2:, 1:11], board[:, 2:, 2:], board[:, 2:, :10])
    links = sum((here * step).sum((1, 2)) for step in steps)
    x, y = np.arange(SQUARES) % 10, np.arange(SQUARES) // 10
    count = np.maximum(1, fish.sum(1))
    squares = fish @ (x * x + y * y)
    spread = np.maximum(0, squares - ((fish @ x) ** 2 + (fish @ y) ** 2) / count) / 10
    return windows.sum((1, 2)) / 4, links, spread, np.sqrt(10 * spread / count), fish.sum(1)


def knots_of(ply: torch.Tensor) -> torch.Tensor:
    """How much each knot counts at a ply."""
    shares = torch.zeros(len(ply), len(KNOTS), device=Device)
    for at in range(len(KNOTS) - 1):
        share = (ply - KNOTS[at]) / (KNOTS[at + 1] - KNOTS[at])
        inside = (share >= 0) & ((share < 1) | (at == len(KNOTS) - 2))
        shares[:, at] += torch.where(inside, 1 - share, 0.0)
        shares[:, at + 1] += torch.where(inside, share, 0.0)
    return shares


def moments_of(data: Data, at: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """How much each knot counts, for both seats alike and for each seat to move."""
    knots = knots_of(data.ply[at].float())
    places = len(KNOTS) * data.seat[at][:, None] + torch.arange(len(KNOTS), device=Device)
    by_seat = torch.zeros(len(at), 2 * len(KNOTS), device=Device)
    return knots, by_seat.scatter(1, places, knots)


class Network(nn.Module):
    """As network.hpp and evaluate.cpp compute it, in natural units of log odds."""

    def __init__(self) -> None:
        super().__init__()
        self.emb = nn.Parameter(0.05 * torch.randn(THINGS * SQUARES, HIDDEN))
        self.b = nn.Parameter(torch.full((HIDDEN,), 0.2))
        self.out = nn.Parameter(0.1 * torch.randn(2 * len(KNOTS), 2 * HIDDEN))
        self.psq = nn.Parameter(torch.zeros(THINGS * SQUARES, len(KNOTS)))
        self.lin = nn.Parameter(torch.zeros(6, len(KNOTS)))
        self.bias = nn.Parameter(torch.zeros(2 * len(KNOTS)))

    def forward(self, data: Data, at: torch.Tensor, cells: torch.Tensor) -> torch.Tensor:
        mine, yours = inputs(cells), inputs(swapped(cells))
        knots, by_seat = moments_of(data, at)
        units = torch.cat([mine @ self.emb + self.b, yours @ self.emb + self.b], 1).clamp(0, 1)
        return (
            ((mine - yours) @ self.psq * knots).sum(1)
            + (units @ self.out.T * by_seat).sum(1)
            + self.beside(data, at)
        )

    def beside(self, data: Data, at: torch.Tensor) -> torch.Tensor:
        """What does not come from single fields: the shape of schools, credit, whose turn it is."""
        knots, by_seat = moments_of(data, at)
        counted = torch.cat([data.shape[at], data.credit[at][:, None]], 1) / TEN
        return (counted @ self.lin * knots).sum(1) + by_seat @ self.bias

    def begin_with(self, folder: Path, name: str) -> None:
        """Takes over what export.py wrote, of a network as wide as this one or narrower."""
        with torch.no_grad():
            self.out *= FAINT
            for part, values in shipped(folder, name).items():
                known = torch.tensor(values, dtype=torch.float32, device=Device)
                mine = (
                    self.out.view(len(self.out), 2, HIDDEN)
                    if part == "out"
                    else getattr(self, part)
                )
                mine[..., : known.shape[-1]] = known

    def bound(self) -> None:
        """Keeps the weights where whole numbers of sixteen bits can follow."""
        with torch.no_grad():
            self.emb.clamp_(-1.9, 1.9)
            self.out.clamp_(-3.9, 3.9)


def shipped(folder: Path, name: str) -> dict[str, np.ndarray]:
    """The numbers of export.py, in natural units again."""
    numbers = numbers_in(folder / f"network-{name}.inc")
    units = (len(numbers) - 3 * SQUARES * len(KNOTS)) // (THINGS * SQUARES + 1 + 4 * len(KNOTS))
    sizes = (THINGS * SQUARES * units, units, 4 * len(KNOTS) * units)
    rows, bias, out, places = np.split(numbers, np.cumsum(sizes))
    worth = places.reshape(3 * SQUARES, -1) / SIXTEENTHS / 2
    weights = numbers_in(folder / f"piranhas-{name}.inc").reshape(-1, len(KNOTS)) / SIXTEENTHS
    return {
        "emb": rows.reshape(-1, units) / FULL,
        "b": bias / FULL,
        "out": out.reshape(-1, 2, units) * FULL / SCALE / SIXTEENTHS,
        "psq": np.concatenate([worth, -worth, np.zeros((SQUARES, len(KNOTS)))]),
        "lin": weights[1:7] * TEN,
        "bias": weights[7:].reshape(-1),
    }


def numbers_in(path: Path) -> np.ndarray:
    lines = (line.partition("//")[0] for line in path.read_text("utf-8").splitlines())
    return np.array([float(number) for line in lines for number in re.findall(r"-?\d+", line)])


def inputs(cells: torch.Tensor) -> torch.Tensor:
    things = torch.arange(1, THINGS + 1, dtype=torch.uint8, device=Device)
    return (cells[:, None, :] == things[:, None]).float().reshape(len(cells), THINGS * SQUARES)


def swapped(cells: torch.Tensor) -> torch.Tensor:
    """What the other side sees."""
    return torch.tensor(SWAPPED, dtype=torch.uint8, device=Device)[cells.long()]


def orientations() -> torch.Tensor:
    board = np.arange(SQUARES).reshape(10, 10)
    boards = [np.rot90(side, turns) for side in (board, board.T) for turns in range(4)]
    return torch.tensor(np.stack([side.reshape(-1) for side in boards]), device=Device)


def fit(data: Data, network: Network, steps: int, batch: int, rate: float) -> None:
    turns = orientations()
    rest = [weights for name, weights in network.named_parameters() if name != "psq"]
    groups = [{"params": [network.psq], "weight_decay": 0.02}, {"params": rest}]
    optimizer = torch.optim.AdamW(groups, lr=rate, weight_decay=0.01)
    for step in range(steps):
        slow_down(optimizer, rate, step / steps)
        at = data.seen[torch.randint(len(data.seen), (batch,), device=Device)]
        turn = turns[torch.randint(len(turns), (batch,), device=Device)]
        promised = network(data, at, torch.gather(data.cells[at], 1, turn))
        loss = binary_cross_entropy_with_logits(promised, data.target[at])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        network.bound()


def slow_down(optimizer: torch.optim.Optimizer, rate: float, progress: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate * (0.5 + 0.5 * math.cos(math.pi * progress) + 0.003)


def settle(data: Data, network: Network, steps: int, rate: float = 0.02) -> None:
    """Fits the numbers that stand beside the hidden layer to how games ended, and nothing else.

    Search believes what the network told it, so an error that all its positions share is seen only
    in results. Games that a lot decided tell nothing here. How sure results are at a ply is fitted
    too, and forgotten: margins of search rely on the size of a score. What few positions tell of
    stays near where it was; of the last plies only those are left that search finds hard.
    """
    sure = torch.ones(len(KNOTS), device=Device, requires_grad=True)
    fitted = [network.lin, network.bias, sure]
    before = [numbers.detach().clone() for numbers in fitted]
    optimizer = torch.optim.Adam(fitted, lr=rate)
    told = data.seen[~data.lucky[data.seen] & (data.ply[data.seen] <= KNOTS[-2])]
    rest, knots = rest_of(network, data, told), knots_of(data.ply[told].float())
    for step in range(steps):
        slow_down(optimizer, rate, step / steps)
        promised = (rest + network.beside(data, told)) * (knots @ sure)
        loss = binary_cross_entropy_with_logits(promised, data.result[told])
        for now, then in zip(fitted, before, strict=True):
            loss = loss + PULL * (now - then).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("sure of results, by knot:", *(f"{value:.2f}" for value in sure.tolist()))


def rest_of(network: Network, data: Data, told: torch.Tensor) -> torch.Tensor:
    """What the network says of positions without the numbers beside it."""
    with torch.no_grad():
        parts = [
            network(data, at, data.cells[at]) - network.beside(data, at)
            for at in told.split(32_768)
        ]
    return torch.cat(parts)


def surprise(network: Network, data: Data) -> float:
    """Mean loss on games that were held out, beyond what the best guess would lose."""
    total = 0.0
    with torch.no_grad():
        for at in data.unseen.split(32_768):
            promised = network(data, at, data.cells[at])
            target = data.target[at].clamp(1e-6, 1 - 1e-6)
            least = -(target * target.log() + (1 - target) * (1 - target).log())
            losses = binary_cross_entropy_with_logits(promised, data.target[at], reduction="none")
            total += float((losses - least).sum())
    return total / max(1, len(data.unseen))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--write", required=True)
    parser.add_argument("--start", type=Path, help="FOLDER/NAME of weights to begin with")
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--settle", type=int, default=300, help="steps towards results alone")
    parser.add_argument("--batch", type=int, default=16_384)
    parser.add_argument("--rate", type=float, default=4e-3)
    parser.add_argument("--share", type=float, default=0.6, help="trust in search, not in the end")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    data = Data(options.files, options.share)
    network = Network().to(Device)
    if options.start:
        network.begin_with(options.start.parent, options.start.name)
        print(f"before: {surprise(network, data):.5f} on unseen games")
    fit(data, network, options.steps, options.batch, options.rate)
    print(f"{len(data.target)} quiet positions, unseen games: {surprise(network, data):.5f}")
    settle(data, network, options.settle)
    print(f"settled, unseen games: {surprise(network, data):.5f}")
    weights = {name: part.detach().cpu().numpy() for name, part in network.named_parameters()}
    np.savez_compressed(options.write, **weights)


if __name__ == "__main__":
    main()
