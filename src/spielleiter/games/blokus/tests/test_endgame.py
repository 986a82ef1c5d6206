"""The exact end of a game against plain minimax over the reference, and what search makes of it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from spielleiter import games
from spielleiter.game import Game
from spielleiter.games.blokus import reference

pytestmark = pytest.mark.native

KINDS = [("blokus-2021", "document"), ("blokus-2027", "server")]
OTHERS = [("blokus-2021", "server"), ("blokus-2027", "document")]
CERTAIN = 30_000


class TooLong(Exception):
    pass


def minimax(position: reference.Position, visits: list[int]) -> int:
    """The lead of the seat on turn at the end: every move is tried, a pass included."""
    seat = position.to_move()
    if position.outcome() is not None:
        scores = position.scores()
        return int(scores[seat] - scores[1 - seat])
    visits[0] -= 1
    if visits[0] < 0:
        raise TooLong
    best = -1000
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        value = minimax(after, visits)
        best = max(best, value if after.to_move() == seat else -value)
    return best


def endings(game: Game, seed: int) -> Iterator[Any]:
    """Boards of random games, with one to three rounds to go: so minimax comes to an end."""
    lot = random.Random(seed)
    last = 96 if (game.name, game.authority) == ("blokus-2027", "server") else 100
    position = game.start(seed)
    while position.outcome() is None:
        placements = [move for move in position.legal_moves() if move.text() != "pass"]
        position.play(lot.choice(placements))
        if position.ply < 44 or position.outcome() is not None:
            continue
        words = position.text().split()
        words[1] = str(last - 4 * lot.randint(1, 3) + position.ply % 4)
        late = game.parse(" ".join(words))
        if late.outcome() is None and len(late.legal_moves()) <= 6:
            yield late


@pytest.mark.parametrize(
    ("edition", "authority", "seeds", "visits"),
    [
        *((*each, 4, 20) for each in KINDS),
        *(pytest.param(*each, 6, 40, marks=pytest.mark.deep) for each in [*KINDS, *OTHERS]),
    ],
)
def test_the_end_is_solved_as_plain_minimax_solves_it(
    edition: str, authority: str, seeds: int, visits: int
) -> None:
    game, leads = games.load(edition).under(authority), []
    for seed in range(seeds):
        for position in endings(game, seed):
            plain = reference.Position.parse(position.text(), edition, authority)
            try:
                leads.append(minimax(plain, [visits]))
            except TooLong:
                continue
            assert game.native.solve(position) == leads[-1], position.text()
    assert len(leads) >= 8
    assert len(set(leads)) >= 3


@pytest.mark.parametrize("edition", ["blokus-2021", "blokus-2027"])
def test_a_solved_line_leads_to_the_score_it_is_given(edition: str) -> None:
    game, solved = games.load(edition), 0
    for seed in range(5):
        for position in endings(game, seed):
            report = game.native.Mcts(table=8).search(position, nodes=5_000)
            seat, end = position.to_move(), position.copy()
            if abs(report.score) <= CERTAIN:
                continue  # a draw, or found by the tree, which does not count points
            for move in report.lines[0].moves:
                end.play(move)
            if end.outcome() is None:
                continue  # a sure win, without the time to find out by how much
            scores = end.scores()
            assert end.outcome() is not None
            assert scores[seat] - scores[1 - seat] == (
                report.score - CERTAIN if report.score > 0 else report.score + CERTAIN
            )
            solved += 1
    assert solved >= 5


def test_a_win_that_is_known_is_kept_where_its_points_are_not() -> None:
    game, known, more = games.load("blokus-2021"), 0, 0
    for seed in range(40):
        for position in endings(game, seed):
            report = game.native.Mcts(table=8).search(position, nodes=1)
            if report.score <= CERTAIN:
                continue
            seat, after = position.to_move(), position.copy()
            after.play(report.best)
            lead = kept = game.native.solve(position)
            if after.outcome() is None:
                kept = game.native.solve(after) * (1 if after.to_move() == seat else -1)
            assert lead >= kept >= report.score - CERTAIN > 0
            known, more = known + 1, more + (lead > report.score - CERTAIN)
    assert known >= 20
    assert more >= 1


def test_the_solver_gives_up_where_there_is_too_much_to_do() -> None:
    game = games.load("blokus-2021")
    assert game.native.solve(game.start(1), nodes=200) is None


def test_nobody_passes_who_can_place_even_when_all_is_lost() -> None:
    game = games.load("blokus-2027")
    lot, position = random.Random(4), game.start(4)
    weak, strong = (game.native.Mcts(table=8, seed=seed) for seed in (1, 2))
    while position.outcome() is None:
        placements = [move for move in position.legal_moves() if move.text() != "pass"]
        if position.to_move() == 0:
            move = (
                weak.search(position, nodes=2).best if position.ply > 50 else lot.choice(placements)
            )
        else:
            move = strong.search(position, nodes=60).best
        assert move.text() != "pass"
        position.play(move)
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner == 1
