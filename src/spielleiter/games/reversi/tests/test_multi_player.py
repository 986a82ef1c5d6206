"""Three and four players: certain ends are, whatever the others do, and the same everywhere."""

from __future__ import annotations

import random
from importlib import import_module
from typing import Any

import pytest

from spielleiter import _cpu, native
from spielleiter.games.reversi import maps
from spielleiter.games.reversi.reference import Position
from spielleiter.games.reversi.tests.walks import GAME, late

pytestmark = pytest.mark.native

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


def bounds(position: Position, seat: int) -> tuple[int, int]:
    """The slow twin: what a seat has whatever the others do, and what it has if they help it."""
    outcome = position.outcome()
    if outcome is not None:
        return (standing(outcome.ranks, seat),) * 2
    found = []
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        found.append(bounds(after, seat))
    worsts, bests = zip(*found, strict=True)
    return max(worsts) if position.to_move() == seat else min(worsts), max(bests)


@pytest.mark.parametrize("name", ["p3_06x06_cramped", "p3_09x09_hexagon", "p4_08x08_tight"])
def test_what_is_certain_stands_whatever_the_others_do(name: str) -> None:
    lot, certain = random.Random(name), 0
    for _ in range(24):
        position = late(name, lot, 5)
        report = GAME.native.Engine(table=1, style="best-first").search(position, nodes=200_000)
        twin = Position.parse(position.text(), "reversi")
        worst, best = bounds(twin, twin.to_move())
        assert (report.score >= CERTAIN) == (worst == FIRST)
        if report.score <= -CERTAIN:
            assert best == BEHIND
        certain += abs(report.score) >= CERTAIN
    assert certain >= 6


@pytest.mark.parametrize("adaptive", [False, True])
def test_of_two_wins_the_one_is_chosen_that_nobody_can_take_away(adaptive: bool) -> None:
    lot, needed = random.Random(3), 0
    for _ in range(60):
        position = late("p3_09x09_hexagon", lot, 5)
        twin = Position.parse(position.text(), "reversi")
        seat = twin.to_move()
        sure = {}
        for move in twin.legal_moves():
            after = twin.copy()
            after.play(move)
            sure[move.text()] = bounds(after, seat)[0] == FIRST
        if len(set(sure.values())) == 2:
            needed += 1
            engine = GAME.native.Engine(table=1, adaptive=adaptive)
            assert sure[engine.search(position, nodes=100_000).best.text()]
    assert needed >= 5


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
    lot = random.Random(7)
    sure = [solved_alike(late("p3_09x09_hexagon", lot, 10)) for _ in range(4)]
    assert set(sure) == {True, False}


def solved_alike(position: Position) -> bool:
    """Whether the first rank is certain, found alike by a tree that fits and one that does not."""
    reports = [
        GAME.native.Engine(table=table).search(position, nodes=1_000_000) for table in (1, 64)
    ]
    assert max(report.nodes for report in reports) < 1_000_000
    small, large = (report.score for report in reports)
    assert abs(small - large) < 10
    return bool(small >= CERTAIN)


@pytest.mark.parametrize("adaptive", [False, True])
@pytest.mark.parametrize("name", TABLES)
def test_every_flavour_thinks_the_same(name: str, adaptive: bool) -> None:
    def thought(flavour: str) -> tuple[Any, ...]:
        core = import_module(f"{GAME.folder}.{native.module_name(flavour)}")
        position = core.Position.parse(GAME.start(map=name).text(), "reversi")
        report = core.Engine(table=4, adaptive=adaptive).search(position, nodes=5_000)
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
