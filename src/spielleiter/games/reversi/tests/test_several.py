"""Three and four players: the end is exact for the first rank, and the same everywhere."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import pytest

from spielleiter import _cpu, native
from spielleiter.games.reversi import maps
from spielleiter.games.reversi.reference import Position
from spielleiter.games.reversi.tests.walks import GAME, late

CERTAIN = 30_000
FIRST, SHARED, BEHIND = 2, 1, 0
TABLES = [
    name
    for name in maps.names()
    if GAME.start(map=name).seats > 2 and GAME.start(map=name).legal_moves()
]


def standing(ranks: tuple[int, ...], seat: int) -> int:
    """What an outcome is to a seat."""
    if ranks[seat] != 1:
        return BEHIND
    return FIRST if ranks.count(1) == 1 else SHARED


def ends(position: Position) -> set[tuple[int, ...]]:
    """The slow twin: the ranks a game may end with if all play max^n for their own standing.

    Who has several moves of the same worth to itself may make any of them.
    """
    outcome = position.outcome()
    if outcome is not None:
        return {outcome.ranks}
    mover = position.to_move()
    replies = []
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        replies.append(ends(after))
    sure = max(min(standing(ranks, mover) for ranks in reply) for reply in replies)
    return {ranks for reply in replies for ranks in reply if standing(ranks, mover) >= sure}


def told(score: int) -> int:
    """The standing that a certain score speaks of."""
    assert score == 0 or abs(score) >= CERTAIN
    return FIRST if score > 0 else SHARED if score == 0 else BEHIND


@pytest.mark.parametrize("name", ["p3_06x06_cramped", "p3_09x09_hexagon", "p4_08x08_tight"])
def test_the_end_is_solved_for_the_first_rank_as_plain_max_n_does(name: str) -> None:
    lot, clear = random.Random(name), 0
    for _ in range(12):
        position = late(name, lot, 5)
        report = GAME.native.Engine(table=1, style="best-first").search(position, nodes=200_000)
        mover = position.to_move()
        reached = ends(Position.parse(position.text(), "reversi"))
        possible = {standing(ranks, mover) for ranks in reached}
        assert told(report.score) in possible
        clear += len(possible) == 1
    assert clear >= 8


@pytest.mark.parametrize("name", TABLES)
def test_the_same_nodes_find_the_same_whatever_came_before(name: str) -> None:
    position, engine = GAME.start(map=name), GAME.native.Engine(table=4)
    first = engine.search(position, nodes=4_000)
    engine.search(late(name, random.Random(1), 30), nodes=1_000)
    again = engine.search(position, nodes=4_000)
    assert (first.lines, first.nodes) == (again.lines, again.nodes)


@pytest.mark.parametrize("name", ["p3_15x15_open", "p4_14x15_maze"])
def test_a_full_tree_forgets_what_matters_least_and_grows_on(name: str) -> None:
    position = GAME.start(map=name)
    report = GAME.native.Engine(table=1).search(position, nodes=150_000)
    assert report.nodes >= 150_000  # several times what a megabyte can hold
    assert report.fill < 1000
    assert report.lines == GAME.native.Engine(table=1).search(position, nodes=150_000).lines
    for move in report.lines[0].moves:
        assert position.why_illegal(move) is None
        position.play(move)


def test_a_small_tree_still_solves_the_end() -> None:
    position = late("p4_08x08_tight", random.Random(7), 9)
    told_by = {
        table: told(GAME.native.Engine(table=table).search(position, nodes=3_000_000).score)
        for table in (1, 64)
    }
    assert told_by[1] == told_by[64]


@pytest.mark.parametrize("name", TABLES)
def test_every_flavour_thinks_the_same(name: str) -> None:
    def thought(flavour: str) -> tuple[Any, ...]:
        core = import_module(f"{GAME.folder}.{native.module_name(flavour)}")
        position = core.Position.parse(GAME.start(map=name).text(), "reversi")
        report = core.Engine(table=4).search(position, nodes=3_000)
        lines = [(line.score, [move.text() for move in line.moves]) for line in report.lines]
        return report.nodes, lines

    assert len({str(thought(flavour)) for flavour in _cpu.flavours()}) == 1


@pytest.mark.parametrize("style", ["", "paranoid", "best-reply", "maxn"])
def test_every_move_has_a_score_among_several(style: str) -> None:
    for name in TABLES[:2] + TABLES[-2:]:
        position = GAME.start(map=name)
        moves = position.legal_moves()
        engine = GAME.native.Engine(table=1, style=style)
        *_, report = engine.analyse(position, nodes=2_000, lines=len(moves))
        assert {line.move for line in report.lines} == set(moves)
        scores = [line.score for line in report.lines]
        assert scores == sorted(scores, reverse=True)
