"""A newcomer in a browser alone: registers, makes a team, uploads a bot and sees it checked."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.handin.project import is_binary
from tests.browser.axe import complaints

Window = Callable[..., Any]
EDITION = next(name for name in games.names() if not is_binary(games.load(name)))
PASSWORD = "open sesame seeds"
CHECKED = 300_000
"""Milliseconds that a whole check may take on a busy machine."""


pytestmark = pytest.mark.usefixtures("box")


def register(page: Any, name: str) -> None:
    page.goto("/")
    page.get_by_role("link", name="Let your own bot play").click()
    page.get_by_role("button", name="I am new here").click()
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Register").click()
    page.get_by_text(f"logged in as {name}").wait_for()


def make_bot(page: Any, team: str, bot: str) -> None:
    page.get_by_label("Name of the team").fill(team)
    page.get_by_role("button", name="Make a team").click()
    page.get_by_role("heading", name=team, level=1).wait_for()
    page.get_by_label("Game").select_option(EDITION)
    page.get_by_label("Name of the bot").fill(bot)
    page.get_by_role("button", name="Make a bot").click()
    page.get_by_role("heading", name=bot, level=1).wait_for()


def test_a_newcomer_uploads_a_bot_and_reads_what_is_wrong_with_it(
    window: Window, tmp_path: Path
) -> None:
    page = window()
    register(page, "Ada")
    make_bot(page, "The Rays", "Manta")
    (tmp_path / "bot.py").write_text("raise SystemExit('I am not ready')\n")
    page.locator("input[type=file]").set_input_files(tmp_path / "bot.py")
    page.get_by_text("rejected").wait_for(timeout=CHECKED)
    assert "I am not ready" in page.locator("article").inner_text()
    assert complaints(page) == []
    page.get_by_role("link", name="The Rays").click()
    page.get_by_role("link", name=re.compile("Manta v1 was rejected: ")).wait_for()
    page.get_by_role("button", name="Auf Deutsch").click()
    page.get_by_role("link", name=re.compile("abgelehnt: ein Spiel gegen Zufallszüge")).click()
    page.get_by_text("seine letzte Ausgabe: I am not ready").first.wait_for()
    assert "lies, was er ausgibt" in page.locator("article").inner_text()


def test_somebody_else_joins_by_the_invitation_link(window: Window) -> None:
    ada, ben = window(), window(locale="de-DE")
    register(ada, "Ada Two")
    ada.get_by_label("Name of the team").fill("The Eels")
    ada.get_by_role("button", name="Make a team").click()
    ada.get_by_role("button", name="Invitation link").click()
    link = ada.locator(".copy code").inner_text()
    ben.goto(link)
    ben.get_by_role("button", name="Ich bin neu hier").click()
    ben.get_by_label("Name").fill("Ben")
    ben.get_by_label("Passwort").fill(PASSWORD)
    ben.get_by_role("button", name="Registrieren").click()
    ben.get_by_role("button", name="Beitreten").click()
    ben.get_by_role("heading", name="The Eels", level=1).wait_for()
    ben.locator("section", has_text="Mitglieder").get_by_text("Ada Two").wait_for()
