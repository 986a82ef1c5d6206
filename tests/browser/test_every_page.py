"""Every page of the arena, for everybody: axe, both languages, light and dark, a phone's width."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.archive import Archive
from tests.browser.axe import barriers
from tests.browser.playing import PHONE
from tests.test_viewer import VIEWER

Window = Callable[..., Any]

PAGES: dict[str, tuple[str, str]] = {
    "/": ("/", "article"),
    "/new": ("/new", "fieldset"),
    "/organiser": ("/organiser", "form.login, main button"),
    "/rules/:edition": ("/rules/{edition}", "ol li"),
    "/games/:id": ("/games/{game}", ".board"),
    "/games/:source/:id": ("/games/file/{file}?turn=4&analysis=yes", ".hint.best"),
    "/replay": ("/replay", ".drop"),
    "/ladder": ("/ladder", "main li a"),
    "/ladder/:edition": ("/ladder/{edition}", "tbody tr"),
    "/ladder/version/:version": ("/ladder/version/{version}", "tbody tr"),
    "/ladder/game/:game": ("/ladder/game/{ladder_game}", "tbody tr"),
    "/friendlies/:id": ("/friendlies/{friendly}", "tbody tr"),
    "/stores/:id": ("/stores/{store}", "tbody tr"),
    "/stores/:id/explorer": ("/stores/{store}/explorer", "tbody tr"),
    "/explorer": ("/explorer", "main h1"),
    "/contests": ("/contests", "main li a"),
    "/seasons": ("/seasons", "main li a"),
    "/seasons/new": ("/seasons/new", "main h1"),
    "/seasons/:id": ("/seasons/{season}", "section.card"),
    "/seasons/:id/edit": ("/seasons/{season}/edit", "main h1"),
    "/team": ("/team", "main h1"),
    "/teams": ("/teams", "main li a"),
    "/teams/:id": ("/teams/{team}", "section"),
    "/bots/:id": ("/bots/{bot}", "main h1"),
    "/join/:secret": ("/join/{invitation}", "main form, main button.primary"),
    "/reset/:secret": ("/reset/{reset}", "form"),
    "/account": ("/account", "main h1"),
    "/organiser/people": ("/organiser/people", "main h1"),
    "/privacy": ("/privacy", "article li"),
    "/imprint": ("/imprint", "article p"),
    "/contests/:id": ("/contests/season", ".bracket"),
    "/contests/:contest/games": ("/contests/season/games", "tbody tr"),
    "/contests/:id/projector": ("/contests/season/projector?seconds=600", ".view"),
}
"""Pattern of the router → an address of that kind, and what must be seen there."""


def routes() -> list[str]:
    """The patterns of the router."""
    router = (VIEWER / "src" / "router.svelte.ts").read_text("utf-8")
    return re.findall(r'^  "(/[a-z/:]*)": "', router, re.MULTILINE)


def test_every_route_has_a_case_here() -> None:
    assert sorted(routes()) == sorted(PAGES)


def wrong(page: Any) -> list[str]:
    """What axe finds, and whether a phone has to scroll sideways."""
    found = barriers(page)
    size = page.viewport_size
    page.set_viewport_size(PHONE)
    width = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size(size)
    return found + ([f"{width} pixels wide"] if width > PHONE["width"] else [])


FOLLOW = """to => {
  for (const each of document.querySelectorAll('#content > *')) each.dataset.left = '';
  history.pushState(null, '', to);
  dispatchEvent(new PopStateEvent('popstate'));
}"""


def load(page: Any, address: str) -> None:
    """Open a page as whoever types its address."""
    page.goto(address)


def follow(page: Any, address: str) -> None:
    """Open it as a link inside the arena does: scripts, ours and axe, stay loaded."""
    page.evaluate(FOLLOW, address)
    page.locator("[data-left]").first.wait_for(state="detached")  # the page before has gone


def look_at_all(
    page: Any, archive: Archive, way: Callable[[Any, str], None]
) -> dict[str, list[str]]:
    """What is wrong with which page."""
    found = {}
    for path, seen in PAGES.values():
        way(page, path.format(**archive.names))
        page.locator(seen).first.wait_for()
        page.locator("main .loading").first.wait_for(state="detached")
        found[path] = wrong(page)
    return {path: each for path, each in found.items() if each}


def test_every_page_is_usable_in_german_and_in_the_dark(visit: Window, archive: Archive) -> None:
    page = visit("/nowhere", storage_state=archive.ada, locale="de-DE", color_scheme="dark")
    page.locator("main h1").wait_for()
    assert look_at_all(page, archive, follow) == {}


@pytest.mark.deep
@pytest.mark.parametrize("locale", ["en-GB", "de-DE"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("who", ["stranger", "ada"])
def test_every_page_is_usable(
    visit: Window, archive: Archive, locale: str, scheme: str, who: str
) -> None:
    state = {"stranger": True} if who == "stranger" else {"storage_state": archive.ada}
    page = visit("/", locale=locale, color_scheme=scheme, **state)
    assert look_at_all(page, archive, load) == {}
