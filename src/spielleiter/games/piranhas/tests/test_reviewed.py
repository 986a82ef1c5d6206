"""Reviews of this game."""

from __future__ import annotations

import pytest

from spielleiter import games
from spielleiter.review import Evaluator
from spielleiter.review.game_review import tried_move


@pytest.mark.native
def test_a_move_is_not_the_best_because_the_first_choice_beside_it_is_refuted() -> None:
    game = games.load("piranhas-2019")
    position = game.parse(
        "........../...a....../.....#..../a.a......./aaa..A.AA./"
        "aa...A#aA./a.....A.../a.....A.A./.........A/...A..A... 53 -"
    )
    found = tried_move(position, position.move("G6-I6"), Evaluator(position, game, 300))
    assert (found.grade != "best", found.chance > found.chance_after) == (True, True)
    sure = tried_move(position, position.move("G6-I6"), Evaluator(position, game, 20_000))
    assert (sure.grade, sure.chance, sure.chance_after) == ("blunder", 0.5, 0.0)
