"""An adaptive engine finds out how the others play, and what it expects of them is right."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from spielleiter.games.reversi.reference import WAYS, Cell, Position
from spielleiter.games.reversi.tests.walks import GAME, late

pytestmark = pytest.mark.native

AXES = WAYS[:4]
WEIGHTS = {
    "moves and corners": (10, 120, 10, 30, 0, 10),
    "moves and bare corners": (10, 80, 0, 0, 0, 10),
    "cells": (0, 100, 10, 25, 2, 12),
    "moves": (10, 0, 0, 0, 0, 10),
    "stones and corners": (0, 100, 20, 0, 10, 10),
    "stones": (0, 0, 0, 0, 10, 10),
}
"""Of every profile: moves, corners, edges, stones beside corners, stones, stones late."""


def step(cell: Cell, way: Cell) -> Cell:
    """The next cell on the way."""
    return cell[0] + way[0], cell[1] + way[1]


def open_axes(position: Position, cell: Cell) -> int:
    """Along how many axes a stone there could be taken."""

    def exists(neighbour: Cell) -> bool:
        return position.marks.get(neighbour, "-") != "-"

    return sum(exists(step(cell, (x, y))) and exists(step(cell, (-x, -y))) for x, y in AXES)


def estimate(position: Position, seat: int, profile: str) -> int:
    """The slow twin of what a profile counts, for a seat."""
    moves, corners, edges, near, stones, late_stones = WEIGHTS[profile]
    cells = [cell for cell, mark in position.marks.items() if mark != "-"]
    empty = [cell for cell in cells if position.marks[cell] == "0"]
    empty_corners = {cell for cell in empty if open_axes(position, cell) == 0}
    worth = stones + max(0, late_stones * (len(cells) - 4 * len(empty)) // len(cells))
    score = 0
    for cell in set(cells) - set(empty):
        sign = 1 if position.marks[cell] == str(seat + 1) else -1
        score += sign * worth
        score += sign * {0: corners, 1: edges}.get(open_axes(position, cell), 0)
        score -= sign * near * any(step(cell, way) in empty_corners for way in WAYS)
    others = [each for each in position._remaining() if each != seat]
    reach = {each: sum(position._takes(cell, each) for cell in empty) for each in [seat, *others]}
    surplus = len(others) * reach[seat] - sum(reach[each] for each in others)
    return score + int(moves * surplus / len(others))


def score(position: Position, seat: int, profile: str, depth: int) -> int:
    """Plain minimax: one seat for itself, all others against it."""
    outcome = position.outcome()
    if outcome is not None:
        best = max(outcome.scores[each] for each in range(position.seats) if each != seat)
        lead = outcome.scores[seat] - best
        return (lead > 0) * 100_000_000 - (lead < 0) * 100_000_000 + 1_000 * lead
    if depth == 0:
        return estimate(position, seat, profile)
    scores = [score(position.after(m), seat, profile, depth - 1) for m in position.legal_moves()]
    return max(scores) if position.to_move() == seat else min(scores)


def test_the_profiles_are_those_of_the_slow_twin() -> None:
    assert GAME.native.profiles() == list(WEIGHTS)


@pytest.mark.parametrize("profile", WEIGHTS)
@pytest.mark.parametrize("name", ["p3_06x06_cramped", "p3_09x09_hexagon", "p4_08x08_tight"])
def test_a_prediction_is_the_best_move_of_plain_minimax(name: str, profile: str) -> None:
    lot = random.Random(f"{name}/{profile}")
    looked_at = 0
    for empties in (30, 20, 12, 6):
        position = late(name, lot, empties)
        if len(position.legal_moves()) > 8 or len(position.legal_moves()) < 2:
            continue
        number = GAME.native.profiles().index(profile)
        predicted = GAME.native.predict(position, number, nodes=100_000)[:2]
        twin = Position.parse(position.text(), "reversi")
        for depth, text in enumerate(predicted, 1):
            seat = twin.to_move()
            worth = {
                move.text(): score(twin.after(move), seat, profile, depth - 1)
                for move in twin.legal_moves()
            }
            assert worth[text] == max(worth.values()), (twin.text(), depth)
            looked_at += 1
    assert looked_at


def play(
    engine: Any, profile: int, name: str, nodes: int = 20_000, turns: Counter[int] | None = None
) -> int:
    """A game of the engine, in seat 0, with players of a profile who look two plies ahead."""
    position = GAME.start(map=name)
    turns = Counter() if turns is None else turns
    while position.outcome() is None:
        turns[position.to_move()] += 1
        if position.to_move() == 0:
            position.play(engine.search(position, nodes=nodes).best)
        else:
            moves = GAME.native.predict(position, profile, nodes=3_000)
            position.play(moves[min(1, len(moves) - 1)])
    outcome = position.outcome()
    return 0 if outcome is None else outcome.ranks[0]


@pytest.mark.parametrize("profile", ["moves and corners", "cells", "stones"])
def test_what_the_others_count_is_found_out(profile: str) -> None:
    engine = GAME.native.Engine(table=4, adaptive=True)
    turns = Counter[int]()
    play(engine, GAME.native.profiles().index(profile), "p3_11x11_seed_sample", turns=turns)
    found = {seat: engine.opponents()[seat] for seat in (1, 2) if turns[seat] >= 10}
    assert found
    for name, _, accuracy, is_foreseen in found.values():
        assert name == profile
        assert accuracy > 0.75  # at first 0.6
        assert is_foreseen


@pytest.mark.parametrize("nodes", [300, 3_000])
def test_how_much_the_others_search_is_found_out(nodes: int) -> None:
    engine = GAME.native.Engine(table=4, adaptive=True)
    position = GAME.start(map="p3_11x11_seed_sample")
    while position.outcome() is None:
        if position.to_move() == 0:
            position.play(engine.search(position, nodes=60_000).best)
        else:
            position.play(GAME.native.predict(position, 0, nodes=nodes)[-1])
    others = engine.opponents()[1:]
    for _, found, _, is_foreseen in others:
        assert nodes / 3 < found < 3 * nodes
        assert is_foreseen
    assert max(accuracy for _, _, accuracy, _ in others) > 0.9  # at first 0.6


def test_players_of_its_own_kind_are_left_to_the_tree() -> None:
    engine = GAME.native.Engine(table=4, adaptive=True)
    others = GAME.native.Engine(table=4)
    position = GAME.start(map="p3_11x11_seed_sample")
    foreseen = turns = 0
    while position.outcome() is None:
        if position.to_move() == 0:
            position.play(engine.search(position, nodes=20_000).best)
            foreseen += any(seat[3] for seat in engine.opponents())
            turns += 1
        else:
            position.play(others.search(position, nodes=10_000).best)
    assert foreseen < turns / 3


def test_in_a_new_game_the_others_are_strangers() -> None:
    engine = GAME.native.Engine(table=4, adaptive=True)
    strangers = GAME.native.Engine(table=4, adaptive=True)
    first = GAME.start(map="p4_08x08_tight")
    for each in (engine, strangers):
        each.search(first, nodes=1)
    play(engine, GAME.native.profiles().index("stones"), "p4_08x08_tight")
    assert engine.opponents() != strangers.opponents()
    engine.forget()
    for position in (first, late("p4_08x08_tight", random.Random(5), 30)):
        reports = [each.search(position, nodes=20_000) for each in (engine, strangers)]
        assert reports[0].lines == reports[1].lines
        assert reports[0].nodes == reports[1].nodes
    assert engine.opponents() == strangers.opponents()


def test_another_map_is_another_game() -> None:
    engine = GAME.native.Engine(table=4, adaptive=True)
    play(engine, GAME.native.profiles().index("stones"), "p3_06x06_cramped")
    learnt = engine.opponents()
    engine.search(GAME.start(map="p3_09x09_hexagon"), nodes=20_000)
    assert engine.opponents() != learnt
    assert len(set(engine.opponents())) == 1


@pytest.mark.parametrize("limits", [{"lines": 3}, {"depth": 4}, {"nodes": 3_000}])
def test_an_analysis_takes_nobody_for_anything(limits: dict[str, int]) -> None:
    position = late("p3_09x09_hexagon", random.Random(2), 40)
    engines = [GAME.native.Engine(table=4, adaptive=adaptive) for adaptive in (True, False)]
    reports = [engine.search(position, **{"nodes": 20_000, **limits}) for engine in engines]
    assert reports[0].lines == reports[1].lines


def test_a_disqualified_player_disturbs_nothing() -> None:
    engine = GAME.native.Engine(table=4, adaptive=True, threads=2)
    position: Any = GAME.start(map="p4_12x12_cross")
    lot = random.Random(1)
    while position.outcome() is None:
        if position.ply == 20:
            position.disqualify(2)
        if position.to_move() == 0:
            position.play(engine.search(position, nodes=8_000).best)
        else:
            position.play(lot.choice(position.legal_moves()))
    assert position.outcome().ranks[2] == 4


def test_players_who_count_are_beaten_more_often_once_they_are_known() -> None:
    """Every profile once on each map, with the same nodes."""

    def first_ranks(adaptive: bool) -> int:
        return sum(
            play(GAME.native.Engine(table=4, adaptive=adaptive), profile, name) == 1
            for name in ("p3_06x06_cramped", "p3_11x11_seed_sample")
            for profile in range(len(WEIGHTS))
        )

    assert first_ranks(adaptive=True) > first_ranks(adaptive=False)


def test_questions_without_an_answer_are_refused() -> None:
    with pytest.raises(Exception, match="no such profile"):
        GAME.native.predict(GAME.start(map="p3_06x06_cramped"), len(WEIGHTS))
    over = late("p3_06x06_cramped", random.Random(1), 0)
    while over.outcome() is None:
        over.play(over.legal_moves()[0])
    with pytest.raises(Exception, match="no legal move"):
        GAME.native.predict(over, 0)
