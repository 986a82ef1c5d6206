"""Reviews: planted blunders are found, good moves are not blamed, and words fit what happened."""

from __future__ import annotations

import functools
import itertools
import json
import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.game import Game, Move, Position
from spielleiter.gym import GymSet
from spielleiter.match import GameRecord
from spielleiter.match.record import RecordBuilder
from spielleiter.review import Evaluator, GameReview, review_game
from spielleiter.review.chances import chance
from spielleiter.review.evaluator import ENGINES, engines
from spielleiter.review.page import page
from spielleiter.review.summary import summarise, summary_json, summary_text
from spielleiter.review.views import speaker, to_json, to_text
from spielleiter.service.record_files import write
from tests.conftest import EDITIONS
from tests.contests import said as run

SEARCHED = [
    game.name
    for game in EDITIONS
    if game.authority == "document" and engines(game.start(1))[:1] == ("alphabeta",)
]
"""The editions whose best engine is quick enough to play whole games here."""
ONE = SEARCHED[-1]
NAMES = ("Ada", "Bo", "Cy", "Di")
_PLAYED, _JUDGED = 3_000, 1_000
"""Nodes of the players, and of the reviews in the quick tests."""


@dataclass(frozen=True)
class Planted:
    """A game of strong players in which one move was replaced by a losing one."""

    game: Game
    record: GameRecord
    turn: int


@functools.cache
def strong_game(edition: str, seed: int, plant: bool = True) -> Planted:
    """Both players search; from a turn drawn by lot on, the first losing move that is found is
    played in place of the best, once."""
    game, lot = games.load(edition), random.Random(seed)
    position = game.start(seed)
    native = getattr(game.native, ENGINES[engines(position)[0]])
    players = [native(table=8, seed=seed + seat) for seat in range(position.seats)]
    builder, planted, since = (
        RecordBuilder(position.copy(), NAMES[: position.seats]),
        0,
        lot.randrange(8, 30),
    )
    while position.outcome() is None:
        move = players[position.to_move()].search(position, nodes=_PLAYED).best
        if plant and not planted and position.ply >= since:
            losing = _losing(players[0], position, move)
            if losing is not None:
                move, planted = losing, position.ply + 1
        builder.played(position.to_move(), move.text())
        position.play(move)
    outcome = position.outcome()
    assert outcome is not None
    builder.ended(outcome)
    return Planted(game, builder.record(), planted)


def _losing(judge: object, position: Position, best: Move) -> Move | None:
    """A move after which the opponent has at least nine of ten chances, if there was a game."""
    search = judge.search  # type: ignore[attr-defined]
    report = search(position, nodes=4 * _PLAYED)
    if not 0.4 <= chance(report.score) <= 0.9:
        return None
    for move in position.legal_moves():
        after = position.after(move)
        if move == best or after.outcome() is not None or after.to_move() == position.to_move():
            continue
        if chance(search(after, nodes=4 * _PLAYED).score) >= 0.9:
            return move
    return None


def blundered(edition: str, count: int) -> list[Planted]:
    """The first games in which a move was replaced."""
    each = (strong_game(edition, seed) for seed in itertools.count())
    return list(itertools.islice((game for game in each if game.turn), count))


@functools.cache
def lost_game() -> Planted:
    """One of them."""
    return blundered(ONE, 1)[0]


def reviewed(planted: Planted) -> GameReview:
    """A quick review."""
    return review_game(planted.record, planted.game, _JUDGED)


def found(planted: Planted, review: GameReview) -> bool:
    """Whether the planted move is among the first three turning points."""
    return planted.turn in [each.turn for each in review.turning_points[:3]]


def blamed(planted: Planted, review: GameReview) -> bool:
    """Whether an earlier move is blamed for a quarter of the chances."""
    return any(each.loss >= 0.25 and each.turn < planted.turn for each in review.turns)


@pytest.mark.parametrize("edition", SEARCHED[-2:])
def test_a_planted_blunder_is_among_the_turning_points(edition: str) -> None:
    assert sum(found(each, reviewed(each)) for each in blundered(edition, 3)) >= 2


@pytest.mark.deep
@pytest.mark.parametrize("edition", SEARCHED)
def test_of_two_hundred_planted_blunders_nine_in_ten_are_named(edition: str) -> None:
    count = 60
    planted = [each for seed in range(count) if (each := strong_game(edition, 1000 + seed)).turn]
    reviews = [review_game(each.record, each.game) for each in planted]
    assert len(planted) >= 0.8 * count
    assert sum(map(found, planted, reviews)) >= 0.9 * len(planted)
    assert sum(map(blamed, planted, reviews)) <= 0.05 * len(planted)


def test_a_review_is_the_same_every_time() -> None:
    planted = lost_game()
    first = review_game(planted.record, planted.game, 500)
    assert review_game(planted.record, planted.game, 500) == first


def test_the_grade_follows_from_the_loss_and_accuracy_lies_between_0_and_100() -> None:
    planted = lost_game()
    review = review_game(planted.record, planted.game, 500)
    bounds = {"best": (0, 0), "good": (0, 0.1), "inaccuracy": (0.1, 0.2), "mistake": (0.2, 0.3)}
    for turn in review.turns:
        low, high = bounds.get(turn.grade, (0.3, 1.0))
        assert low <= turn.loss <= high
        assert 0 <= turn.chance_after <= turn.chance <= 1
        assert (turn.grade == "best") == (turn.move == turn.best)
    assert all(0 <= each <= 100 for each in review.accuracy)
    costs = [each.loss for each in review.turning_points]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("edition", SEARCHED)
def test_what_is_called_certain_is_what_plain_search_proves(edition: str) -> None:
    planted = strong_game(edition, 5, plant=False)
    review = review_game(planted.record, planted.game, _JUDGED)
    options = [each for each in planted.game.native.pruning_options() if each != "endgame"]
    plain = planted.game.native.Engine(table=64, without=options)
    certain = [each for each in review.turns if each.certain][-3:]
    assert certain
    for turn in certain:
        position = planted.record.frame(planted.game, turn.turn).position
        if (outcome := position.outcome()) is None:
            score = plain.search(position, nodes=3_000_000).score
            own = position.to_move() == turn.seat
            proven = chance(score if own else -score)
        else:
            proven = (turn.seat in outcome.winners) / len(outcome.winners)
        assert turn.chance_after == proven


def test_the_last_chance_is_where_a_held_game_slipped() -> None:
    planted = lost_game()
    review = reviewed(planted)
    for seat in range(2):
        last = review.last_chance(seat)
        slips = [each for each in review.of(seat) if each.chance >= 0.5 > each.chance_after]
        lost = seat not in review.winners
        assert last == (slips[-1] if lost and slips else None)


def test_a_review_speaks_english_and_german_and_draws_what_would_have_held() -> None:
    planted = lost_game()
    review = reviewed(planted)
    english = to_text(review, planted.record, planted.game, "en")
    german = to_text(review, planted.record, planted.game, "de")
    assert "The costliest moves:" in english
    assert "Die teuersten Züge:" in german
    best = review.turning_points[0].best
    assert best in english
    html = page(review, planted.record, planted.game, "de")
    assert '<html lang="de">' in html
    assert html.count("<svg") >= 2
    assert review.turning_points[0].move in html


def test_many_games_say_which_mistakes_recur() -> None:
    played = blundered(ONE, 2)
    reviews = [
        (str(at), review_game(each.record, each.game, 500)) for at, each in enumerate(played)
    ]
    say = speaker(played[0].game, "en")
    summaries = summarise(reviews, say)
    assert sum(each.won for each in summaries) <= 2
    told = summary_text(summaries, 2, say)
    assert told.startswith("2 games reviewed")
    plain = summary_json(summaries, 2)
    assert json.loads(json.dumps(plain)) == plain
    assert {each["games"] for each in plain["players"]} == {2}


def test_the_program_reviews_a_replay_as_json(tmp_path: Path) -> None:
    planted = lost_game()
    file = write(planted.record)
    assert file is not None
    path = tmp_path / f"game{file.suffix}"
    path.write_bytes(file.content)
    told = json.loads(run(tmp_path, "review", path.name, "--json", "--nodes", "300"))
    wanted = to_json(review_game(planted.record, planted.game, 300))
    names = {"turn", "seat", "move", "best", "chance", "chance_after", "grade", "certain"}
    assert all(names <= each.keys() for each in told["turns"])
    assert told["turns"] == [each | {"spent": None} for each in wanted["turns"]]
    assert told["turning_points"] == wanted["turning_points"]
    run(tmp_path, "review", path.name, "--nodes", "300", "--gym", "mistakes.toml")
    tasks = GymSet.parse((tmp_path / "mistakes.toml").read_text("utf-8"))
    tasks.check(planted.game)
    wrong = [each["turn"] for each in told["turns"] if each["grade"] in ("mistake", "blunder")]
    assert len(tasks.positions) == len(wrong) > 0


def test_a_review_takes_as_many_nodes_as_somebody_asks_for() -> None:
    game = games.load(ONE)
    assert Evaluator(game.start(1), game, 100).nodes == 100
    assert Evaluator(game.start(1), game).nodes == 20_000
