"""Positions of the board of 8 × 8 as tensors: cells, legal moves, the columns of pattern tables."""

from __future__ import annotations

import numpy as np
import torch

MOST_MOVES = 33
"""From here on the number of moves makes no difference to the tables."""
DIRECTIONS = [(dy, dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if dy or dx]


def words(stones: np.ndarray, device: str) -> torch.Tensor:
    """64-bit words of stones as they lie in files."""
    return torch.from_numpy(stones.astype("<u8").view("<i8").copy()).to(device)


def cells(stones: torch.Tensor) -> torch.Tensor:
    """Words as rows of 64 cells, true where a stone lies."""
    return (stones[:, None] >> torch.arange(64, device=stones.device) & 1).bool()


def empty_cells(own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """How many cells are empty, of rows of cells."""
    return 64 - (own | other).sum(1)


def moves(own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Where the player may set, of rows of cells: again rows of cells."""
    mine, theirs = own.view(-1, 8, 8), other.view(-1, 8, 8)
    empty, found = ~(mine | theirs), torch.zeros_like(mine)
    for dy, dx in DIRECTIONS:
        reach = shifted(mine, dy, dx) & theirs
        for _ in range(5):
            reach |= shifted(reach, dy, dx) & theirs
        found |= shifted(reach, dy, dx) & empty
    return found.view(-1, 64)


def shifted(board: torch.Tensor, dy: int, dx: int) -> torch.Tensor:
    made = torch.zeros_like(board)
    to_y, from_y = slice(max(dy, 0), 8 + min(dy, 0)), slice(max(-dy, 0), 8 + min(-dy, 0))
    to_x, from_x = slice(max(dx, 0), 8 + min(dx, 0)), slice(max(-dx, 0), 8 + min(-dx, 0))
    made[:, to_y, to_x] = board[:, from_y, from_x]
    return made


class Columns:
    """Positions → columns: one for each place, with the table's own start added, and the moves."""

    def __init__(self, tables: dict, device: str) -> None:
        steps = torch.zeros(65, len(tables["places"]))  # what a stone on a cell adds to each index
        for place, (on, powers) in enumerate(zip(tables["places"], tables["powers"], strict=True)):
            steps[on, place] = torch.tensor(powers, dtype=torch.float32)
        self._steps = steps[:64].to(device)
        self._starts = torch.tensor(tables["starts"], device=device)
        self._columns = torch.tensor(tables["columns"], device=device, dtype=torch.int32)
        self.count = int(tables["count"])
        """Columns of one stage, the moves not counted."""
        self.width = self.count + MOST_MOVES

    def of(self, own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        """Columns of positions, given as rows of cells."""
        index = ((own.float() + 2 * other.float()) @ self._steps).round().long() + self._starts
        number = moves(own, other).sum(1).clamp(max=MOST_MOVES - 1).int() + self.count
        return torch.cat([self._columns[index], number[:, None]], 1)
