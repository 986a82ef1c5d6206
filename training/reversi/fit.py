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
from boards import Columns, cells, words

STAGES, PLIES, FINE = 20, 3, 128
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
    model = fit(Columns(tables, device), data, options.seconds, options.first, device)
    options.write.write_bytes(shipped(model))


def shipped(model: torch.Tensor) -> bytes:
    """Weights as they are shipped."""
    weights = torch.clamp(torch.round(model * FINE), -32_000, 32_000)
    return weights.to(torch.int16).cpu().numpy().astype("<i2").tobytes()


def read_model(path: Path, width: int, device: str) -> torch.Tensor:
    """Weights of a file, in stones."""
    old = np.frombuffer(path.read_bytes(), "<i2").astype(np.float32).reshape(STAGES, width)
    return torch.from_numpy(old / FINE).to(device)


def fit(
    columns: Columns, data: np.ndarray, seconds: float, first: Path | None, device: str
) -> torch.Tensor:
    model = torch.zeros(STAGES, columns.width, device=device)
    if first is not None:
        model = read_model(first, columns.width, device)
    share = seconds / STAGES
    plies = 60 - 64 + stones(data)
    for stage in range(STAGES):
        # Neighbouring plies help to tell the same thing, and make the stages run into each other.
        chosen = (plies >= PLIES * stage - 3) & (plies < PLIES * (stage + 1) + 3)
        if stage > 0 and first is None:
            model[stage] = model[stage - 1]
        model[stage] = fit_stage(columns, data[chosen], model[stage].clone(), share, stage)
    model[0] = model[1] = model[2]  # games begin with random moves: so early there are no positions
    return model


def stones(data: np.ndarray) -> np.ndarray:
    both = data["own"] | data["other"]
    return np.unpackbits(both.view(np.uint8).reshape(-1, 8), axis=1).sum(1).astype(np.int64)


def fit_stage(
    places: Columns, data: np.ndarray, weights: torch.Tensor, seconds: float, stage: int
) -> torch.Tensor:
    begin = time.perf_counter()
    if len(data) < 1000:
        return weights
    device = str(weights.device)
    own, other = cells(words(data["own"], device)), cells(words(data["other"], device))
    lead = torch.from_numpy(data["lead"].astype(np.float32)).to(device)
    columns = torch.cat(
        [
            places.of(own[at : at + 200_000], other[at : at + 200_000])
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


def mistake(weights: torch.Tensor, columns: torch.Tensor, lead: torch.Tensor) -> float:
    """Root of the mean square, in stones."""
    total = 0.0
    for at in range(0, len(columns), 1 << 18):
        guess = weights[columns[at : at + (1 << 18)]].sum(1)
        total += float(((guess - lead[at : at + (1 << 18)]) ** 2).sum())
    return (total / max(1, len(columns))) ** 0.5


if __name__ == "__main__":
    main()
