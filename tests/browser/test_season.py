"""A season in a browser: an organiser makes it, teams enter, bots play, the jury rules.

The bots are those of `spielleiter new`, and play in the sandbox; that they passed their check is
written into the tables.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from spielleiter.accounts.database import new_id
from spielleiter.handin.project import create
from tests.browser import arenas
from tests.browser.axe import complaints
from tests.browser.playing import PHONE
from tests.contests import QUICK
from tests.people import accounts_in, add_released

Window = Callable[..., Any]
PASSWORD = "open sesame seeds"
PLAYED = 300_000
"""Milliseconds that trying out two players, or two games, may take on a busy machine."""
ENGLISH = r"\b(the|of|and|day|games?|league|played|running|season|match|annulled|reason|over)\b"


pytestmark = pytest.mark.usefixtures("box")


def make_season(page: Any, name: str) -> str:
    """The address of a league of two games per encounter that teams can enter."""
    page.goto("/organiser")
    page.get_by_label("Password").fill(arenas.PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name="Log out").wait_for()
    page.goto("/seasons/new")
    page.get_by_role("textbox", name="Name", exact=True).fill(name)
    page.get_by_role("combobox", name="Game", exact=True).select_option(QUICK)
    page.get_by_label("Games per encounter").fill("3")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("an even number of games").wait_for()
    page.get_by_label("Games per encounter").fill("2")
    assert complaints(page) == []
    page.get_by_role("button", name="Save").click()
    page.get_by_role("button", name="Let teams enter").click()
    page.get_by_role("button", name="Start the season").wait_for()
    return str(page.url)


def enter(page: Any, arena: arenas.Arena, address: str, bot: bytes) -> None:
    """Somebody whose team has a bot that passed its check enters it, with a phone, in German."""
    asks, team = page.context.request, f"Team {new_id()[:8]}"
    body = {"name": f"In {team}", "password": PASSWORD, "code": ""}
    csrf = asks.post("/api/members", data=body).json()["csrf"]
    made = asks.post("/api/teams", data={"name": team}, headers={"x-csrf-token": csrf}).json()
    with accounts_in(arena.data) as accounts:
        add_released(accounts, made["id"], f"Bot {team}", edition=QUICK, content=bot)
    page.goto(address)
    page.get_by_role("button", name="Anmelden").click()
    page.get_by_text("Dein Team nimmt teil.").wait_for()


def wrong(page: Any) -> list[str]:
    """What axe finds in a German page on a phone, what is in English, and what is too wide."""
    left = re.findall(ENGLISH, page.locator("main").inner_text(), re.IGNORECASE)
    width = page.evaluate("document.documentElement.scrollWidth")
    wide = [f"{width} pixels"] if width > PHONE["width"] else []
    return complaints(page) + left + wide


def entered(window: Window, arena: arenas.Arena, folder: Path) -> tuple[Any, Any]:
    """Windows of an organiser and of a member, before a season that two teams have entered."""
    create(folder / "first", games.load(QUICK))
    bot = (folder / "first" / "bot.py").read_bytes()
    page = window()
    address = make_season(page, "Herbstliga")
    members = [window(locale="de-DE", viewport=PHONE) for _ in range(2)]
    for member in members:
        enter(member, arena, address, bot)
    return page, members[0]


def test_an_organiser_makes_a_season_and_teams_enter_it(
    window: Window, arena: arenas.Arena, tmp_path: Path
) -> None:
    page, member = entered(window, arena, tmp_path)
    page.get_by_text("0 / 2").wait_for()
    assert complaints(page) == []
    assert wrong(member) == []


@pytest.mark.deep
def test_a_season_is_played_in_the_sandbox_and_judged(
    window: Window, arena: arenas.Arena, tmp_path: Path
) -> None:
    page, member = entered(window, arena, tmp_path)
    page.get_by_role("button", name="Start the season").click()
    page.get_by_role("group").get_by_role("button", name="Start the season").click()
    page.get_by_role("button", name="Play match day 1").click(timeout=PLAYED)
    page.get_by_text("2 / 2").wait_for(timeout=PLAYED)
    page.get_by_label("Which games").select_option(index=1)
    page.get_by_label("Reason").fill("Netz weg")
    with page.expect_response(re.compile("/rulings$")) as ruled:
        page.get_by_role("button", name="Decide").click()
    assert ruled.value.status == 204
    assert complaints(page) == []
    assert wrong(member) == []
    member.get_by_role("link", name="Tabelle, Spieltage und Partien").click()
    member.get_by_text("Netz weg").wait_for()
    assert wrong(member) == []
