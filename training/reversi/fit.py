"""Fit the pattern tables to positions with the results of their games.

    python fit.py TABLES POSITIONS... --write WEIGHTS

TABLES comes from `places`: how patterns lie on the board and which indices are mirror images. The
estimate is a sum of table entries, one for each place, so this is a linear regression with very
many columns, solved by Adam over shuffled batches with all the data on the GPU.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
import torch

STAGES, PLIES, FINE, MOST_MOVES = 20, 3, 128, 33
RECORD = np.dtype([("own", "<u8"), ("other", "<u8"), ("lead", "i1"), ("zero", "i1")])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("tables", type=Path)
    parser.add_argument("positions", type=Path, nargs="+")
    parser.add_argument("--write", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--first", type=Path, help="Weights to begin with.")
    options = parser.parse_args()
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(1)
    tables = json.loads(options.tables.read_text())
    data = np.concatenate([np.fromfile(path, RECORD) for path in options.positions])
    features = Features(tables, device)
    model = fit(features, data, options.seconds, options.first)
    options.write.write_bytes(features.shipped(model))


class Features:
    """Positions → columns: one for each place, with the table's own start added, and the moves."""

    def __init__(self, tables: dict, device: str) -> None:
        self.device = device
        self.places = torch.tensor(tables["places"], device=device)  # place × 10 cells, 64 for none
        self.powers = torch.tensor(tables["powers"], device=device)  # place × 10
        self.starts = torch.tensor(tables["starts"], device=device)  # place
        self.columns = torch.tensor(tables["columns"], device=device)  # index → folded column
        self.count = int(tables["count"])
        """Columns of one stage, the moves not counted."""

    def of(self, own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
        """Columns of positions, given as rows of 64 cells."""
        digits = own + 2 * other
        digits = torch.cat([digits, torch.zeros_like(digits[:, :1])], 1)
        index = (digits[:, self.places] * self.powers).sum(2) + self.starts
        return self.columns[index]

    def shipped(self, model: torch.Tensor) -> bytes:
        weights = torch.clamp(torch.round(model * FINE), -32_000, 32_000)
        return weights.to(torch.int16).cpu().numpy().astype("<i2").tobytes()


def unpacked(words: np.ndarray, device: str) -> torch.Tensor:
    """64-bit words as rows of 64 bytes."""
    bits = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
    return torch.from_numpy(bits).to(device)


def moves_of(own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """Number of legal moves of positions given as rows of 64 cells."""
    mine, theirs = own.view(-1, 8, 8).bool(), other.view(-1, 8, 8).bool()
    empty, found = ~(mine | theirs), torch.zeros_like(mine)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dx or dy:
                reach = shifted(mine, dy, dx) & theirs
                for _ in range(5):
                    reach |= shifted(reach, dy, dx) & theirs
                found |= shifted(reach, dy, dx) & empty
    return found.view(-1, 64).sum(1)


def shifted(cells: torch.Tensor, dy: int, dx: int) -> torch.Tensor:
    made = torch.zeros_like(cells)
    to_y, from_y = slice(max(dy, 0), 8 + min(dy, 0)), slice(max(-dy, 0), 8 + min(-dy, 0))
    to_x, from_x = slice(max(dx, 0), 8 + min(dx, 0)), slice(max(-dx, 0), 8 + min(-dx, 0))
    made[:, to_y, to_x] = cells[:, from_y, from_x]
    return made


def fit(features: Features, data: np.ndarray, seconds: float, first: Path | None) -> torch.Tensor:
    device = features.device
    width = features.count + MOST_MOVES
    model = torch.zeros(STAGES, width, device=device)
    if first is not None:
        old = np.frombuffer(first.read_bytes(), "<i2").astype(np.float32).reshape(STAGES, width)
        model = torch.from_numpy(old / FINE).to(device)
    share = seconds / STAGES
    plies = 60 - 64 + stones(data)
    for stage in range(STAGES):
        # Neighbouring plies help to tell the same thing, and make the stages run into each other.
        chosen = (plies >= PLIES * stage - 3) & (plies < PLIES * (stage + 1) + 3)
        if stage > 0 and first is None:
            model[stage] = model[stage - 1]
        model[stage] = fit_stage(features, data[chosen], model[stage].clone(), share, stage)
    model[0] = model[1] = model[2]  # games begin with random moves: so early there are no positions
    return model


def stones(data: np.ndarray) -> np.ndarray:
    both = data["own"] | data["other"]
    return np.unpackbits(both.view(np.uint8).reshape(-1, 8), axis=1).sum(1).astype(np.int64)


def fit_stage(
    features: Features, data: np.ndarray, weights: torch.Tensor, seconds: float, stage: int
) -> torch.Tensor:
    begin = time.perf_counter()
    if len(data) < 1000:
        return weights
    device = features.device
    own, other = unpacked(data["own"].copy(), device), unpacked(data["other"].copy(), device)
    lead = torch.from_numpy(data["lead"].astype(np.float32)).to(device)
    columns = torch.cat(
        [
            columns_of(features, own[at : at + 200_000], other[at : at + 200_000])
            for at in range(0, len(data), 200_000)
        ]
    )
    held = torch.zeros(len(data), dtype=torch.bool, device=device)
    held[: len(data) // 50] = True  # whole games: positions of one game stand together
    train = torch.nonzero(~held)[:, 0]
    weights.requires_grad_(True)
    rate, batch = 0.05, 16_384
    optimiser = torch.optim.Adam([weights], lr=rate, betas=(0.9, 0.99))
    epoch = 0
    best = (float("inf"), weights.detach().clone())
    while time.perf_counter() - begin < seconds:
        part = (time.perf_counter() - begin) / seconds
        optimiser.param_groups[0]["lr"] = rate * max(0.02, (1 - part) ** 1.5)
        order = train[torch.randperm(len(train), device=device)]
        for at in range(0, len(order), batch):
            rows = order[at : at + batch]
            guess = weights[columns[rows]].sum(1)
            loss = ((guess - lead[rows]) ** 2).mean() + 1e-3 * (weights**2).sum() / len(rows) ** 0.5
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            optimiser.step()
            if at % (64 * batch) == 0 and time.perf_counter() - begin > seconds:
                break
        epoch += 1
        error = mistake(weights.detach(), columns[held], lead[held])
        if error < best[0]:
            best = (error, weights.detach().clone())
    seen = mistake(weights.detach(), columns[train[:200_000]], lead[train[:200_000]])
    print(
        f"stage {stage}: {len(data)} positions, {epoch} epochs, error {seen:.2f} seen, "
        f"{best[0]:.2f} unseen, spread of results {lead.std().item():.2f}",
        flush=True,
    )
    return best[1]


def columns_of(features: Features, own: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    moves = moves_of(own, other).clamp(max=MOST_MOVES - 1) + features.count
    return torch.cat([features.of(own.long(), other.long()), moves[:, None]], 1).int()


def mistake(weights: torch.Tensor, columns: torch.Tensor, lead: torch.Tensor) -> float:
    """Root of the mean square, in stones."""
    total = 0.0
    for at in range(0, len(columns), 1 << 18):
        guess = weights[columns[at : at + (1 << 18)]].sum(1)
        total += float(((guess - lead[at : at + (1 << 18)]) ** 2).sum())
    return (total / max(1, len(columns))) ** 0.5


if __name__ == "__main__":
    main()
