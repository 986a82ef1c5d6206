"""Reviews of games with three and four seats."""

from __future__ import annotations

import pytest

from spielleiter.review import review_game
from spielleiter.web.reviews import quick_review
from tests.planted import Tally, judged, planted_games

MAPS = ("p3_09x09_hexagon", "p4_10x10_block")


@pytest.mark.native
def test_a_planted_blunder_among_several_is_named() -> None:
    one = planted_games("reversi", 1, strong=False, map_name=MAPS[0])[0]
    review = review_game(one.record, one.game, 1_000)
    assert one.found(review)
    assert not one.blamed(review)
    assert review.seats == one.record.frame(one.game, 0).position.seats > 2


@pytest.mark.native
def test_the_end_of_a_game_of_several_can_have_more_nodes() -> None:
    one = planted_games("reversi", 1, strong=False, map_name=MAPS[0])[0]
    turns = review_game(one.record, one.game, 100, late=6).turns
    ending = len(turns) // 3
    assert ending > 5
    assert all(each.effort >= 6 for each in turns[-ending:])
    assert any(each.effort % 6 for each in turns[:-ending])


@pytest.mark.deep
@pytest.mark.parametrize("name", MAPS)
def test_nine_in_ten_are_named_by_the_page_too(name: str) -> None:
    tally = Tally()
    for one in planted_games("reversi", 9, first=1000, map_name=name):
        tally.add(one, quick_review(one.record, one.game))
    assert tally.named >= 8
    assert tally.blamed <= 1


@pytest.mark.deep
@pytest.mark.parametrize("name", MAPS)
def test_nine_in_ten_planted_blunders_among_several_are_named(name: str) -> None:
    tally = judged("reversi", 10, first=1000, map_name=name)
    assert tally.named >= 9
    assert tally.blamed <= 1
