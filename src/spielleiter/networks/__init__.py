"""The networks of our engines as arrays: `networks.load(GAME)` gives them in NumPy or in torch.

A network takes positions and gives the same output as the engine, which uses integers:

    networks.load(GAME)["NAME"]([position, …])               # an array
    networks.load(GAME, "torch")["NAME"](inputs)             # a module to go on training
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from spielleiter import games, native
from spielleiter.errors import UnknownName, UsageError
from spielleiter.game import NetworkDefinition, Position

Framework = Literal["numpy", "torch"]


class Network:
    """A network of an engine in NumPy, in double precision."""

    def __init__(self, definition: NetworkDefinition, edition: str) -> None:
        self.definition = definition
        self.parameters: dict[str, NDArray[Any]] = definition.parameters(edition)
        """The numbers it was trained to, by name."""

    def inputs(self, positions: Sequence[Position]) -> dict[str, NDArray[Any]]:
        """What the network sees of positions, the seat to move first."""
        return self.definition.inputs(positions)

    def forward(self, inputs: Mapping[str, NDArray[Any]]) -> NDArray[Any]:
        """Its output for inputs."""
        return np.asarray(self.definition.forward(np, self.parameters, inputs))

    def __call__(self, positions: Sequence[Position]) -> NDArray[Any]:
        """Its output for positions; see the game's `networks.py`."""
        return self.forward(self.inputs(positions))


@overload
def load(game: str, framework: Literal["numpy"] = ...) -> dict[str, Network]: ...
@overload
def load(game: str, framework: Literal["torch"]) -> dict[str, Any]: ...
def load(game: str, framework: Framework = "numpy") -> dict[str, Any]:
    """All networks of an edition by name; in torch each is a `torch.nn.Module`."""
    if framework not in ("numpy", "torch"):
        raise UnknownName("framework", framework, ("numpy", "torch"))
    loaded = {name: Network(each, game) for name, each in _definitions(game).items()}
    return loaded if framework == "numpy" else {name: _torch(net) for name, net in loaded.items()}


def _definitions(game: str) -> dict[str, NetworkDefinition]:
    edition = games.load(game)
    if find_spec(f"{edition.folder}.networks") is None:
        raise UsageError(f"the engine of {game} has no network")
    if native.is_plain(edition.native):
        raise UsageError(f"{game} runs in plain Python here: its networks lie in the native module")
    definitions: dict[str, NetworkDefinition] = edition.part("networks").NETWORKS
    return definitions


def _torch(network: Network) -> Any:
    if find_spec("torch") is None:
        raise UsageError("PyTorch is missing: install it with 'pip install spielleiter[train]'")
    return import_module("spielleiter.networks.torch_network").TorchNetwork(network)
