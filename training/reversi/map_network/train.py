"""Trains the network that surveys a map and then says what the terms cannot.

    python train.py FOLDER SHIPPED --seconds 1320 [--start EARLIER]

FOLDER has the maps (maps.txt) and the records of `positions` (*.bin); SHIPPED is the file of the
package, EARLIER one to go on from. A convolutional network reads the shape of a map and gives every
cell four vectors: for a stone of the player to move, for one of the other, for a move of the one
and of the other. They are added up for a position, and two small layers make a chance of winning of
the sums and of what the terms say. It learns how games ended, and what search thought of them.
"""

from __future__ import annotations

import argparse
import time
import zlib
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

SIDE = 15
CELLS = SIDE * SIDE
PLANES, CHANNELS, LAYERS, UNITS, HIDDEN, PHASES = 10, 64, 8, 64, 16, 6
OCCUPANTS = 4
"""Stones of both players, moves of both."""
SHIPPED_UNIT = 4096
NATURAL = np.log(10) / 400
"""A score as natural logarithm of the odds."""
MOST_TERMS, MOST_NATURAL = 1600, 4
HELD_OUT = 20
"""One map in so many is not learnt from."""
STEPS = [(0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1)]
"""Down and right: the order of the planes in map_network.cpp."""
RECORD = 3 + CELLS + 4


def exists_of(lines: list[str]) -> Tensor:
    """Which cells there are, map by map."""
    made = np.zeros((len(lines), SIDE, SIDE), np.float32)
    for at, line in enumerate(lines):
        for y, row in enumerate(line.split(" ")[0].split("/")):
            for x, mark in enumerate(row):
                made[at, y, x] = mark != "-"
    return torch.from_numpy(made)


def beside(grid: Tensor, dy: int, dx: int) -> Tensor:
    """Each square sees the one at (y + dy, x + dx); nothing beyond the edge."""
    padded = functional.pad(grid, (1, 1, 1, 1))
    return padded[..., 1 + dy : 1 + dy + SIDE, 1 + dx : 1 + dx + SIDE]


def planes_of(exists: Tensor) -> Tensor:
    """What the network sees of a map: cells, their number, and how far it is to the edges."""
    planes = [exists, exists * exists.sum((-1, -2), keepdim=True) / CELLS]
    for dy, dx in STEPS:
        run = torch.zeros_like(exists)
        for _ in range(SIDE):
            run = beside((run + 1) * exists, dy, dx) * exists
        planes.append(run / 8)
    return torch.stack(planes, -3)


def symmetries() -> Tensor:
    """Where each cell of the turned map comes from, for eight ways to turn it."""
    grid = torch.arange(CELLS).reshape(SIDE, SIDE)
    made = []
    for turn in range(4):
        turned = torch.rot90(grid, turn)
        made += [turned.reshape(-1), turned.flip(1).reshape(-1)]
    return torch.stack(made)


class Batch:
    """Some positions of some maps, taken apart; `way` says how each map is turned."""

    def __init__(self, rows: Tensor, counts: Tensor, way: Tensor) -> None:
        cells = rows[..., 3 : 3 + CELLS].gather(-1, way[:, None].expand(-1, rows.shape[1], -1))
        stones = cells & 7
        seen = [stones == 1, stones == 2, (cells & 16) > 0, (cells & 32) > 0]
        self.occupied = torch.stack(seen, -1).flatten(2)
        words = rows[..., 3 + CELLS : 5 + CELLS].clone(memory_format=torch.contiguous_format)
        terms = words.view(torch.int16)[..., 0].float()
        self.terms = terms.clamp(-MOST_TERMS, MOST_TERMS) * NATURAL
        self.full = 1 - rows[..., 2].float() / counts[:, None]
        self.phase = (self.full * PHASES).long().clamp(0, PHASES - 1)
        self.result = rows[..., 5 + CELLS].float() / 2
        chance = rows[..., 6 + CELLS].float()
        self.judged = chance < 255
        self.chance = torch.where(self.judged, chance / 254, self.result)

    def target(self, trust: float) -> Tensor:
        """How the game ended, mixed with what search thought."""
        return (1 - trust) * self.result + trust * self.chance


class Data:
    """Maps and positions."""

    def __init__(self, folder: Path, device: str) -> None:
        exists = exists_of((folder / "maps.txt").read_text().splitlines()).to(device)
        self.cells = exists.sum((1, 2))
        turned = exists.reshape(-1, CELLS)[:, symmetries().to(device)].transpose(0, 1)
        self.planes = torch.stack([planes_of(way.reshape(-1, SIDE, SIDE)) for way in turned])
        parts = [np.fromfile(file, np.uint8) for file in sorted(folder.glob("*.bin"))]
        rows = np.concatenate([part[: len(part) // RECORD * RECORD] for part in parts])
        self.rows = torch.from_numpy(rows).reshape(-1, RECORD).to(device)
        maps = self.rows[:, 0].long() + 256 * self.rows[:, 1].long()
        self.rows = self.rows[maps.argsort()]
        self.counts = torch.bincount(maps, minlength=len(exists))
        self.starts = self.counts.cumsum(0) - self.counts
        enough = (self.counts >= 16).nonzero()[:, 0]
        held = enough % HELD_OUT == 7
        self.seen, self.unseen = enough[~held], enough[held]

    def batch(self, maps: Tensor, positions: int, way: Tensor) -> Batch:
        """Some positions of each map."""
        lots = torch.rand(len(maps), positions, device=maps.device)
        at = self.starts[maps, None] + (lots * self.counts[maps, None]).long()
        return Batch(self.rows[at], self.cells[maps], way)


class Network(nn.Module):
    """Surveys maps, then judges positions on them."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(PLANES, CHANNELS, 3, padding=1)
        self.rest = nn.ModuleList(
            nn.Conv2d(CHANNELS, CHANNELS, 3, padding=1) for _ in range(LAYERS)
        )
        self.vectors = nn.Conv2d(CHANNELS, OCCUPANTS * UNITS, 1)
        nn.init.normal_(self.vectors.weight, std=0.3 / CHANNELS**0.5)
        nn.init.zeros_(self.vectors.bias)
        self.start = nn.Parameter(torch.zeros(UNITS))
        inputs = UNITS + 1
        weights = torch.randn(1, inputs, HIDDEN) * (2 / inputs) ** 0.5
        self.weights = nn.Parameter(weights.repeat(PHASES, 1, 1))
        self.bias = nn.Parameter(torch.zeros(PHASES, HIDDEN))
        self.output = nn.Parameter(torch.randn(1, HIDDEN).repeat(PHASES, 1) * 0.05)
        self.offset = nn.Parameter(torch.zeros(PHASES))
        self.terms = nn.Parameter(torch.ones(PHASES))

    def surveyed(self, planes: Tensor) -> Tensor:
        """For each map: cell, occupant, unit."""
        exists = planes[:, :1]
        x = torch.relu(self.first(planes)) * exists
        for at in range(0, LAYERS, 2):
            more = torch.relu(self.rest[at](x)) * exists
            x = torch.relu(x + self.rest[at + 1](more)) * exists
        vectors = self.vectors(x) * exists
        return vectors.reshape(len(planes), OCCUPANTS, UNITS, CELLS).permute(0, 3, 1, 2)

    def forward(self, planes: Tensor, seen: Batch) -> Tensor:
        """The logarithm of the odds; phase by phase, each with its own weights."""
        vectors = self.surveyed(planes).reshape(len(planes), -1, UNITS)
        sums = torch.bmm(seen.occupied.to(vectors.dtype), vectors).float() + self.start
        said = seen.terms[..., None].clamp(-MOST_NATURAL, MOST_NATURAL)
        rows = torch.cat([torch.relu(sums), said], -1).flatten(0, 1)
        phase = seen.phase.flatten()
        order = phase.argsort()
        counts = torch.bincount(phase, minlength=PHASES).tolist()
        terms = seen.terms.flatten().index_select(0, order).split(counts)
        found = []
        for at, part in enumerate(rows.index_select(0, order).split(counts)):
            hidden = torch.relu(torch.addmm(self.bias[at], part, self.weights[at]))
            judged = hidden @ self.output[at] + self.offset[at]
            found.append(judged + terms[at] * self.terms[at])
        all_found = torch.cat(found)
        return torch.zeros_like(all_found).index_copy(0, order, all_found).reshape(seen.terms.shape)

    def parts(self) -> list[Tensor]:
        """What is learnt, in the order of map_network.hpp."""

        def convolution(layer: nn.Module) -> list[Tensor]:
            return [layer.weight.data.permute(2, 3, 1, 0), layer.bias.data]

        parts = convolution(self.first)
        for layer in self.rest:
            parts += convolution(layer)
        parts += [*convolution(self.vectors), self.start.data]
        for at in range(PHASES):
            parts += [self.weights.data[at], self.bias.data[at], self.output.data[at]]
            parts += [self.offset.data[at : at + 1], self.terms.data[at : at + 1]]
        return parts

    def load(self, shipped: bytes) -> None:
        """Goes on from a file of the package."""
        numbers = torch.from_numpy(np.frombuffer(shipped, "<i2").astype(np.float32))
        parts = self.parts()
        for part, found in zip(parts, numbers.split([part.numel() for part in parts]), strict=True):
            part.copy_(found.reshape(part.shape) / SHIPPED_UNIT)

    def shipped(self) -> bytes:
        """The numbers as they are shipped."""
        numbers = torch.cat([part.float().cpu().reshape(-1) for part in self.parts()])
        rounded = (numbers * SHIPPED_UNIT).round()
        if rounded.abs().max() > 32767:
            raise SystemExit("a weight does not fit into 16 bits")
        return rounded.numpy().astype("<i2").tobytes()


def loss_of(found: Tensor, target: Tensor) -> Tensor:
    """Cross entropy of every position."""
    return functional.binary_cross_entropy_with_logits(found, target, reduction="none")


@torch.no_grad()
def report(network: Network, data: Data, device: str) -> str:
    """Losses on maps that are not learnt from, against the result: by how full they are."""
    sums = torch.zeros(5, 4)
    generator = torch.Generator().manual_seed(5)
    maps = data.unseen[torch.randperm(len(data.unseen), generator=generator)[:256].to(device)]
    straight = symmetries()[:1].to(device)
    for some in maps.split(32):
        seen = data.batch(some, 256, straight.expand(len(some), -1))
        with torch.autocast(device, torch.bfloat16):
            found = network(data.planes[0][some], seen)
        search = torch.logit(seen.chance, 1e-3)
        losses = [loss_of(each, seen.result) for each in (seen.terms, found, search)]
        for fifth in range(5):
            here = seen.judged & ((5 * seen.full).long().clamp(0, 4) == fifth)
            row = [float(here.sum()), *(float(loss[here].sum()) for loss in losses)]
            sums[fifth] += torch.tensor(row)
    lines = ["full: terms, network, search (positions)"]
    for fifth, row in enumerate(sums):
        losses_here = ", ".join(f"{loss:.4f}" for loss in (row[1:] / row[0]).tolist())
        lines.append(f"{20 * fifth} %: {losses_here} ({int(row[0])})")
    return "\n".join(lines)


def train(given: argparse.Namespace, device: str) -> None:
    """Learns until time is up; the step grows shorter."""
    torch.manual_seed(1)
    data = Data(given.folder, device)
    print(len(data.rows), "positions on", len(data.seen), "maps", flush=True)
    network = Network()
    if given.start:
        network.load(zlib.decompress(given.start.read_bytes()))
    network.to(device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=given.rate, weight_decay=0.01)
    ways = symmetries().to(device)
    began = shown = time.time()
    step = 0
    while (spent := time.time() - began) < given.seconds:
        fading = 0.505 + 0.5 * float(np.cos(np.pi * spent / given.seconds))
        for group in optimizer.param_groups:
            group["lr"] = given.rate * min(1.0, (step + 1) / 200) * fading
        maps = data.seen[torch.randint(len(data.seen), (given.maps,), device=device)]
        way = torch.randint(8, (given.maps,), device=device)
        seen = data.batch(maps, given.positions, ways[way])
        with torch.autocast(device, torch.bfloat16):
            found = network(data.planes[way, maps], seen)
        loss = loss_of(found, seen.target(given.trust)).mean()
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        step += 1
        if time.time() - shown > 30:
            shown = time.time()
            print(f"{spent:.0f} s, step {step}, loss {loss.item():.4f}", flush=True)
    print(step, "steps")
    print(report(network, data, device), flush=True)
    given.shipped.write_bytes(zlib.compress(network.shipped(), 9))


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("folder", type=Path)
    words.add_argument("shipped", type=Path)
    words.add_argument("--seconds", type=float, default=1320)
    words.add_argument("--start", type=Path)
    words.add_argument("--maps", type=int, default=32, help="in a step")
    words.add_argument("--positions", type=int, default=512, help="of each of them")
    words.add_argument("--rate", type=float, default=1.5e-3)
    words.add_argument("--trust", type=float, default=0.5, help="how much search's word counts")
    train(words.parse_args(), "cuda" if torch.cuda.is_available() else "cpu")


if __name__ == "__main__":
    main()
