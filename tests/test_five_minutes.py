"""The five-minute path of the documentation finds the seeded bug."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.contests import said

DOCS = Path(__file__).parents[1] / "docs"


PAGES = ("author/five-minutes.md", "de/warum-verloren.md")


def blocks(page: str) -> list[str]:
    """The bot and the commands of a page."""
    text = (DOCS / page).read_text("utf-8")
    return re.findall(r"```(?:python|sh)\n(.*?)```", text, re.DOTALL)


def printed_blocks(page: str) -> list[str]:
    """What the commands of a page print."""
    text = (DOCS / page).read_text("utf-8")
    return re.findall(r"\n\n```\n(.*?)```", text, re.DOTALL)


def test_both_languages_have_the_same_bot_and_commands() -> None:
    one, other = (blocks(page)[:3] for page in PAGES)
    assert [block.replace(" --lang de", "") for block in other] == one


@pytest.mark.deep
@pytest.mark.parametrize("page", PAGES)
def test_the_documented_commands_name_the_turn_and_the_corner(page: str, tmp_path: Path) -> None:
    bot, play, look, _ = blocks(page)
    (tmp_path / "mybot.py").write_text(bot)
    match, summary = (shlex.split(line)[1:] for line in play.strip().splitlines())
    one, show, replay = (shlex.split(line)[1:] for line in look.strip().splitlines())
    said(tmp_path, *match)
    expected, answer, compared = printed_blocks(page)
    own = said(tmp_path, *summary)
    head, habit, example, *_ = expected.splitlines()
    assert head in own
    assert habit.partition(",")[0] in own  # what the engine plays changes with its evaluation
    assert example in own
    key, turn = one[2], replay[replay.index("--turn") + 1]
    assert f"  spielleiter replay games.db {key} --turn {turn} --bot mybot.py" in own
    assert "h8" in said(tmp_path, *one)
    assert said(tmp_path, *show).startswith(f"{int(turn) - 1}: ")
    printed = said(tmp_path, *replay)
    assert all(line in printed for line in (answer + compared).splitlines())
