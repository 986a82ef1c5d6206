"""The networks in arrays say what the engine says, in NumPy and in torch."""

from __future__ import annotations

import numpy as np
import pytest

from spielleiter import games, networks
from spielleiter.games.blokus.tests.walks import positions

pytestmark = pytest.mark.native


def test_the_forecast_in_arrays_is_the_engines() -> None:
    core = games.load("blokus-2027").native
    seen = list(positions(12))
    forecast = networks.load("blokus-2027")["forecast"](seen)
    for (chance, lead), position in zip(forecast, seen, strict=True):
        told_chance, told_lead = core.forecast(position)
        assert chance == pytest.approx(told_chance, abs=0.01)
        assert lead == pytest.approx(told_lead, abs=0.3)


def test_the_policy_in_arrays_is_the_engines() -> None:
    core = games.load("blokus-2027").native
    seen = list(positions(6))
    policy = networks.load("blokus-2027")["policy"]
    inputs = policy.inputs(seen)
    logits = policy.forward(inputs)
    for at, position in enumerate(seen):
        own = np.exp(logits[inputs["board"] == at])
        told = core.policy(position)
        assert own / own.sum() == pytest.approx(told, rel=0.15, abs=2e-3)


def test_torch_says_what_numpy_says() -> None:
    torch = pytest.importorskip("torch", reason="the extra spielleiter[train] is missing")
    seen = list(positions(4))
    plain, learning = networks.load("blokus-2027"), networks.load("blokus-2027", "torch")
    for name in ("policy", "forecast"):
        said = learning[name](learning[name].inputs(seen))
        assert said.detach().numpy() == pytest.approx(plain[name](seen), abs=1e-9)
        said.sum().backward()
        assert torch.count_nonzero(learning[name].seen.grad) > 0
