"""The policy network against its plain twin in NumPy, and what follows from it."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec

import numpy as np
import pytest
from numpy.typing import NDArray

from spielleiter import _cpu, games, native
from spielleiter.games.blokus import Move, Position, reference
from spielleiter.games.blokus.tests.walks import positions

pytestmark = pytest.mark.native

SIDE, UNITS, TRAITS, ROUNDS = 20, 32, 8, 26
PASS_LOGIT = -60.0
Floats = NDArray[np.float64]


class Twin:
    """policy_network.hpp, cell by cell and for the whole board."""

    def __init__(self, weights: list[float]) -> None:
        self._left = np.array(weights)
        self.seen = self._take(16, 9, UNITS)
        self.place, self.time = self._take(55, UNITS), self._take(ROUNDS, UNITS)
        self.spread, self.mixed = self._take(9, UNITS), self._take(UNITS, UNITS)
        self.mixed_bias = self._take(UNITS)
        self.told, self.told_before = self._take(UNITS, 24), self._take(UNITS, 24)
        self.piece, self.late = self._take(21, TRAITS), self._take(ROUNDS, TRAITS)
        self.bent, self.straight = self._take(TRAITS), self._take(TRAITS)
        self.custom = self._take(ROUNDS, 21)
        assert self._left.size == 0

    def _take(self, *shape: int) -> Floats:
        size = int(np.prod(shape))
        taken, self._left = self._left[:size].reshape(shape), self._left[size:]
        return taken

    def policy(self, position: Position) -> Floats:
        """A softmax over the legal moves."""
        planes, turn = seen(position), min(position.ply // 4, ROUNDS - 1)
        first = sum(around(planes)[at] @ self.seen[:, at] for at in range(9))
        first = np.maximum(0, first + self.place[places()] + self.time[turn])
        spread = sum(around(first)[at] * self.spread[at] for at in range(9))
        second = np.maximum(0, spread @ self.mixed + self.mixed_bias)
        told = second @ self.told + first @ self.told_before
        logits = np.array([self.logit(told, turn, m, position) for m in position.legal_moves()])
        chances = np.exp(logits - logits.max())
        return np.asarray(chances / chances.sum())

    def logit(self, told: Floats, turn: int, move: Move, position: Position) -> float:
        number = position.action(move)
        if number == reference.PASS:
            return PASS_LOGIT
        kind = reference.ORIENTATIONS[number // 400].kind
        sums = self.piece[kind] + self.late[turn]
        for role, cells in enumerate(touched(number)):
            for x, y in cells:
                sums = sums + told[y, x, TRAITS * role : TRAITS * (role + 1)]
        bent = np.maximum(0, sums) @ self.bent
        return float(bent + sums @ self.straight + self.custom[turn, kind])


def seen(position: Position) -> Floats:
    """Sixteen planes, the last index: of each colour the cells where it lies or may lie, or reach
    with its next piece, or touch itself; and those where it lies."""
    planes = position.observe().astype(bool)
    shown = []
    for colour in range(4):
        in_play = bool(position.observe()[96 + colour, 0, 0] & 1)
        squares, contacts, free = (planes[4 * kind + colour] for kind in range(3))
        near = contacts & free
        for _ in range(4):
            framed = np.pad(near, 1)
            sides = framed[:-2, 1:-1] | framed[2:, 1:-1] | framed[1:-1, :-2] | framed[1:-1, 2:]
            near = (near | sides) & free
        shown += [squares | (cells & in_play) for cells in (free, near, contacts)] + [squares]
    return np.stack(shown, axis=-1).astype(float)


def around(cells: Floats) -> list[Floats]:
    """The neighbours of all cells, row by row, nothing beyond the board."""
    framed = np.pad(cells, ((1, 1), (1, 1), (0, 0)))
    return [framed[y : y + SIDE, x : x + SIDE] for y in range(3) for x in range(3)]


def places() -> NDArray[np.int64]:
    from_edge = np.minimum(np.arange(SIDE), SIDE - 1 - np.arange(SIDE))
    low = np.minimum.outer(from_edge, from_edge)
    high = np.maximum.outer(from_edge, from_edge)
    return np.asarray(high * (high + 1) // 2 + low)


def touched(number: int) -> tuple[set[tuple[int, int]], ...]:
    """The cells a placement covers, touches at a corner only, and touches at an edge."""
    covered = {(cell % SIDE, cell // SIDE) for cell in reference.cells_of(number) or ()}
    edges = {(x + a, y + b) for x, y in covered for a, b in ((0, 1), (1, 0), (0, -1), (-1, 0))}
    corners = {(x + a, y + b) for x, y in covered for a in (1, -1) for b in (1, -1)}
    board = {(x, y) for x in range(SIDE) for y in range(SIDE)}
    return covered, (corners - edges - covered) & board, (edges - covered) & board


def test_the_network_says_what_its_twin_says() -> None:
    core = games.load("blokus-2021").native
    twin = Twin(core.policy_weights())
    for position in positions(22):
        assert core.policy(position) == pytest.approx(twin.policy(position), rel=0.15, abs=2e-3)


def test_chances_add_up_and_nobody_likes_to_pass() -> None:
    core = games.load("blokus-2027").native
    for position in positions(12):
        chances = core.policy(position)
        assert len(chances) == len(position.legal_moves())
        assert sum(chances) == pytest.approx(1, abs=1e-4)
        if len(chances) > 1:
            assert chances[-1] == min(chances), "the pass is the last move"


def test_all_builds_search_alike() -> None:
    game, found = games.load("blokus-2027"), []
    for flavour in _cpu.flavours():
        name = f"{game.folder}.{native.module_name(flavour)}"
        if find_spec(name) is not None:
            build = replace(game, native=import_module(name))
            report = build.native.Mcts(table=16, seed=3).search(build.start(5), nodes=400, lines=5)
            found.append([(line.score, [m.text() for m in line.moves]) for line in report.lines])
    assert found[1:] == found[:-1]
