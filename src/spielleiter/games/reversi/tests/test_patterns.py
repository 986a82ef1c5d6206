"""The estimate on 8 × 8 against a slow twin that reads the shipped file itself."""

from __future__ import annotations

import random
from array import array
from itertools import product
from typing import Any

import pytest

from spielleiter.games.reversi import Position, shipped_weights
from spielleiter.games.reversi.tests.walks import GAME

pytestmark = pytest.mark.native

SHAPES = [
    [0, 1, 2, 8, 9, 10, 16, 17, 18],
    [0, 1, 2, 3, 4, 8, 9, 10, 11, 12],
    [9, 0, 1, 2, 3, 4, 5, 6, 7, 14],
    [8, 9, 10, 11, 12, 13, 14, 15],
    [16, 17, 18, 19, 20, 21, 22, 23],
    [24, 25, 26, 27, 28, 29, 30, 31],
    [0, 1, 8, 9, 18, 27, 36, 45, 54, 63],
    [1, 10, 19, 28, 37, 46, 55],
    [2, 11, 20, 29, 38, 47],
    [3, 12, 21, 30, 39],
    [4, 13, 22, 31],
]
STAGES, MOVES, UNITS, COLUMNS = 20, 33, 16, 149_922
TABLES = STAGES * (COLUMNS + MOVES)
GROUP_ENDS = [8, 11, 14, 20]


def turned(shape: list[int], symmetry: int) -> list[int]:
    images = []
    for cell in shape:
        y, x = divmod(cell, 8)
        if symmetry & 4:
            x, y = y, x
        images.append(8 * (7 - y if symmetry & 2 else y) + (7 - x if symmetry & 1 else x))
    return images


class Twin:
    """What the file says, in plain Python; the words are its numbers of 16 bits."""

    def __init__(self) -> None:
        data = shipped_weights.data("patterns")
        self.words = array("h", data[: 2 * TABLES])
        groups = len(GROUP_ENDS) * COLUMNS * UNITS
        self.patterns = array("b", data[2 * TABLES :][:groups])
        self.rows = array("h", data[2 * TABLES + groups :])
        assert len(self.rows) == STAGES * (MOVES + 1) * UNITS
        self.columns: list[dict[tuple[int, ...], int]] = []
        width = 0
        for shape in SHAPES:
            self.columns.append(columns_of(shape, width))
            width = max(self.columns[-1].values()) + 1
        assert width == COLUMNS

    def seen(self, position: Position) -> list[int]:
        """The columns of all places, for the seat to move."""
        own, other = position.to_move(), 1 - position.to_move()
        digits: dict[int, int] = {}
        for seat, digit in ((own, 1), (other, 2)):
            for x, y in position.stones(seat):
                digits[8 * y + x] = digit
        found: list[int] = []
        for shape, columns in zip(SHAPES, self.columns, strict=True):
            images = [turned(shape, symmetry) for symmetry in range(8)]
            places = {tuple(sorted(image)): image for image in images}
            contents = [tuple(digits.get(cell, 0) for cell in image) for image in places.values()]
            found += [columns[content] for content in contents]
        assert len(found) == 48
        return found

    def estimate(self, position: Position) -> int:
        columns, moves = self.seen(position), len(position.legal_moves())
        empty = 64 - sum(len(position.stones(seat)) for seat in (0, 1))
        stage = min(STAGES - 1, (60 - empty) // 3)
        total = 0
        for column in [*columns, COLUMNS + moves]:
            total += sum(self.words[at * (COLUMNS + MOVES) + column] for at in range(stage + 1))
        group = next(at for at, end in enumerate(GROUP_ENDS) if stage < end)
        row = stage * (MOVES + 1) * UNITS
        weighed = 0
        for unit in range(UNITS):
            value = self.rows[row + moves * UNITS + unit]
            value += sum(self.patterns[(group * COLUMNS + at) * UNITS + unit] for at in columns)
            weighed += max(0, value) * self.rows[row + MOVES * UNITS + unit]
        return int((total + (weighed >> 8)) * 32 / 128)


def columns_of(shape: list[int], first: int) -> dict[tuple[int, ...], int]:
    """The column of every content of a shape: its lowest digit comes first."""
    mirrors = [turned(shape, symmetry) for symmetry in range(8)]
    orders = [
        [image.index(cell) for cell in shape] for image in mirrors if set(image) == set(shape)
    ]
    order = next((each for each in orders if each != sorted(each)), sorted(orders[0]))
    columns: dict[tuple[int, ...], int] = {}
    for reversed_digits in product(range(3), repeat=len(shape)):
        digits = reversed_digits[::-1]
        image = tuple(digits[at] for at in order)
        columns[digits] = columns.get(image, first)
        first += columns[digits] == first
    return columns


def test_the_estimate_is_what_the_file_says() -> None:
    twin, lots = Twin(), random.Random(5)
    judged = 0
    for _ in range(4):
        position: Any = GAME.start()
        while position.outcome() is None:
            position.play(lots.choice(position.legal_moves()))
            if position.outcome() is None:
                assert GAME.native.evaluate(position) == twin.estimate(position), position.text()
                judged += 1
    assert judged > 150


def test_tables_without_a_network_are_accepted() -> None:
    position, shipped = GAME.start(), shipped_weights.data("patterns")
    for _ in range(20):
        position.play(position.legal_moves()[0])
    both = GAME.native.evaluate(position)
    try:
        GAME.native.load_patterns(shipped[: 2 * TABLES])
        tables = GAME.native.evaluate(position)
        assert GAME.native.Engine(table=1).search(position, depth=4).lines
    finally:
        GAME.native.load_patterns(shipped)
    assert tables != both == GAME.native.evaluate(position)
