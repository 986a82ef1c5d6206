"""A network of an engine as a module of torch, to look into or to go on training."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import torch

from spielleiter.game import Position

if TYPE_CHECKING:
    from spielleiter.networks import Network


class TorchNetwork(torch.nn.Module):
    """The same numbers and the same arithmetic; call it with what `inputs` gives."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self._definition = network.definition
        for name, numbers in network.parameters.items():
            self.register_parameter(name, torch.nn.Parameter(torch.tensor(numbers)))

    def inputs(self, positions: Sequence[Position]) -> dict[str, Any]:
        """What the network sees of positions, on the device of its parameters."""
        device = next(self.parameters()).device
        seen = self._definition.inputs(positions)
        return {name: torch.as_tensor(array, device=device) for name, array in seen.items()}

    def forward(self, inputs: Mapping[str, Any]) -> Any:
        """Its output for inputs."""
        return self._definition.forward(torch, dict(self.named_parameters()), inputs)
