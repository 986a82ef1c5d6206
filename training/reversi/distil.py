"""Teach the pattern tables what the teacher says.

    python distil.py TABLES FIRST TEACHER NEARBY --write WEIGHTS

TABLES comes from `places`, FIRST are the weights to begin with, TEACHER comes from `teacher.py`,
NEARBY are positions of `nearby`. A position is worth the mean of the teacher's two answers: search
hopes too much, alike in all positions with as many empty cells, so its answer is shifted to that
about results. The weights of a stage come as near to that as they can (least squares, by conjugate
gradients); patterns that are rarely seen keep the weight they had.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from boards import Columns, cells, empty_cells, words
from fit import PLIES, STAGES, read_model, shipped
from teacher import Teacher, closeness, said

RIDGE = 6.0
"""So many positions' worth the given weight has."""
HELD = 40
"""One position in so many judges the fit."""
STEPS = 24
AT_ONCE = 1 << 20


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", type=Path)
    parser.add_argument("first", type=Path)
    parser.add_argument("teacher", type=Path)
    parser.add_argument("nearby", type=Path)
    parser.add_argument("--write", type=Path, required=True)
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    columns = Columns(json.loads(options.tables.read_text()), device)
    model = read_model(options.first, columns.width, device)
    teacher = Teacher().to(device, memory_format=torch.channels_last).eval()
    teacher.load_state_dict(torch.load(options.teacher))
    stones = np.fromfile(options.nearby, "<u8").reshape(-1, 2)
    own, other = words(stones[:, 0], device), words(stones[:, 1], device)
    values = said(teacher, own, other)
    for stage, chosen in by_stage(own, other):
        worth = settled(values[chosen])
        model[stage] = Regression(columns, own[chosen], other[chosen], worth).solved(
            model[stage], stage
        )
    model[0] = model[1]
    options.write.write_bytes(shipped(model))


def by_stage(own: torch.Tensor, other: torch.Tensor) -> Iterator[tuple[int, torch.Tensor]]:
    """The positions of each stage and those one ply to either side."""
    empties = torch.cat([empty_cells(cells(a), cells(b)) for a, b in chunks(own, other)])
    for stage in range(1, STAGES):
        first = 60 - PLIES * stage
        last = first - PLIES if stage < STAGES - 1 else 1
        chosen = ((empties <= first + 1) & (empties >= last)).nonzero()[:, 0]
        if len(chosen) >= 1000:
            yield stage, chosen


def chunks(*tensors: torch.Tensor) -> Iterator[tuple[torch.Tensor, ...]]:
    for at in range(0, len(tensors[0]), AT_ONCE):
        yield tuple(tensor[at : at + AT_ONCE] for tensor in tensors)


def settled(values: torch.Tensor) -> torch.Tensor:
    """The mean of both answers, the first one shifted to the second."""
    search, result = values[:, 0], values[:, 1]
    return (search - (search - result).mean() + result) / 2


class Regression:
    """Rows of ones at a few columns: the regression of one stage."""

    def __init__(
        self, columns: Columns, own: torch.Tensor, other: torch.Tensor, worth: torch.Tensor
    ) -> None:
        self._rows = torch.cat([columns.of(cells(a), cells(b)) for a, b in chunks(own, other)])
        self._width = columns.width
        self._worth = worth
        self._is_held = torch.arange(len(worth), device=worth.device) % HELD == 0
        self._weight = torch.where(self._is_held, 0, closeness(worth))

    def solved(self, weights: torch.Tensor, stage: int) -> torch.Tensor:
        """Conjugate gradients for the difference, each column scaled by how often it is seen."""
        missing = self._worth - self._across(weights)
        before = self._error(missing)
        scale = 1 / (self._back(torch.ones_like(missing)) + RIDGE)
        found, step = torch.zeros_like(weights), torch.zeros_like(weights)
        slope, last = self._back(missing), None
        for _ in range(STEPS):
            size = (slope * slope * scale).sum()
            step = scale * slope + (0 if last is None else size / last) * step
            last = size
            change = self._across(step)
            bend = (self._weight * change * change).sum() + RIDGE * (step * step).sum()
            far = size / bend.clamp(min=1e-9)
            found += far * step
            missing -= far * change
            slope = self._back(missing) - RIDGE * found
        count = len(self._worth)
        print(f"stage {stage}: {count} positions, {self._error(missing):.2f} ({before:.2f} before)")
        return weights + found

    def _across(self, weights: torch.Tensor) -> torch.Tensor:
        return torch.cat([weights[rows.long()].sum(1) for (rows,) in chunks(self._rows)])

    def _back(self, values: torch.Tensor) -> torch.Tensor:
        sums = torch.zeros(self._width, device=values.device)
        for rows, part in chunks(self._rows, self._weight * values):
            sums.index_add_(0, rows.flatten().long(), part.repeat_interleave(rows.shape[1]))
        return sums

    def _error(self, missing: torch.Tensor) -> float:
        """Root of the mean square of the held positions, in stones."""
        off, weight = missing[self._is_held], closeness(self._worth[self._is_held])
        return float(((weight * off * off).sum() / weight.sum()) ** 0.5)


if __name__ == "__main__":
    main()
