"""The network of the engine for arrays: what network.hpp says.

- `value`: what the network thinks of each position for the seat to move, in sixteenths of a unit of
  score (400 units are odds of ten to one). It is the part `network` of the evaluation.

The numbers are the engine's to the last digit: it divides whole numbers, and so does this. In torch
gradients pass through the rounding as if it were not there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spielleiter.game import NetworkDefinition
from spielleiter.games.piranhas import _core

if TYPE_CHECKING:
    from spielleiter.games.piranhas import Position

HIDDEN, FULL, SCALE = 128, 255, 256
"""Units of a side, a unit that is fully on, and what products are divided by."""
KNOTS = np.array([0, 12, 24, 36, 48, 52, 56, 60])
"""Weights are given for these plies and run straight between them."""
SHAPES = {
    "rows": (700, HIDDEN),
    "bias": (HIDDEN,),
    "out": (2, 8, 2 * HIDDEN),
    "places": (300, 8),
}
Arrays = dict[str, NDArray[Any]]


def _parameters(edition: str) -> Arrays:
    numbers = np.array(_core.network_weights(edition), float)
    ends = np.cumsum([int(np.prod(shape)) for shape in SHAPES.values()])
    parts = np.split(numbers, ends[:-1])
    return {
        name: part.reshape(shape) for (name, shape), part in zip(SHAPES.items(), parts, strict=True)
    }


def _inputs(positions: Sequence[Position]) -> Arrays:
    """What either side sees of each position, the seat to move first; fish; the ply."""
    own = np.stack([position.observe(position.to_move())[:7] for position in positions])
    others = own[:, [3, 4, 5, 0, 1, 2, 6]]
    mine, yours = (seen.reshape(len(positions), 700).astype(float) for seen in (own, others))
    return {
        "mine": mine,
        "yours": yours,
        "fish": mine[:, :300] - yours[:, :300],
        "ply": np.array([position.ply for position in positions]),
    }


def _value(lib: ModuleType, of: Mapping[str, Any], inputs: Mapping[str, Any]) -> Any:
    """For each position what it is worth to the seat to move."""
    ply = inputs["ply"]
    units = [(inputs[side] @ of["rows"] + of["bias"]).clip(0, FULL) for side in ("mine", "yours")]
    out = _at_ply(lib, of["out"][ply % 2], ply)
    judged = _whole(lib, (lib.concatenate(units, 1) * out).sum(1) / SCALE)
    gap = (inputs["fish"] @ of["places"])[:, :, None]
    return judged + _at_ply(lib, gap, ply)[:, 0]


def _at_ply(lib: ModuleType, numbers: Any, ply: Any) -> Any:
    """positions × knots × numbers → what they are at each ply."""
    knots = lib.asarray(KNOTS)
    knot = (ply[:, None] >= knots[None, :-1]).sum(1) - 1
    begin, end = knots[knot], knots[knot + 1]
    share = ((ply - begin) * 24 // (end - begin))[:, None]
    at = lib.arange(len(ply))
    return _whole(lib, (numbers[at, knot] * (24 - share) + numbers[at, knot + 1] * share) / 24)


def _whole(lib: ModuleType, numbers: Any) -> Any:
    """Rounded towards zero, as whole numbers are divided in C++."""
    rounded = lib.trunc(numbers)
    return rounded if lib is np else numbers + (rounded - numbers).detach()


NETWORKS = {"value": NetworkDefinition(parameters=_parameters, inputs=_inputs, forward=_value)}
