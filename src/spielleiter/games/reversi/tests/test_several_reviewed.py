"""Reviews of games with three and four seats."""

from __future__ import annotations

import pytest

from spielleiter.review import review_game
from tests.planted import judged, planted_games

MAPS = ("p3_09x09_hexagon", "p4_10x10_block")


@pytest.mark.native
def test_a_planted_blunder_among_several_is_named() -> None:
    one = planted_games("reversi", 1, strong=False, map_name=MAPS[0])[0]
    review = review_game(one.record, one.game, 1_000)
    assert one.found(review)
    assert not one.blamed(review)
    assert review.seats == one.record.frame(one.game, 0).position.seats > 2


@pytest.mark.deep
@pytest.mark.parametrize("name", MAPS)
def test_nine_in_ten_planted_blunders_among_several_are_named(name: str) -> None:
    tally = judged("reversi", 10, first=1000, map_name=name)
    assert tally.named >= 9
    assert tally.blamed <= 1
