"""What the trainings of both networks share: the board and its symmetries, weights, the device."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

SIDE, ROUNDS = 20, 26


def places() -> Tensor:
    """The number of each cell; those that a symmetry maps to each other have the same."""
    numbers = torch.zeros(SIDE, SIDE, dtype=torch.long)
    for y in range(SIDE):
        for x in range(SIDE):
            low, high = sorted((min(x, SIDE - 1 - x), min(y, SIDE - 1 - y)))
            numbers[y, x] = high * (high + 1) // 2 + low
    return numbers


def turned(planes: Tensor, symmetry: int) -> Tensor:
    """Boards as one of the eight symmetries shows them."""
    if symmetry & 4:
        planes = planes.transpose(2, 3)
    if symmetry & 1:
        planes = planes.flip(3)
    if symmetry & 2:
        planes = planes.flip(2)
    return planes


def device_to_learn_on() -> str:
    """The graphics processor where there is one; the same lots in every run."""
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = True
    return "cuda" if torch.cuda.is_available() else "cpu"


def set_rate(optimiser: torch.optim.Optimizer, rate: float, spent: float) -> None:
    """Up in the first twentieth of the time, then down to nothing."""
    for group in optimiser.param_groups:
        group["lr"] = rate * min(1.0, 20 * spent + 0.02) * (1 - spent) ** 1.5


def write(network: nn.Module, path: Path) -> None:
    """All weights in the order of the network's `Parameters` in C++."""
    flat = [each.detach().float().cpu().numpy().ravel() for each in network.parameters()]
    np.concatenate(flat).astype("<f4").tofile(path)


def read(network: nn.Module, path: Path) -> None:
    """Weights as `write` has written them."""
    flat, begin = torch.from_numpy(np.fromfile(path, dtype="<f4")), 0
    with torch.no_grad():
        for parameter in network.parameters():
            end = begin + parameter.numel()
            parameter.copy_(flat[begin:end].view(parameter.shape))
            begin = end
