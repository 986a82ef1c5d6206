"""Pictures of the arena's pages, for these documents: `python -m docs.screenshots` in the root.

Plays a little on an arena of its own, in the browser that the tests use too.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spielleiter import games
from tests import seasons, talks
from tests.browser import arenas
from tests.browser.playing import enter, order, play, ready, show_lobby, take

PICTURES = Path(__file__).parent / "pictures"
DESK = {"width": 1180, "height": 800}
HALL = {"width": 1920, "height": 1080}
PHONE = {"width": 390, "height": 780}
PATIENCE = 300_000
"""Milliseconds that a busy machine may take for a page."""


def main() -> None:
    """Write docs/pictures/arena-*.png."""
    with tempfile.TemporaryDirectory() as data:
        for contest in (seasons.season, lambda folder: seasons.league(folder, 20)):
            seasons.play(contest(Path(data) / "contests"))
        with arenas.arena(Path(data)) as arena, arenas.browser() as browser:
            _take_all(lambda **more: _page(browser, arena.address, **more))
            live = Path(data) / "contests"
            with seasons.running(
                seasons.league(live, 20, "live.toml", player="best", nodes=20_000)
            ):
                _live(_page(browser, arena.address, viewport=HALL))


def _page(browser: Any, address: str, **more: Any) -> Any:
    settings = {"viewport": DESK, "locale": "en-GB", "reduced_motion": "reduce", **more}
    page = browser.new_context(base_url=address, **settings).new_page()
    page.set_default_timeout(PATIENCE)
    return page


def _take_all(window: Callable[..., Any]) -> None:
    page = window()
    enter(page)
    show_lobby(page)
    _keep(page, "lobby")
    for edition in sorted({games.load(name).folder: name for name in games.names()}.values()):
        _game(window, page, edition)
    _records(page)
    _projector(window(viewport=HALL))


def _live(page: Any) -> None:
    """A game of a contest that is being played."""
    while not page.request.get("/api/contests/live").ok:  # the contest's file is not there at once
        page.wait_for_timeout(200)
    page.goto("/contests/live/projector?seconds=600")
    turn = re.compile(r"turn ([1-4]\d)\b")  # neither the first few moves nor the last
    page.locator("[data-view=board] .facts").get_by_text(turn).first.wait_for()
    _keep(page, "projector-live")


def _projector(page: Any) -> None:
    """A contest of twenty teams as a hall sees it."""
    page.goto("/contests/league/projector?seconds=600")
    page.locator("[data-view=podium]").wait_for()  # of a contest that is over
    page.keyboard.press("ArrowRight")
    page.locator("[data-view=standings] tbody tr").last.wait_for()
    _keep(page, "projector")


def _game(window: Callable[..., Any], page: Any, edition: str) -> None:
    """A game after a few moves, with something in hand: on the desk, and dark on a phone."""
    page.goto("/")
    others = games.load(edition).start().seats - 1
    order(page, edition, "person", *["built-in"] * others, player="greedy")
    play(page, turns=6)
    ready(page)
    take(page, random.Random(2))
    _keep(page, f"game-{games.load(edition).folder.rsplit('.', 1)[1]}")
    phone = window(viewport=PHONE, color_scheme="dark", storage_state=page.context.storage_state())
    phone.goto(page.url)
    ready(phone)
    _keep(phone, f"phone-{games.load(edition).folder.rsplit('.', 1)[1]}")
    phone.context.close()


def _records(page: Any) -> None:
    """A replay of an official server, what an engine thinks of it, and a contest."""
    for data in talks.replays()[:1]:
        page.goto("/replay")
        page.locator(".drop:not(.shut)").wait_for()
        file = {"name": "replay.xml", "mimeType": "text/xml", "buffer": data}
        page.locator("input[type=file]").set_input_files(file)
        page.wait_for_url("**/games/file/*")
        page.goto(f"{page.url.split('?')[0]}?turn=22")
        page.locator('.moves [data-turn="22"][aria-current]').wait_for()
        _keep(page, "replay")
        page.get_by_role("button", name="Analyse", exact=True).click()
        page.get_by_text("has looked at all turns").wait_for()
        _keep(page, "analysis", whole=True)
    page.goto("/contests/season")
    page.locator(".bracket").wait_for()
    _keep(page, "contest", whole=True)


def _keep(page: Any, name: str, *, whole: bool = False) -> None:
    page.evaluate("scrollTo(0, 0)")
    page.wait_for_timeout(500)  # for the browser to have drawn what it was told
    page.screenshot(path=PICTURES / f"arena-{name}.png", full_page=whole)


if __name__ == "__main__":
    main()
