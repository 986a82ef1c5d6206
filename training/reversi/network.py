"""Teach a small network what the pattern tables cannot say.

    python network.py TABLES WEIGHTS TEACHER NEARBY --write NETWORK --seconds 262

TABLES comes from `places`, WEIGHTS are the tables that it corrects, TEACHER comes from
`teacher.py`, NEARBY are positions of `nearby`. Every pattern has sixteen numbers of eight bits;
their sums, without what is negative, are weighed by stage and added to the tables' estimate
(`pattern_network.hpp`). It is trained with the numbers rounded as they will be, in four groups of
stages.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch
from boards import MOST_MOVES, Columns, cells, empty_cells, words
from distil import chunks, settled
from fit import PLIES, STAGES, read_model
from teacher import Teacher, closeness, said
from torch import nn
from torch.nn.functional import embedding_bag

UNITS = 16
GROUPS = [(0, 8), (8, 11), (11, 14), (14, STAGES)]
"""First stage of each group and the one after its last."""
SHARES = [0.14, 0.28, 0.34, 0.24]
"""Of the time, for each group."""
EMPTY = (8, 52)
"""Positions with so many empty cells are learnt from; other stages take their neighbour's rows."""
ONE = 32.0
"""What a pattern adds is kept in this part of one, in eight bits."""
LARGEST = 3.9
FINE = 1024
"""Weights are in this part of a stone for each 1 / ONE: 128 of the tables' unit, 256 of the shift,
divided by ONE."""
HELD = 50
"""One position in so many judges."""
NEIGHBOURS = 0.3
"""This share of the positions one stage to either side is learnt from, too."""
BATCH = 32_768
RATES = (4e-3, 2e-3)
DECAY = 0.05
"""So that patterns that are rarely seen add little."""
RARE = 10
"""Patterns that were seen less often add nothing."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", type=Path)
    parser.add_argument("weights", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("nearby", type=Path)
    parser.add_argument("--write", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=262.0)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    columns = Columns(json.loads(options.tables.read_text()), device)
    tables = read_model(options.weights, columns.width, device)
    teacher = Teacher().to(device, memory_format=torch.channels_last).eval()
    teacher.load_state_dict(torch.load(options.teacher))
    stones = np.fromfile(options.nearby, "<u8").reshape(-1, 2)
    positions = Positions(words(stones[:, 0], device), words(stones[:, 1], device), teacher)
    patterns = np.zeros((len(GROUPS), columns.count, UNITS), np.int8)
    rows = np.zeros((STAGES, MOST_MOVES + 1, UNITS), np.int16)
    for group, (first, end) in enumerate(GROUPS):
        task = Task(positions, columns, tables, first, end)
        network = Network(columns.count, first, end).to(device)
        learn(network, task, options.seconds * SHARES[group])
        network.forget_rare(task.rows)
        print(f"stages {first}-{end - 1}: {task.judged(network)}", flush=True)
        patterns[group] = network.shipped_patterns()
        rows[first:end] = network.shipped_rows()
    low, high = ((60 - empties) // PLIES for empties in reversed(EMPTY))
    rows[:low], rows[high + 1 :] = rows[low], rows[high]
    options.write.write_bytes(patterns.tobytes() + rows.astype("<i2").tobytes())


class Positions:
    """What is learnt from: stones, stage, and what the teacher says."""

    def __init__(self, own: torch.Tensor, other: torch.Tensor, teacher: Teacher) -> None:
        empties = torch.cat([empty_cells(cells(a), cells(b)) for a, b in chunks(own, other)])
        kept = (empties >= EMPTY[0]) & (empties <= EMPTY[1])
        self.own, self.other, empties = own[kept], other[kept], empties[kept]
        self.stage = ((60 - empties) // PLIES).clamp(0, STAGES - 1)
        answers = said(teacher, self.own, self.other)
        self.worth = torch.zeros(len(answers), device=own.device)
        for count in range(EMPTY[0], EMPTY[1] + 1):
            here = empties == count
            if here.any():
                self.worth[here] = settled(answers[here])


class Task:
    """The positions of a group of stages, and what the tables miss of them."""

    def __init__(
        self, positions: Positions, columns: Columns, tables: torch.Tensor, first: int, end: int
    ) -> None:
        stage = positions.stage
        chosen = ((stage >= first - 1) & (stage <= end)).nonzero()[:, 0]
        own, other, stage = positions.own[chosen], positions.other[chosen], stage[chosen]
        self.rows = torch.cat([columns.of(cells(a), cells(b)) for a, b in chunks(own, other)])
        guess = torch.cat(
            [tables[at[:, None], part.long()].sum(1) for part, at in chunks(self.rows, stage)]
        )
        worth = positions.worth[chosen]
        self.missing, self.weight = worth - guess, closeness(worth)
        self.stage = stage.clamp(first, end - 1) - first
        inside = (stage >= first) & (stage < end)
        drawn = torch.rand(len(stage), device=stage.device) < NEIGHBOURS
        judges = torch.arange(len(stage), device=stage.device) % HELD == 0
        self.held = (inside & judges).nonzero()[:, 0]
        self.learnt = ((inside | drawn) & ~judges).nonzero()[:, 0]

    def loss(self, network: Network, device: torch.device) -> torch.Tensor:
        drawn = torch.randint(0, len(self.learnt), (BATCH,), device=device)
        at = self.learnt[drawn]
        off = network(self.rows[at], self.stage[at]) - self.missing[at]
        return (self.weight[at] * off**2).mean()

    @torch.no_grad()
    def judged(self, network: Network) -> str:
        parts = self.held.split(1 << 18)
        said = torch.cat([network(self.rows[at], self.stage[at]) for at in parts])
        missing, weight = self.missing[self.held], self.weight[self.held]

        def error(off: torch.Tensor) -> float:
            return float(((weight * off**2).sum() / weight.sum()) ** 0.5)

        return f"{error(missing - said):.3f} stones off (the tables {error(missing):.3f})"


class Network(nn.Module):
    """Sixteen units over all patterns, rounded as they are shipped."""

    def __init__(self, columns: int, first: int, end: int) -> None:
        super().__init__()
        stages = end - first
        self.patterns = nn.Parameter(torch.randn(columns, UNITS) * 0.06)
        self.moves = nn.Parameter(torch.zeros(stages, MOST_MOVES, UNITS))
        self.bias = nn.Parameter(torch.rand(1, UNITS).repeat(stages, 1))
        self.weights = nn.Parameter((torch.randn(1, UNITS) * 1.5).repeat(stages, 1))
        self._columns = columns

    def forward(self, rows: torch.Tensor, stage: torch.Tensor) -> torch.Tensor:
        patterns = rounded(self.patterns.clamp(-LARGEST, LARGEST))
        total = embedding_bag(rows[:, :-1].long(), patterns, mode="sum")
        total = total + rounded(self.moves)[stage, (rows[:, -1] - self._columns).long()]
        return (torch.relu(total + rounded(self.bias)[stage]) * self.weights[stage]).sum(1)

    @torch.no_grad()
    def forget_rare(self, rows: torch.Tensor) -> None:
        seen = torch.zeros(self._columns, device=rows.device)
        for (part,) in chunks(rows):
            seen += torch.bincount(part[:, :-1].flatten(), minlength=self._columns)
        self.patterns[seen < RARE] = 0

    def shipped_patterns(self) -> np.ndarray:
        values = (self.patterns.detach().clamp(-LARGEST, LARGEST) * ONE).round()
        return values.cpu().numpy().astype(np.int8)

    def shipped_rows(self) -> np.ndarray:
        """Of each stage: where the sums begin, by number of moves; then the weights."""
        begin = (self.moves.detach() * ONE).round() + (self.bias.detach() * ONE).round()[:, None]
        weights = (self.weights.detach() * FINE).round()[:, None]
        return torch.cat([begin, weights], 1).cpu().numpy().astype(np.int16)


def rounded(values: torch.Tensor) -> torch.Tensor:
    """As they will be shipped; the slope is that of the values themselves."""
    return values + ((values * ONE).round() / ONE - values).detach()


def learn(network: Network, task: Task, seconds: float) -> None:
    begin, step = time.perf_counter(), 0
    others = [network.moves, network.bias, network.weights]
    optimiser = torch.optim.Adam(
        [{"params": [network.patterns]}, {"params": others}], betas=(0.9, 0.99)
    )
    while (part := (time.perf_counter() - begin) / seconds) < 1 or step == 0:
        for group, rate in zip(optimiser.param_groups, RATES, strict=True):
            group["lr"] = rate * (max(0.01, 1 - part) if part > 0.2 else 0.8)
        loss = task.loss(network, network.patterns.device)
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        step += 1
        with torch.no_grad():
            network.patterns.mul_(1 - DECAY * optimiser.param_groups[0]["lr"])
    print(f"{step} steps of {BATCH} positions, of {len(task.learnt)}", flush=True)


if __name__ == "__main__":
    main()
