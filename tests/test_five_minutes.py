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


def test_both_languages_have_the_same_bot_and_commands() -> None:
    one, other = (blocks(page)[:3] for page in PAGES)
    assert [block.replace(" --lang de", "") for block in other] == one


@pytest.mark.deep
@pytest.mark.parametrize("page", PAGES)
def test_the_documented_commands_name_the_turn_and_the_corner(page: str, tmp_path: Path) -> None:
    bot, play, look, _ = blocks(page)
    (tmp_path / "mybot.py").write_text(bot)
    match, summary = (shlex.split(line)[1:] for line in play.strip().splitlines())
    one, replay = (shlex.split(line)[1:] for line in look.strip().splitlines())
    said(tmp_path, *match)
    own = said(tmp_path, *summary).partition("mybot.py:")[2]
    key, turn = one[2], replay[replay.index("--turn") + 1]
    assert re.search(rf"3 ×: .*h8.*\({key}, .* {turn}\)", own), own
    assert "h8" in said(tmp_path, *one)
    assert "in the game" in said(tmp_path, *replay)
