"""Before a contest's first game every player is started and makes a move."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from spielleiter import games
from tests.contests import BOTS, QUICK, SPOKEN, kept, said

HEAD = """
[contest]
name = "Small"
game = "{game}"
format = "league"
games = 2
[limits]
{limits}
"""


def contest(folder: Path, players: dict[str, str], game: str = QUICK, limits: str = "") -> str:
    """A contest of these players, by the names of their teams."""
    (folder / "bots.py").write_text(BOTS)
    teams = [f"[[team]]\nname = '{name}'\nplayer = '{text}'\n" for name, text in players.items()]
    text = HEAD.format(game=game, limits=limits or "nodes = 1") + "".join(teams)
    (folder / "small.toml").write_text(text, "utf-8")
    return "small.toml"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("greeedy", "did you mean 'greedy'?"),
        ("random:level=3", "there is no option of the player random 'level'"),
        ("nowhere", "there is no built-in player 'nowhere'"),
        ("missing.py", "missing.py"),
        ("bots.py:Unborn", "RuntimeError: not today"),
        ("missing.zip", "there is no file"),
    ],
)
def test_a_player_that_cannot_play_is_named_before_the_first_game(
    tmp_path: Path, text: str, problem: str
) -> None:
    file = contest(tmp_path, {"Fine": "greedy", "Broken": text}, limits='time = "1s"')
    for command in ("check", "run"):
        spoken = said(tmp_path, "contest", command, file, status=2)
        assert "Broken: " in spoken
        assert problem in spoken
        assert "Fine: " not in spoken
    assert kept(tmp_path / "small.db") == 0


def test_a_failed_start_leaves_the_file_free_to_be_changed(tmp_path: Path) -> None:
    file = contest(tmp_path, {"Fine": "greedy", "Broken": "greeedy"})
    said(tmp_path, "contest", "run", file, status=2)
    assert not (tmp_path / "small.db").exists()
    contest(tmp_path, {"Fine": "greedy", "Other": "random"})
    spoken = said(tmp_path, "contest", "run", file)
    assert "2 players are ready" in spoken
    assert "Winner: Fine" in spoken


def test_a_program_for_another_game_is_found_and_the_right_one_is_not_blamed(
    tmp_path: Path,
) -> None:
    wired = [name for name in games.names() if name.partition("-")[0] != SPOKEN.partition("-")[0]]
    wrong, right = (f"{sys.executable} -m spielleiter join {game} -h {{host}} -p {{port}} "
                    "-r {reservation} --bot greedy" for game in (wired[0], SPOKEN))  # fmt: skip
    players = {"Wrong": wrong, "Right": right, "Own": "random"}
    file = contest(tmp_path, players, SPOKEN, 'time = "1s"')
    spoken = said(tmp_path, "contest", "check", file, status=2)
    assert "Wrong: " in spoken
    assert "Right: " not in spoken
    assert "Own: " not in spoken
