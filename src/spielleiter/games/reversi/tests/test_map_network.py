"""The network for maps of any shape against a slow twin that reads the shipped file itself."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

from spielleiter.errors import UsageError
from spielleiter.games.reversi import shipped_weights
from spielleiter.games.reversi.tests.walks import GAME

pytestmark = pytest.mark.native

PLANES, CHANNELS, LAYERS, OCCUPANTS, UNITS, HIDDEN, PHASES = 10, 64, 8, 4, 64, 16, 6
SHIPPED_UNIT, SUM_UNIT = 4096, 64
SIDE = 15
STEPS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
NATURAL = math.log(10) / 400
DRAW = 150
"""An estimate is never the score of a draw."""
DOUBT = 400
"""Where the terms alone lie so far beyond what search asks for, the network is not asked."""
MAPS = ["p2_15x15_rooms", "p2_10x14_gates", "p2_13x11_crater", "p2_07x13_corridor"]

Cell = tuple[int, int]
Numbers = np.ndarray[Any, Any]


class Twin:
    """What the file says, in the words of training/reversi/map_network/train.py."""

    def __init__(self) -> None:
        self.rest = np.frombuffer(shipped_weights.data("map_network"), "<i2") / SHIPPED_UNIT
        self.layers = [self.convolution(9, PLANES, CHANNELS)]
        self.layers += [self.convolution(9, CHANNELS, CHANNELS) for _ in range(LAYERS)]
        self.vectors = self.convolution(1, CHANNELS, OCCUPANTS * UNITS)
        self.start = self.take(UNITS)
        self.phases = [
            [self.take(UNITS + 1, HIDDEN), *(self.take(HIDDEN) for _ in "12"), *self.take(2)]
            for _ in range(PHASES)
        ]
        assert not len(self.rest)

    def take(self, *shape: int) -> Numbers:
        found, self.rest = np.split(self.rest, [math.prod(shape)])
        return np.asarray(found).reshape(shape)

    def convolution(self, taps: int, inputs: int, outputs: int) -> tuple[Numbers, Numbers]:
        return self.take(taps, inputs, outputs), self.take(outputs)

    def survey(self, cells: set[Cell]) -> Numbers:
        """Row, column, occupant, unit."""
        exists = np.zeros((SIDE, SIDE, 1))
        for x, y in cells:
            exists[y, x] = 1
        planes = np.zeros((SIDE, SIDE, PLANES))
        for x, y in cells:
            rows = [run(cells, (x, y), step) / 8 for step in STEPS]
            planes[y, x] = [1, len(cells) / SIDE**2, *rows]
        found = self.convolved(0, planes, exists)
        for at in range(1, LAYERS, 2):
            found = found + self.convolved(at + 1, self.convolved(at, found, exists), exists)
            found = np.maximum(found, 0)
        weights, bias = self.vectors
        vectors = np.asarray((found @ weights[0] + bias) * exists)
        return vectors.reshape(SIDE, SIDE, OCCUPANTS, UNITS)

    def convolved(self, layer: int, given: Numbers, exists: Numbers) -> Numbers:
        weights, bias = self.layers[layer]
        wide = np.pad(given, ((1, 1), (1, 1), (0, 0)))
        found: Numbers = bias + sum(
            wide[y : y + SIDE, x : x + SIDE] @ weights[3 * y + x]
            for y, x in product(range(3), range(3))
        )
        return (np.maximum(found, 0) if layer in FIRST_OF_TWO else found) * exists

    def estimate(self, position: Any, survey: Numbers) -> float:
        own, other = position.to_move(), 1 - position.to_move()
        stones = [set(position.stones(seat)) for seat in (own, other)]
        empty = cells_of(position) - stones[0] - stones[1]
        occupants = [*stones, moves(empty, *stones), moves(empty, stones[1], stones[0])]
        sums = self.start.copy()
        for occupant, cells in enumerate(occupants):
            for x, y in cells:
                sums += survey[y, x, occupant]
        count = len(cells_of(position))
        weights, bias, output, offset, share = self.phases[
            min(PHASES - 1, PHASES * (count - len(empty)) // count)
        ]
        terms = terms_alone(position) * NATURAL
        inputs = [*np.maximum(sums, 0), max(-4.0, min(4.0, terms))]
        hidden = np.maximum(inputs @ weights + bias, 0)
        score = float(hidden @ output + offset + share * terms) / NATURAL
        danger = exposed(position)
        if danger:  # then the worse of both opinions counts
            return (min if danger < 0 else max)(score, float(terms_alone(position)))
        return score


FIRST_OF_TWO = {0, 1, 3, 5, 7}
"""Layers that are cut below zero at once; the others are added to what was there."""


def run(cells: set[Cell], at: Cell, step: Cell) -> int:
    found = 0
    while (at := (at[0] + step[0], at[1] + step[1])) in cells:
        found += 1
    return found


def cells_of(position: Any) -> set[Cell]:
    rows = position.text().split(" ")[0].split("/")
    return {(x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark != "-"}


def moves(empty: set[Cell], own: set[Cell], other: set[Cell]) -> set[Cell]:
    """Where somebody may set."""

    def takes(cell: Cell, step: Cell) -> bool:
        taken = 0
        while (cell := (cell[0] + step[0], cell[1] + step[1])) in other:
            taken += 1
        return taken > 0 and cell in own

    return {cell for cell in empty if any(takes(cell, step) for step in STEPS)}


def terms_alone(position: Any) -> int:
    return int(GAME.native.evaluate(position, GAME.native.weights(position)))


def exposed(position: Any) -> float:
    """Which player could lose all stones: below 0 the one to move."""
    native = GAME.native
    knots = len(native.weights(position)) // len(native.feature_names())
    at = list(native.feature_names()).index("exposed") * knots
    return float(sum(native.features(position)[at : at + knots]))


def positions(name: str, seed: int) -> Iterator[Any]:
    """Those of random games that are not won or lost for certain at a glance."""
    lots = random.Random(seed)
    for _ in range(6):
        position: Any = GAME.start(map=name)
        while position.outcome() is None:
            if abs(terms_alone(position)) < 1600:
                yield position.copy()
            position.play(lots.choice(position.legal_moves()))


@pytest.mark.parametrize("name", MAPS)
def test_the_estimate_is_what_the_file_says(name: str) -> None:
    twin = Twin()
    survey, judged = twin.survey(cells_of(GAME.start(map=name))), 0
    for position in positions(name, 5):
        native, slow = GAME.native.evaluate(position), twin.estimate(position, survey)
        # Sums are rounded to 64ths, cell by cell.
        assert native == pytest.approx(slow, abs=12, rel=0.02), position.text()
        judged += 1
    assert judged > 30


@pytest.mark.parametrize("name", MAPS)
def test_sums_that_follow_the_moves_are_those_of_the_position(name: str) -> None:
    """Search of one ply moves and takes the best of what follows."""
    engine, compared = GAME.native.Engine(table=1), 0
    for position in list(positions(name, 6))[::4]:
        after = [position.after(move) for move in position.legal_moves()]
        if any(each.outcome() for each in after):
            continue
        scores = [GAME.native.evaluate(each) for each in after]
        if any(
            abs(score - terms_alone(each)) > DOUBT
            for score, each in zip(scores, after, strict=True)
        ):
            continue
        scores = [score + (abs(score) == DRAW) for score in scores]
        mine = [each.to_move() == position.to_move() for each in after]
        best = max(score if own else -score for score, own in zip(scores, mine, strict=True))
        engine.forget()
        assert engine.search(position, depth=1).score == best, position.text()
        compared += 1
    assert compared > 10


def test_given_weights_judge_alone() -> None:
    differ = [
        GAME.native.evaluate(position) != terms_alone(position)
        for position in positions(MAPS[0], 7)
    ]
    assert sum(differ) > len(differ) / 2


def test_a_network_that_cannot_be_used_is_refused_at_once() -> None:
    size, start = len(shipped_weights.data("map_network")), GAME.start(map=MAPS[0])
    before = GAME.native.evaluate(start)
    with pytest.raises(UsageError, match="weights"):
        GAME.native.load_map_network(b"12")
    with pytest.raises(UsageError, match="overflow"):
        GAME.native.load_map_network(b"\xff\x7f" * (size // 2))
    assert GAME.native.evaluate(start) == before


def test_a_search_goes_on_with_the_network_it_began_with() -> None:
    position, shipped = GAME.start(map=MAPS[0]), shipped_weights.data("map_network")
    engine = GAME.native.Engine(table=1)
    expected = engine.search(position, depth=4).lines
    engine.forget()
    analysis = engine.analyse(position, depth=4)
    next(analysis)
    try:
        GAME.native.load_map_network(bytes(len(shipped)))
        assert GAME.native.evaluate(position) == 0
        *_, last = analysis
    finally:
        GAME.native.load_map_network(shipped)
    assert last.lines == expected
