"""Our players set a piece where they can; a pass is played only where the solver prefers it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from spielleiter import bots, games
from spielleiter.game import Bot, Clock, Move

pytestmark = pytest.mark.native

CERTAIN = 30_000
LOST_END = (
    "YY.YYYYY.Y..YY.G..GG/.YY.....YYYGGYYGGG../.Y.YYY.Y.YGYG..YBG.G/Y.GGGY.YGGGYG.YYB.GG/"
    ".YYYYGGY.YYYGYYBBBGG/RRY.GGYYGGGGYGGGGGBB/RR.YYYGGBB..YYY.BBGB/..RYY.GGB.GGY...B.GB/"
    "..R..Y.BB.G.GGGGBBGG/..RR.YY..BGG.GBBG..G/..RYYRYB.BB.GBB.GGG./RR.Y.RYBB.BBGGBG.G../"
    "RR.YYRBRR...BBGG..G./.R..RRB.RRBBBGG.BGGG/..RRBBB.R.RR.BB.BRG./..RB...B.R.RRB.BBRRR/"
    ".RR.RRRBBR..RB.RBRB./...RRBBRBRRR.BRRRBBB/R.R.B.RRR...RRBBBRB./RRRBBB.R.BBBBBRBBRRR "
    "71 PENTO_X 58 207e 414c c21 BG -"
)
"""The last piece ends a game that is lost: passing would only put it off."""


def turns(edition: str, name: str, seed: int) -> Iterator[tuple[Any, Bot, Move]]:
    """A game of a player with itself: positions, who moves, what is played."""
    position = games.load(edition).start(seed=seed)
    players = [bots.load(name, seed=seed + seat) for seat in range(position.seats)]
    for seat, player in enumerate(players):
        player.begin(position.copy(), seat)
    while position.outcome() is None:
        player = players[position.to_move()]
        move = player.choose(position.copy(), Clock())
        yield position, player, move
        position.play(move)


@pytest.mark.parametrize("edition", ["blokus-2021", "blokus-2027"])
@pytest.mark.parametrize(
    "name",
    ["greedy", "best:level=1", "best:level=4", "mcts:guesses=1024", "mcts:simulations=40,table=16"],
)
def test_nobody_passes_where_a_piece_fits(edition: str, name: str) -> None:
    for position, player, move in turns(edition, name, seed=2):
        if move.text() == "pass" and len(position.legal_moves()) > 1:
            report = getattr(player, "report", None)
            assert report is not None
            assert abs(report.score) >= CERTAIN


@pytest.mark.parametrize("name", ["greedy", "mcts:lapses=1024", "mcts:guesses=1024"])
def test_the_last_piece_is_set_even_where_that_ends_a_lost_game(name: str) -> None:
    position = games.load("blokus-2027").parse(LOST_END)
    assert bots.load(name, seed=1).choose(position, Clock()).text().startswith("MONO@")
