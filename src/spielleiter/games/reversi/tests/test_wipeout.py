"""Large open maps: the engine does not let a plain stone counter take all its stones."""

from __future__ import annotations

from typing import Any

import pytest

from spielleiter.game import CERTAIN, Move, Position
from spielleiter.games.reversi.tests.walks import GAME

pytestmark = pytest.mark.native

OPEN = ["p2_10x10_classic", "p2_12x12_classic", "p2_14x14_classic", "p2_15x15_open"]
FIRST_TERMS = 44
"""Weights before the danger of a wipe-out was a term."""


def stone_counter(position: Position) -> Move:
    """The move that leaves most stones more than the other has, after the other's best answer."""
    return max(position.legal_moves(), key=lambda move: after_reply(position, move))


def after_reply(position: Position, move: Move) -> int:
    """The lead after a move and the answer that hurts most."""
    me, after = position.to_move(), position.copy()
    after.play(move)
    if after.outcome() is not None or after.to_move() == me:
        return lead(after, me)
    return min(lead(played(after, reply), me) for reply in after.legal_moves())


def played(position: Position, move: Move) -> Position:
    after = position.copy()
    after.play(move)
    return after


def lead(position: Position, seat: int) -> int:
    scores = position.scores()
    return int(scores[seat] - scores[1 - seat])


def stones_left(name: str, seat: int, **options: Any) -> tuple[int, int]:
    """The stones of the engine and of the stone counter after a game."""
    position, engine = GAME.start(map=name), GAME.native.Engine(table=1, **options)
    while position.outcome() is None:
        ours = position.to_move() == seat
        move = engine.search(position, nodes=4_000).best if ours else stone_counter(position)
        position.play(move)
    scores = position.scores()
    return int(scores[seat]), int(scores[1 - seat])


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", OPEN)
def test_a_stone_counter_does_not_win_on_an_open_map(name: str, seat: int) -> None:
    own, other = stones_left(name, seat)
    assert own > other


def exposed(text: str) -> float:
    """The term of being wiped out, for the player to move."""
    features, names = GAME.native.features(GAME.parse(text)), GAME.native.feature_names()
    knots = len(features) // len(names)
    at = names.index("exposed") * knots
    return float(sum(features[at : at + knots]))


def on_ten(row: str, mover: int) -> str:
    """An open map of 10 × 10 with stones in its fifth row only."""
    empty = "0000000000"
    return f"{'/'.join([empty] * 4 + [row] + [empty] * 5)} 2 {mover} -"


def test_whoever_is_outnumbered_is_exposed() -> None:
    assert exposed(on_ten("0112222000", 1)) == 0
    assert exposed(on_ten("0122222000", 1)) < 0


def test_fewer_stones_are_more_exposed() -> None:
    assert exposed(on_ten("0122222220", 1)) < exposed(on_ten("0112222220", 1)) < 0


def test_who_has_just_moved_is_in_danger_sooner() -> None:
    """Player 2 can take two of three stones; player 1, if it is to move, still has all three."""
    empty = "0000000000"
    rows = "/".join([*[empty] * 4, "0112222220", *[empty] * 3, "0001020000", empty])
    assert exposed(f"{rows} 2 2 -") > -exposed(f"{rows} 2 1 -") > 0


def test_a_move_that_takes_everything_wins_without_search() -> None:
    """Player 2 sets at the left end and takes the last two stones."""
    position = GAME.parse(on_ten("0112222200", 2))
    assert GAME.native.evaluate(position) == CERTAIN + 8
    report = GAME.native.Engine(table=1).search(position, nodes=200)
    assert (report.best.text(), report.score) == ("a5", CERTAIN + 8)


def test_a_draw_after_four_plies_is_not_good_enough() -> None:
    """With two squares of stones each player can clear one of them, and the game is over."""
    position = GAME.start(map="p2_07x13_corridor")
    for move in ("c3", "k5"):
        position.play(move)
    drawn = played(position, position.move("f4"))
    assert GAME.native.Engine(table=1).search(drawn, nodes=4_000).score == 0
    assert GAME.native.Engine(table=1).search(position, nodes=4_000).best.text() != "f4"


def test_a_game_that_can_only_be_drawn_has_the_score_of_a_draw() -> None:
    position = GAME.parse("-00-0-/--12--/--21--/-0--0- 2 1 -")
    for _ in range(2):
        report = GAME.native.Engine(table=1).search(position)
        assert report.score == 0
        position.play(report.best)
    assert position.outcome() is not None
    assert position.scores() == (3, 3)


def test_a_stone_that_can_never_be_taken_ends_the_danger() -> None:
    rest = "/0000000000" * 9
    assert exposed(f"1222222000{rest} 2 1 -") == 0


def test_weights_without_the_danger_are_still_accepted() -> None:
    position = GAME.start(map="p2_14x14_classic")
    weights = GAME.native.weights(position)
    before = GAME.native.Engine(table=1, weights=weights[:FIRST_TERMS])
    padded = weights[:FIRST_TERMS] + [0] * (len(weights) - FIRST_TERMS)
    after = GAME.native.Engine(table=1, weights=padded)
    assert before.search(position, depth=4).lines == after.search(position, depth=4).lines
