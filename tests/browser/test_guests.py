"""Guests in a real browser: from the first page to a game without a password."""

from __future__ import annotations

import random
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.handin.project import create, is_binary
from tests.browser.axe import complaints
from tests.browser.playing import enter, ready, take, targets, wait_for_turn
from tests.browser.test_arena import KINDS, only

Window = Callable[..., Any]


@pytest.mark.parametrize("edition", only(0))
def test_three_clicks_lead_from_the_first_page_to_the_first_move(
    window: Window, edition: str
) -> None:
    page, chance = window(), random.Random(1)
    page.goto("/")
    card = page.locator(f'article[data-edition="{edition}"]')
    card.get_by_role("button", name="Play").click()
    state = ready(page)
    clicks = 1
    if not state["targets"]:
        assert take(page, chance)
        clicks += 1
    page.mouse.click(*chance.choice(targets(page)))
    clicks += 1
    wait_for_turn(page, 1)
    assert clicks <= 3


def test_the_organiser_plays_from_the_first_page_too(window: Window) -> None:
    page = window()
    enter(page)
    page.goto("/")
    page.locator("article").first.get_by_role("button", name="Play").click()
    page.locator("section.hand[data-ask]").wait_for()


def test_watching_needs_one_click(window: Window) -> None:
    page = window()
    page.goto("/")
    page.locator("article").first.get_by_role("button", name="Watch").click()
    page.wait_for_url("**/games/*")
    page.locator("svg.board").wait_for()


def test_a_bot_of_the_kit_joins_with_the_copied_command(window: Window, tmp_path: Path) -> None:
    edition = next(name for name in KINDS if not is_binary(games.load(name)))
    create(tmp_path / "mybot", games.load(edition))
    page = window()
    page.goto("/")
    card = page.locator(f'article[data-edition="{edition}"]')
    card.get_by_role("button", name="My bot").click()
    page.locator(".waiting .copy code").first.wait_for()
    assert complaints(page) == []
    page.reload()
    command = page.locator(".waiting .copy code").first.inner_text()
    program, *words = shlex.split(command)
    assert program == "python"
    with subprocess.Popen([sys.executable, *words], cwd=tmp_path / "mybot") as bot:
        wait_for_turn(page, 2)
        bot.kill()
    page.locator(".result").wait_for()
