"""The evaluation: features times weights, and ends that only count when the round is over."""

from __future__ import annotations

import random
import statistics

import pytest

from spielleiter import games
from spielleiter.game import Move, Position

pytestmark = pytest.mark.native

EDITIONS = ("piranhas-2019", "piranhas-2026")
CERTAIN = 30_000
"""Scores beyond are proven."""


@pytest.mark.parametrize("name", EDITIONS)
def test_the_estimate_is_features_times_weights(name: str) -> None:
    game = games.load(name)
    lot = random.Random(1)
    for seed in range(20):
        position = game.start(seed)
        while position.outcome() is None and position.legal_moves():
            features, weights = game.native.features(position), game.native.weights(position)
            product = sum(f * w for f, w in zip(features, weights, strict=True)) / 16
            assert game.native.evaluate(position) == pytest.approx(product, abs=3)
            position.play(lot.choice(position.legal_moves()))


@pytest.mark.parametrize("name", EDITIONS)
def test_mirrored_boards_are_worth_nearly_the_same(name: str) -> None:
    """Columns for rows: the network saw every position in all eight orientations."""
    game = games.load(name)
    lot, worths, gaps = random.Random(2), [], []
    for seed in range(40):
        position = game.start(seed)
        for _ in range(lot.randrange(30)):
            if position.outcome() is None and position.legal_moves():
                position.play(lot.choice(position.legal_moves()))
        board, *rest = position.text().split(" ")
        rows = board.split("/")
        mirror = "/".join("".join(row[at] for row in rows) for at in range(10))
        mirrored = game.parse(" ".join([mirror, *rest]))
        worths.append(game.native.evaluate(position))
        gaps.append(game.native.evaluate(mirrored) - worths[-1])
    assert statistics.pstdev(gaps) < 0.2 * statistics.pstdev(worths)


@pytest.mark.parametrize("name", EDITIONS)
def test_boards_of_the_last_plies_are_worth_what_they_were_a_round_before(name: str) -> None:
    """Their own weights could hardly be fitted, so they have those of ply 56."""
    game = games.load(name)
    lot, worths = random.Random(3), []
    for seed in range(20):
        position = game.start(seed)
        for _ in range(20):
            position.play(lot.choice(position.legal_moves()))
        cells, _, rest = position.text().split(" ")
        last, before = (game.parse(f"{cells} {ply} {rest}") for ply in (58, 56))
        worths.append(game.native.evaluate(last))
        assert worths[-1] == game.native.evaluate(before)
    assert statistics.pstdev(worths) > 20


def board(*rows: str) -> str:
    return "/".join(row + "." * (10 - len(row)) for row in (*rows, *[""] * (10 - len(rows))))


def test_a_lighter_whole_swarm_loses_to_a_heavier_part() -> None:
    """2026: uniting is a mistake while the other side's largest part weighs more."""
    game = games.load("piranhas-2026")
    position = game.parse(board("aa........", "..........", "CCC......C") + " 21 -")
    engine = game.native.Engine(table=1)
    assert engine.search(position, depth=4).score > 30_000
    alone = games.load("piranhas-2019").parse(board("aa........", "", "AAA......A") + " 22 -")
    outcome = alone.outcome()
    assert outcome is not None
    assert outcome.winner == 0


@pytest.mark.parametrize("name", EDITIONS)
def test_a_swarm_in_mid_round_can_still_be_torn_apart(name: str) -> None:
    """Red is whole after his move: blue must find the replies that do not lose at once."""
    game, lot, seen = games.load(name), random.Random(3), 0
    while seen < 20:
        fields = lot.sample([10 * y + x for y in range(2, 10) for x in range(10)], 4)
        squares = ["a"] * 3 + ["."] * 97
        for field in fields:
            squares[field] = "A"
        rows = ["".join(squares[10 * y : 10 * y + 10]) for y in range(10)]
        position = game.parse("/".join(rows) + " 11 -")
        saving = {move for move in position.legal_moves() if not loses(position, move)}
        if 0 < len(saving) < len(position.legal_moves()):
            seen += 1
            assert game.native.Engine(table=1).search(position, depth=2).best in saving


@pytest.mark.parametrize("name", EDITIONS)
def test_a_union_is_seen_one_ply_beyond_the_depth(name: str) -> None:
    """Blue ends the round and is whole then, whatever red does: one ply is enough to know."""
    game, lot, seen = games.load(name), random.Random(4), 0
    plain = game.native.Engine(table=1, without=game.native.pruning_options())
    while seen < 20:
        fields = lot.sample(range(100), 9)
        squares = ["."] * 100
        for at, field in enumerate(fields):
            squares[field] = "a" if at < 5 else "A"
        rows = ["".join(squares[10 * y : 10 * y + 10]) for y in range(10)]
        position = game.parse("/".join(rows) + " 10 -")
        if position.outcome() is None and plain.search(position, depth=2).score < -CERTAIN:
            seen += 1
            engine = game.native.Engine(table=1)
            assert engine.search(position, depth=1).score < -CERTAIN, position.text()


def loses(position: Position, move: Move) -> bool:
    after = position.copy()
    after.play(move)
    outcome = after.outcome()
    return outcome is not None and outcome.winner == after.to_move()
