"""The network in arrays says what the engine says, to the last digit."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from spielleiter import games, networks
from spielleiter.errors import UnknownName

pytestmark = pytest.mark.native

EDITIONS = ("piranhas-2019", "piranhas-2026")


def seen(name: str) -> list[Any]:
    game, lot, found = games.load(name), random.Random(4), []
    for seed in range(6):
        position = game.start(seed)
        while position.outcome() is None and position.legal_moves():
            found.append(position.copy())
            position.play(lot.choice(position.legal_moves()))
    return found


@pytest.mark.parametrize("name", EDITIONS)
def test_the_network_in_arrays_is_the_engines(name: str) -> None:
    core, shown = games.load(name).native, seen(name)
    told = [round(16 * sum(core.features(position)[:8])) for position in shown]
    assert networks.load(name)["value"](shown).tolist() == told


@pytest.mark.parametrize("name", EDITIONS)
def test_torch_says_the_same_and_can_go_on_learning(name: str) -> None:
    torch = pytest.importorskip("torch", reason="the extra spielleiter[train] is missing")
    network, shown = networks.load(name, "torch")["value"], seen(name)[:50]
    said = network(network.inputs(shown))
    assert np.allclose(said.detach().numpy(), networks.load(name)["value"](shown))
    said.sum().backward()
    assert torch.count_nonzero(network.rows.grad) > 0


def test_an_unknown_framework_is_refused() -> None:
    with pytest.raises(UnknownName, match="numpy"):
        networks.load(EDITIONS[0], "fortran")  # type: ignore[call-overload]
