"""The networks of the engine for arrays: what policy_network.hpp and forecast_network.hpp say.

- `policy`: a logit for every legal move of each position, one after the other. The share of a move
  in the search is a softmax of its position's logits.
- `forecast`: for each position the chance to win of the seat on turn, and its lead in points.

The engine computes in whole numbers, so it differs in the third digit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from spielleiter.game import NetworkDefinition
from spielleiter.games.blokus import _core, reference

if TYPE_CHECKING:
    from spielleiter.games.blokus import Position

SIDE, CELLS, ROUNDS = 20, 400, 26
POINTS, BOARD = 16.0, 64.0
"""Points and cells are counted in these by the forecast."""
PASS_LOGIT = -60.0
TRAITS = 8
POLICY: dict[str, tuple[int, ...]] = {
    "seen": (16, 9, 32),
    "place": (55, 32),
    "time": (ROUNDS, 32),
    "spread": (9, 32),
    "mixed": (32, 32),
    "mixed_bias": (32,),
    "told": (32, 24),
    "told_before": (32, 24),
    "piece": (21, TRAITS),
    "late": (ROUNDS, TRAITS),
    "bent": (TRAITS,),
    "straight": (TRAITS,),
    "custom": (ROUNDS, 21),
}
FORECAST: dict[str, tuple[int, ...]] = {
    "seen": (20, 9, 32),
    "place": (55, 32),
    "time": (ROUNDS, 32),
    "summed": (32, 32),
    "piece": (84, 32),
    "late": (ROUNDS, 32),
    "inner": (32, 32),
    "inner_bias": (32,),
    "gain": (32,),
    "gain_late": (ROUNDS,),
    "sure": (ROUNDS,),
}
Arrays = dict[str, NDArray[Any]]
Truths = NDArray[np.bool_]


def _cut(numbers: Sequence[float], shapes: Mapping[str, tuple[int, ...]]) -> Arrays:
    """The numbers of a file as arrays of these shapes."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes.values()])
    assert ends[-1] == len(numbers), "the engine has another network"
    parts = np.split(np.array(numbers), ends[:-1])
    return {
        name: part.reshape(shape) for (name, shape), part in zip(shapes.items(), parts, strict=True)
    }


# ------------------------------------------------------------------------------------ the board


@cache
def _places() -> NDArray[np.int64]:
    """The number of each cell; those that a symmetry maps to each other have the same."""
    from_edge = np.minimum(np.arange(SIDE), SIDE - 1 - np.arange(SIDE))
    low = np.minimum.outer(from_edge, from_edge)
    high = np.maximum.outer(from_edge, from_edge)
    return np.asarray(high * (high + 1) // 2 + low).ravel()


@cache
def _neighbours() -> NDArray[np.int64]:
    """The nine cells around each cell, row by row; CELLS stands for those beyond the board."""
    framed = np.pad(np.arange(CELLS).reshape(SIDE, SIDE), 1, constant_values=CELLS)
    around = [framed[y : y + SIDE, x : x + SIDE].ravel() for y in range(3) for x in range(3)]
    return np.stack(around, axis=-1)


def _around(lib: ModuleType, cells: Any) -> Any:
    """positions × cells × units → the units of the nine cells around each cell."""
    return lib.concatenate([cells, cells[:, :1] * 0], 1)[:, lib.asarray(_neighbours())]


def _rounds(positions: Sequence[Position]) -> NDArray[np.int64]:
    return np.array([min(position.ply // 4, ROUNDS - 1) for position in positions])


def _within(begin: Truths, free: Truths, steps: int) -> Truths:
    """The free cells at most so many steps from some."""
    near = begin
    for _ in range(steps):
        framed = np.pad(near, 1)
        sides = framed[:-2, 1:-1] | framed[2:, 1:-1] | framed[1:-1, :-2] | framed[1:-1, 2:]
        near = (near | sides) & free
    return near


def _columns(planes: list[Truths]) -> NDArray[np.float64]:
    """cells × planes."""
    return np.stack(planes, axis=-1).reshape(CELLS, len(planes)).astype(float)


# --------------------------------------------------------------------------------------- policy


def _policy_planes(position: Position) -> NDArray[np.float64]:
    """Of each colour the cells where it lies or may lie, or reach with its next piece, or touch
    itself; and those where it lies."""
    seen, shown = position.observe(), []
    for colour in range(4):
        in_play = bool(seen[96 + colour, 0, 0] & 1)
        squares, contacts, free = (seen[4 * kind + colour].astype(bool) for kind in range(3))
        near = _within(contacts & free, free, 4)
        shown += [squares | (cells & in_play) for cells in (free, near, contacts)] + [squares]
    return _columns(shown)


@cache
def _touched(action: int) -> tuple[int, NDArray[np.int64]]:
    """The kind of a placement, and what it looks at: cells times roles (covered, touched at a
    corner only, touched at an edge)."""
    covered = {(cell % SIDE, cell // SIDE) for cell in reference.cells_of(action) or ()}
    edges = {(x + a, y + b) for x, y in covered for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    corners = {(x + a, y + b) for x, y in covered for a in (1, -1) for b in (1, -1)}
    roles = (covered, corners - edges - covered, edges - covered)
    looked = [
        3 * (SIDE * y + x) + role
        for role, cells in enumerate(roles)
        for x, y in sorted(cells)
        if 0 <= x < SIDE and 0 <= y < SIDE
    ]
    return reference.ORIENTATIONS[action // CELLS].kind, np.array(looked)


def _policy_inputs(positions: Sequence[Position]) -> Arrays:
    """Planes and rounds of the positions; of each move its board, its kind, whether it passes, and
    what it looks at: `looks` in a row, `move` saying whose they are."""
    board: list[int] = []
    kind: list[int] = []
    passes: list[bool] = []
    looks, move = [], []
    for at, position in enumerate(positions):
        for action in map(position.action, position.legal_moves()):
            passing = action == reference.PASS
            its_kind, looked = (0, np.zeros(0, np.int64)) if passing else _touched(action)
            looks.append(looked + 3 * CELLS * at)
            move.append(np.full(len(looked), len(board)))
            board.append(at)
            kind.append(its_kind)
            passes.append(passing)
    return {
        "planes": np.stack([_policy_planes(position) for position in positions]),
        "round": _rounds(positions),
        "board": np.array(board, np.int64),
        "kind": np.array(kind, np.int64),
        "passes": np.array(passes, bool),
        "looks": np.concatenate(looks),
        "move": np.concatenate(move).astype(np.int64),
    }


def _policy(lib: ModuleType, of: Mapping[str, Any], inputs: Mapping[str, Any]) -> Any:
    """A logit for each move."""
    rounds, board, kind = inputs["round"], inputs["board"], inputs["kind"]
    first = _first_layer(lib, of, inputs["planes"], rounds)
    spread = (_around(lib, first) * of["spread"]).sum(2)
    second = (spread @ of["mixed"] + of["mixed_bias"]).clip(0)
    told = (second @ of["told"] + first @ of["told_before"]).reshape(-1, TRAITS)
    traits = of["piece"][kind] + of["late"][rounds[board]]
    traits = _added(lib, traits, inputs["move"], told[inputs["looks"]])
    logits = (
        traits.clip(0) @ of["bent"] + traits @ of["straight"] + of["custom"][rounds[board], kind]
    )
    return lib.where(inputs["passes"], PASS_LOGIT, logits)


def _first_layer(lib: ModuleType, of: Mapping[str, Any], planes: Any, rounds: Any) -> Any:
    bias = of["place"][lib.asarray(_places())] + of["time"][rounds][:, None]
    return (lib.einsum("bnkp,pku->bnu", _around(lib, planes), of["seen"]) + bias).clip(0)


def _added(lib: ModuleType, to: Any, rows: Any, values: Any) -> Any:
    """Each value is added to its row."""
    if lib is not np:
        return to.index_add(0, rows, values)
    np.add.at(to, rows, values)
    return to


# ------------------------------------------------------------------------------------- forecast


def _forecast_planes(position: Position) -> NDArray[np.float64]:
    """Free cells, those within 19, 9 and 4 steps, and contacts, of each colour in play."""
    seen, shown = position.observe(), []
    for colour in range(4):
        in_play = bool(seen[96 + colour, 0, 0] & 1)
        contacts, free = (seen[kind + colour].astype(bool) & in_play for kind in (4, 8))
        shown += [free, *(_within(contacts, free, steps) for steps in (19, 9, 4)), contacts]
    return _columns(shown)


def _pieces(position: Position) -> NDArray[np.float64]:
    """The pieces that are left to colours in play."""
    seen = position.observe()
    left = seen[12:96, 0, 0].astype(bool).reshape(4, 21)
    return np.asarray((left & (seen[96:100, :1, 0] & 1).astype(bool)).ravel().astype(float))


def _lead(position: Position) -> float:
    scores, seat = position.scores(), position.to_move()
    return (scores[seat] - scores[1 - seat]) / POINTS


def _forecast_inputs(positions: Sequence[Position]) -> Arrays:
    return {
        "planes": np.stack([_forecast_planes(position) for position in positions]),
        "pieces": np.stack([_pieces(position) for position in positions]),
        "round": _rounds(positions),
        "lead": np.array([_lead(position) for position in positions]),
    }


def _forecast(lib: ModuleType, of: Mapping[str, Any], inputs: Mapping[str, Any]) -> Any:
    """positions × (chance to win, lead in points)."""
    rounds = inputs["round"]
    sums = _first_layer(lib, of, inputs["planes"], rounds).sum(1) / BOARD
    hidden = sums @ of["summed"] + inputs["pieces"] @ of["piece"] + of["late"][rounds]
    hidden = (hidden.clip(0) @ of["inner"] + of["inner_bias"]).clip(0)
    lead = inputs["lead"] + hidden @ of["gain"] + of["gain_late"][rounds]
    chance = 1 / (1 + lib.exp(-lead * lib.exp(of["sure"][rounds])))
    return lib.stack([chance, POINTS * lead], -1)


NETWORKS = {
    "policy": NetworkDefinition(
        parameters=lambda edition: _cut(_core.policy_weights(), POLICY),
        inputs=_policy_inputs,
        forward=_policy,
    ),
    "forecast": NetworkDefinition(
        parameters=lambda edition: _cut(_core.forecast_weights(), FORECAST),
        inputs=_forecast_inputs,
        forward=_forecast,
    ),
}
