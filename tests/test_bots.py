"""Players are found by name or taken from a file; wrong names are explained."""

from __future__ import annotations

from pathlib import Path

import pytest

from spielleiter import bots
from spielleiter.errors import UnknownName, UsageError
from spielleiter.game import Clock, Game

OWN = """
from spielleiter import Bot

class Player(Bot):
    name = "last"

    def __init__(self, step="1"):
        self.step = int(step)

    def choose(self, position, clock):
        return position.legal_moves()[-self.step]
"""


@pytest.fixture
def own(tmp_path: Path) -> Path:
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return path


def test_a_player_is_taken_from_a_file(own: Path, game: Game) -> None:
    start = game.start(1)
    assert bots.load(str(own)).choose(start, Clock()) == start.legal_moves()[-1]
    assert bots.load(f"{own}:step=2").choose(start, Clock()) == start.legal_moves()[-2]
    assert bots.load(str(own)).name == "last"


@pytest.mark.parametrize("path", ["./mybot", r"bots\mybot"])
def test_a_program_that_is_not_there_is_called_a_missing_file(path: str) -> None:
    with pytest.raises(UsageError, match="there is no file"):
        bots.load(path)


def test_a_file_without_a_player_is_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.py"
    empty.write_text("Player = 3\n")
    with pytest.raises(UsageError, match="no class `Player`"):
        bots.load(str(empty))
    with pytest.raises(UsageError, match="no file"):
        bots.load(str(tmp_path / "missing.py"))


def test_wrong_options_and_names_are_answered_with_the_nearest(own: Path) -> None:
    with pytest.raises(UnknownName, match="step"):
        bots.load(f"{own}:stp=2")
    with pytest.raises(UnknownName, match="greedy"):
        bots.load("gredy")
    with pytest.raises(UsageError, match="key=value"):
        bots.load("greedy:fast")


def test_the_same_seed_plays_the_same_moves(game: Game) -> None:
    start = game.start(1)
    for name in ("random", "greedy"):
        chosen = [bots.load(name, seed=5).choose(start.copy(), Clock()) for _ in range(2)]
        assert chosen[0] == chosen[1]
