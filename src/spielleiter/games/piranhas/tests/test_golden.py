"""The official rule engines' own games, ply by ply, under the server's authority."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games

FACTS = Path(__file__).parents[1] / "facts"
SEAT = {None: None, "ONE": 0, "TWO": 1, "RED": 0, "BLUE": 1}
CREDIT = {None: "-", "ONE": "0", "TWO": "1"}


def golden(year: int) -> Iterator[dict[str, Any]]:
    with gzip.open(FACTS / f"golden-{year}.jsonl.gz", "rt", encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def action(digits: str) -> int:
    """x, y, direction as written in the files → number of the action."""
    x, y, direction = map(int, digits)
    return (y * 10 + x) * 8 + direction


@pytest.mark.parametrize("year", [2019, 2026])
def test_every_ply_of_the_official_engine_is_reproduced(year: int) -> None:
    game = games.load(f"piranhas-{year}", "server")
    for record in golden(year):
        position = game.parse(f"{record['board']} 0 -")
        for ply in record["plies"]:
            assert position.outcome() is None
            legal = {action(digits) for digits in ply["legal"].split()}
            assert {position.action(move) for move in position.legal_moves()} == legal
            position.play(position.move_at(action(ply["move"])))
            assert list(position.scores()) == ply["swarm"]
            if year == 2026:
                assert position.text()[-1] == CREDIT[ply["firstUnion"]]
        outcome = position.outcome()
        assert outcome is not None
        assert outcome.winner == SEAT[record["winner"]]
        assert (position.ply, position.text().split()[0]) == (record["turns"], record["end"])


def test_the_first_moves_named_in_the_rules_are_legal() -> None:
    for name in ("piranhas-2019-draft", "piranhas-2019", "piranhas-2026"):
        start = games.load(name).start(1)
        legal = {move.text() for move in start.legal_moves()}
        assert {"A4-C4", "A1-A9", "A2-C0"} <= legal


def test_the_octopuses_are_drawn_as_the_rules_say() -> None:
    for name in ("piranhas-2019", "piranhas-2026"):
        for seed in range(300):
            rows = games.load(name).start(seed).text().split()[0].split("/")
            found = [(x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if c == "#"]
            (x1, y1), (x2, y2) = found
            assert all(2 <= value <= 7 for value in (x1, y1, x2, y2))
            assert len({x1, x2}) == len({y1, y2}) == 2
            assert abs(x1 - x2) != abs(y1 - y2)


def test_weights_are_symmetric_and_about_four_to_three_to_two() -> None:
    counts = dict.fromkeys("abc", 0)
    for seed in range(500):
        rows = games.load("piranhas-2026").start(seed).text().split()[0].split("/")
        for i in range(1, 9):
            assert rows[i][0].upper() == rows[0][i]
            assert rows[i][9].upper() == rows[9][i]
            for letter in (rows[i][0], rows[i][9]):
                counts[letter] += 1
    total = sum(counts.values())
    assert [round(9 * counts[letter] / total) for letter in "abc"] == [4, 3, 2]
