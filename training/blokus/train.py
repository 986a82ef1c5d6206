"""Train the policy network of Blokus on examples of recorded games.

    python train.py EXAMPLES... --out weights.bin --minutes 2

Each example is a position as the network sees it and how often tree search tried its moves. The
network learns to predict these frequencies; rotations and reflections of the board make eight
examples out of one. The architecture is that of policy_network.hpp, for whole boards at once.
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

PLANES, UNITS, TRAITS, ROLES, MOST = 16, 32, 8, 3, 32
CELLS = SIDE * SIDE
FRAMED = SIDE + 6
CONTACT, OWN = 3, 4
"""Levels of cells (policy_input.hpp)."""
KINDS = [
    "00",
    "00 10",
    "00 01 11",
    "00 01 02",
    "00 10 01 11",
    "00 10 20 11",
    "00 01 02 03",
    "00 01 02 12",
    "00 10 11 21",
    "00 01 02 03 13",
    "00 10 20 11 12",
    "00 01 02 12 22",
    "10 20 30 01 11",
    "00 10 11 12 22",
    "00 01 02 03 04",
    "00 10 01 11 02",
    "00 01 11 12 22",
    "00 01 11 21 20",
    "01 11 12 21 20",
    "10 01 11 21 12",
    "01 10 11 12 13",
]
EXAMPLE = np.dtype(
    [
        ("level", "u1", (4, SIDE, SIDE)),
        ("pieces", "<u4"),
        ("round", "<u2"),
        ("count", "<u2"),
        ("moves", "<u2", MOST),
        ("visits", "<u2", MOST),
    ]
)
Shape = tuple[tuple[int, int], ...]


def moved(squares: list[tuple[int, int]]) -> Shape:
    """In the upper left corner, in reading order."""
    x0, y0 = min(x for x, _ in squares), min(y for _, y in squares)
    return tuple(sorted(((x - x0, y - y0) for x, y in squares), key=lambda s: (s[1], s[0])))


def held(kind: str, turns: int, flipped: bool) -> Shape:
    squares = [(int(square[0]), int(square[1])) for square in kind.split()]
    for _ in range(turns):
        squares = [(-y, x) for x, y in squares]
    return moved([(-x, y) if flipped else (x, y) for x, y in squares])


def orientations() -> list[tuple[int, Shape]]:
    """Kind and shape of each, numbered as in rules.md §3."""
    found: list[tuple[int, Shape]] = []
    for number, kind in enumerate(KINDS):
        for how in range(8):
            one = (number, held(kind, how % 4, how >= 4))
            if one not in found:
                found.append(one)
    return found


HELD = orientations()
COUNT = len(HELD)
assert COUNT == 91


def symmetric(square: tuple[int, int], symmetry: int, size: int) -> tuple[int, int]:
    """Where a square goes: transposed, then reflected, as `Tensor.transpose` and `flip` do it."""
    x, y = square
    if symmetry & 4:
        x, y = y, x
    if symmetry & 1:
        x = size - 1 - x
    if symmetry & 2:
        y = size - 1 - y
    return x, y


def move_maps() -> Tensor:
    """For each symmetry the placement that each placement becomes."""
    maps = np.zeros((8, COUNT * SIDE * SIDE), dtype=np.int64)
    number = {one: at for at, one in enumerate(HELD)}
    for symmetry in range(8):
        for at, (kind, shape) in enumerate(HELD):
            wide, high = max(x for x, _ in shape) + 1, max(y for _, y in shape) + 1
            other = number[kind, moved([symmetric(s, symmetry, 9) for s in shape])]
            for cell in range(SIDE * SIDE):
                x, y = cell % SIDE, cell // SIDE
                if x + wide > SIDE or y + high > SIDE:
                    continue
                there = [symmetric((x + dx, y + dy), symmetry, SIDE) for dx, dy in shape]
                x0, y0 = min(a for a, _ in there), min(b for _, b in there)
                maps[symmetry, at * 400 + cell] = other * 400 + y0 * SIDE + x0
    return torch.from_numpy(maps)


def roles() -> np.ndarray:
    """What each cell of a 7 × 7 window is to each orientation: covered, corner, edge."""
    masks = np.zeros((COUNT, ROLES, 7, 7), dtype=np.float32)
    for at, (_, shape) in enumerate(HELD):
        covered = {(x + 1, y + 1) for x, y in shape}
        edges = {(x + a, y + b) for x, y in covered for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))}
        corners = {(x + a, y + b) for x, y in covered for a in (1, -1) for b in (1, -1)}
        for role, cells in enumerate((covered, corners - edges - covered, edges - covered)):
            for x, y in cells:
                masks[at, role, y, x] = 1
    return masks


def windows() -> Tensor:
    """For each orientation what it looks at, as places in a table of cells with a frame and their
    roles; -1 behind the last."""
    lists = [
        [(y * FRAMED + x) * ROLES + role for role, y, x in np.argwhere(masks > 0)]
        for masks in roles()
    ]
    longest = max(map(len, lists))
    return torch.tensor([seen + [-1] * (longest - len(seen)) for seen in lists])


class Network(nn.Module):
    """policy_network.hpp for a batch of boards: a logit for each of some placements."""

    def __init__(self) -> None:
        super().__init__()

        def normal(*shape: int, scale: float) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape) * scale)

        self.seen = normal(PLANES, 9, UNITS, scale=0.15)
        self.place = normal(55, UNITS, scale=0.05)
        self.time = normal(ROUNDS, UNITS, scale=0.05)
        self.spread = normal(9, UNITS, scale=0.3)
        self.mixed = normal(UNITS, UNITS, scale=0.2)
        self.mixed_bias = normal(UNITS, scale=0.01)
        self.told = normal(UNITS, ROLES * TRAITS, scale=0.1)
        self.told_before = normal(UNITS, ROLES * TRAITS, scale=0.1)
        self.piece = normal(len(KINDS), TRAITS, scale=0.1)
        self.late = normal(ROUNDS, TRAITS, scale=0.1)
        self.bent = normal(TRAITS, scale=0.3)
        self.straight = normal(TRAITS, scale=0.1)
        self.custom = normal(ROUNDS, len(KINDS), scale=0.01)
        self.register_buffer("places", places(), persistent=False)
        self.register_buffer("kind", torch.tensor([kind for kind, _ in HELD]), persistent=False)
        self.register_buffer("windows", windows(), persistent=False)

    def forward(self, level: Tensor, rounds: Tensor, board: Tensor, move: Tensor) -> Tensor:
        """Of each move on the board with that number in the batch."""
        orientation, cell = move // CELLS, move % CELLS
        traits = self.sums(self.told_of(level, rounds), board, orientation, cell)
        traits = traits + self.piece[self.kind[orientation]] + self.late[rounds[board]]
        logits = functional.relu(traits) @ self.bent + traits @ self.straight
        return logits + self.custom[rounds[board], self.kind[orientation]]

    def told_of(self, level: Tensor, rounds: Tensor) -> Tensor:
        """What moves are told by each cell, role by role."""
        steps = torch.arange(1, OWN + 1, device=level.device)
        planes = (level[:, :, None] >= steps[:, None, None]).float().flatten(1, 2)
        planes = planes.contiguous(memory_format=torch.channels_last)
        weight = self.seen.permute(2, 0, 1).reshape(UNITS, PLANES, 3, 3)
        first = functional.conv2d(planes, weight, padding=1)
        first = first + self.place[self.places].permute(2, 0, 1)
        first = functional.relu(first + self.time[rounds][:, :, None, None])
        spread = self.spread.T.reshape(UNITS, 1, 3, 3)
        second = functional.conv2d(first, spread, padding=1, groups=UNITS)
        second = functional.conv2d(second, self.mixed.T[:, :, None, None], self.mixed_bias)
        second = functional.relu(second)
        told = functional.conv2d(second, self.told.T[:, :, None, None])
        return told + functional.conv2d(first, self.told_before.T[:, :, None, None])

    def sums(self, told: Tensor, board: Tensor, orientation: Tensor, cell: Tensor) -> Tensor:
        """What each move is told by all cells it covers and touches."""
        # A frame of one cell before and of five behind: windows begin left of and above a piece.
        framed = functional.pad(told, (1, 5, 1, 5)).permute(0, 2, 3, 1).reshape(-1, TRAITS)
        table = torch.cat((framed, framed.new_zeros(1, TRAITS)))
        origin = (board * FRAMED + cell // SIDE) * FRAMED + cell % SIDE
        window = self.windows[orientation]
        at = torch.where(window < 0, len(framed), window + ROLES * origin[:, None])
        return functional.embedding_bag(at, table, mode="sum", padding_idx=len(framed))


class Examples:
    """Examples on the device that learns, with the legal placements of one after the other."""

    def __init__(self, paths: list[Path], device: str) -> None:
        raw = np.concatenate([np.fromfile(path, dtype=EXAMPLE) for path in paths])
        raw = raw[(raw["count"] >= 2)]
        self.level = torch.from_numpy(raw["level"]).to(device)
        self.rounds = (
            torch.from_numpy(raw["round"].astype(np.int64)).clamp(max=ROUNDS - 1).to(device)
        )
        self.maps = move_maps().to(device)
        masks = torch.from_numpy(roles()[:, 0]).to(device)
        self.cover = masks[:, None, 1:6, 1:6].contiguous()
        self.sizes = self.cover.sum((1, 2, 3))
        parts = [self.choices(part) for part in np.array_split(raw, len(raw) // 256 + 1)]
        self.counts, self.moves, self.shares = (
            torch.cat(each) for each in zip(*parts, strict=True)
        )
        self.begins = self.counts.cumsum(0) - self.counts

    def __len__(self) -> int:
        return len(self.rounds)

    def choices(self, raw: np.ndarray) -> tuple[Tensor, Tensor, Tensor]:
        """How many placements are legal, which, and the share of the simulations each got."""
        device = self.level.device
        level = torch.from_numpy(raw["level"][:, 0]).to(device)
        pieces = torch.from_numpy(raw["pieces"].astype(np.int64)).to(device)
        moves = torch.from_numpy(raw["moves"].astype(np.int64)).to(device)
        visits = torch.from_numpy(raw["visits"].astype(np.float32)).to(device)
        shares = torch.zeros(len(raw), COUNT * CELLS, device=device)
        shares.scatter_add_(1, moves, visits / visits.sum(1, keepdim=True))
        board, move = torch.nonzero(self.legal(level, pieces), as_tuple=True)
        return torch.bincount(board, minlength=len(raw)), move.int(), shares[board, move]

    def legal(self, level: Tensor, pieces: Tensor) -> Tensor:
        def covered(plane: Tensor) -> Tensor:
            return functional.conv2d(
                functional.pad(plane.float()[:, None], (0, 4, 0, 4)), self.cover
            )

        free = covered((level > 0) & (level < OWN)) > self.sizes[:, None, None] - 0.5
        touching = covered(level == CONTACT) > 0.5
        kind = torch.tensor([kind for kind, _ in HELD], device=level.device)
        left = (pieces[:, None] >> kind) & 1
        return (free & touching & (left[:, :, None, None] > 0)).flatten(1)

    def batch(self, at: Tensor, symmetry: int) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:
        """Levels, rounds; for each legal placement its board, itself and its share."""
        counts = self.counts[at]
        board = torch.arange(len(at), device=at.device).repeat_interleave(counts)
        skipped = (self.begins[at] - counts.cumsum(0) + counts)[board]
        place = torch.arange(len(board), device=at.device) + skipped
        moves = self.maps[symmetry][self.moves[place].long()]
        level = turned(self.level[at], symmetry)
        return level, self.rounds[at], board, moves, self.shares[place]


def side_by_side(values: Tensor, board: Tensor, boards: int, nothing: float) -> Tensor:
    """A row for each board, with `nothing` behind its last value."""
    counts = torch.bincount(board, minlength=boards)
    column = torch.arange(len(board), device=board.device) - (counts.cumsum(0) - counts)[board]
    rows = values.new_full((boards, int(counts.max())), nothing)
    return rows.index_put((board, column), values)


def loss_of(
    network: Network, examples: Examples, at: Tensor, symmetry: int
) -> tuple[Tensor, Tensor]:
    """Cross entropy, and how often the likeliest move is the most tried one."""
    level, rounds, board, moves, shares = examples.batch(at, symmetry)
    logits = side_by_side(network(level, rounds, board, moves), board, len(at), -1e4)
    target = side_by_side(shares, board, len(at), 0.0)
    agree = (logits.argmax(1) == target.argmax(1)).float().mean()
    return -(target * functional.log_softmax(logits, 1)).sum(1).mean(), agree


def validate(network: Network, examples: Examples, at: Tensor, size: int) -> tuple[float, float]:
    with torch.no_grad():
        parts = [loss_of(network, examples, part, 0) for part in at.split(size)]
    return (
        float(torch.stack([loss for loss, _ in parts]).mean()),
        float(torch.stack([agree for _, agree in parts]).mean()),
    )


def train(network: Network, examples: Examples, minutes: float, size: int, rate: float) -> None:
    device = examples.rounds.device
    split = max(1, len(examples) // 25)
    learn = torch.arange(split, len(examples), device=device)
    test = torch.arange(0, split, device=device)
    optimiser = torch.optim.AdamW(network.parameters(), lr=rate, weight_decay=1e-4)
    before = validate(network, examples, test, size)
    print(f"before: loss {before[0]:.4f}, agrees {before[1]:.3f}", flush=True)
    begin, step = time.monotonic(), 0
    while (spent := (time.monotonic() - begin) / (60 * minutes)) < 1:
        set_rate(optimiser, rate, spent)
        at = learn[torch.randint(len(learn), (size,), device=device)]
        loss, agree = loss_of(network, examples, at, int(torch.randint(8, ())))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        if step % 200 == 0:
            print(
                f"step {step}: loss {loss:.4f}, agrees {agree:.3f}, spent {spent:.2f}", flush=True
            )
        step += 1
    loss_left, agree_left = validate(network, examples, test, size)
    print(
        f"{step} steps; on {split} examples of other games: loss {loss_left:.4f}, {agree_left:.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("examples", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="go on from these weights")
    parser.add_argument("--minutes", type=float, default=2.0)
    parser.add_argument("--size", type=int, default=256, help="examples in a step")
    parser.add_argument("--rate", type=float, default=4e-3)
    given = parser.parse_args()
    device = device_to_learn_on()
    network = Network().to(device)
    if given.start is not None:
        read(network, given.start)
    examples = Examples(given.examples, device)
    print(f"{len(examples)} examples on {device}", flush=True)
    train(network, examples, given.minutes, given.size, given.rate)
    write(network, given.out)


if __name__ == "__main__":
    main()
