"""External engines play Reversi: UGI on every kind of map, GTP and NBoard on the classic board."""

from __future__ import annotations

import queue
import sys
from pathlib import Path

import pytest

from spielleiter import bots, games
from spielleiter.engines.line_process import EngineFailure
from spielleiter.engines.ugi_server import UgiServer
from spielleiter.errors import UsageError
from spielleiter.game import Clock
from spielleiter.games.reversi import nboard
from tests.test_engines import engine, played


@pytest.mark.parametrize("name", ["p3_09x09_hexagon", "p4_08x08_tight", "p3_two_players_blocked"])
def test_an_engine_plays_on_maps_for_several_players_and_with_passes(name: str) -> None:
    assert played(engine("ugi", "ugi_engine"), "reversi", map=name).outcome() is not None


def test_a_map_is_an_option_of_our_engine() -> None:
    game, heard = games.load("reversi"), queue.SimpleQueue[str]()
    server = UgiServer(game, bots.factory("greedy"), heard.put, name="us")
    name = "p2_06x06_classic"
    server.run([f"setoption name map value {name}", "position startpos", "query fen"])
    assert heard.get() == f"response {game.start(map=name).text()}"


ENGINE = Path(__file__).parent / "othello_engine.py"
OTHELLO = {
    "gtp": f"gtp:{sys.executable} {ENGINE} gtp",
    "gtp that passes by itself": f"gtp:{sys.executable} {ENGINE} grhino",
    "nboard": f"nboard:{sys.executable} {ENGINE} nboard",
}


@pytest.mark.parametrize("text", OTHELLO.values(), ids=OTHELLO)
@pytest.mark.parametrize("seat", [0, 1])
def test_an_othello_engine_plays_whole_games_by_the_rules(text: str, seat: int) -> None:
    """Many games, so that players pass and move twice."""
    bot = bots.load(text)
    for seed in range(5):
        position, other = games.load("reversi").start(), bots.load("random", seed=seed)
        bot.begin(position.copy(), seat)
        while position.outcome() is None:
            mover = bot if position.to_move() == seat else other
            position.play(mover.choose(position.copy(), Clock(per_move=30.0)))
    outcome = position.outcome()
    assert outcome is not None
    bot.end(position, outcome)


@pytest.mark.parametrize("text", OTHELLO.values(), ids=OTHELLO)
def test_an_othello_engine_is_refused_on_other_boards(text: str) -> None:
    bot = bots.load(text)
    with pytest.raises(UsageError, match="8 × 8"):
        bot.begin(games.load("reversi").start(map="p2_06x06_classic"), 0)


def test_nboard_has_one_option() -> None:
    with pytest.raises(EngineFailure, match="no 'threads'"):
        bots.load(OTHELLO["nboard"].replace("nboard:", "nboard[threads=2]:", 1))


def test_a_position_is_a_game_in_ggf() -> None:
    position = games.load("reversi").start()
    assert nboard.game(position, 125.0).endswith(
        "TI[2:05]TY[8]BO[8 ---------------------------O*------*O--------------------------- *];)"
    )
