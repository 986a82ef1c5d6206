"""External engines play Blokus: a test engine of ours in the dialect of Pentobi's."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from spielleiter import bots, games
from spielleiter.engines.line_process import EngineFailure
from spielleiter.errors import TextError
from spielleiter.game import Clock
from spielleiter.games.blokus import gtp

ENGINE = f"gtp:{sys.executable} {Path(__file__).parent / 'gtp_engine.py'}"


@pytest.mark.parametrize("edition", ["blokus-2021", "blokus-2027"])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_gtp_engine_plays_whole_games_by_the_rules(edition: str, seat: int) -> None:
    bot, other = bots.load(ENGINE), bots.load("random", seed=3)
    position = games.load(edition).start(5)
    bot.begin(position.copy(), seat)
    while (outcome := position.outcome()) is None:
        mover = bot if position.to_move() == seat else other
        position.play(mover.choose(position.copy(), Clock(per_move=30.0)))
    bot.end(position, outcome)
    assert outcome.ranks[seat] == 1


def test_a_piece_is_the_list_of_its_fields_from_the_lower_left() -> None:
    position = games.load("blokus-2027").start(3)
    position.play("PENTO_T@a1")
    assert gtp.plays(None, position) == [("1", "b18,b19,a20,b20,c20")]
    assert gtp.colour(position) == "2"
    first = gtp.opening(position)
    assert first is not None
    position.play(first)
    plays = gtp.plays(games.load("blokus-2027").start(3), position)
    assert plays is not None
    assert [colour for colour, _ in plays] == ["1", "2"]


def test_a_game_that_began_elsewhere_is_told_piece_by_piece() -> None:
    """The engine has seen nothing of it: all pieces come at once."""
    position = games.load("blokus-2027").start(3)
    for seed in range(12):
        position.play(bots.load("random", seed=seed).choose(position, Clock()))
    bot = bots.load(ENGINE)
    bot.begin(games.load("blokus-2027").start(4), 0)
    assert bot.choose(position, Clock(per_move=30.0)) in position.legal_moves()


@pytest.mark.parametrize("text", ["resign", "a1,b1", "z99"])
def test_an_answer_that_is_no_move_is_refused(text: str) -> None:
    position = games.load("blokus-2027").start(3)
    with pytest.raises(TextError):
        gtp.move(position, text)


def test_an_engine_that_refuses_a_command_has_failed() -> None:
    with pytest.raises(EngineFailure, match="refuses 'dance 1'"):
        bots.load(ENGINE.replace("gtp:", "gtp[dance=1]:", 1))
