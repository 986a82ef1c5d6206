"""From nothing to "why did I lose": a newcomer with a browser and a folder that `new` has made."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from spielleiter.web.arena import COOKIE
from tests.browser import arenas
from tests.browser.archive import with_ladder
from tests.browser.axe import complaints
from tests.browser.test_team import EDITION, make_bot, register
from tests.people import accounts_in

CHECKED = 300_000
"""Milliseconds that a check, a game and its explanation may take on a busy machine."""
FIVE_MINUTES = 300.0

pytestmark = [
    pytest.mark.usefixtures("box"),
    pytest.mark.native,  # it takes an opponent that beats it: in plain Python none does in time
]


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[arenas.Arena]:
    """An arena where nobody ever was; the demo would only play beside it."""
    with arenas.arena(tmp_path / "data", "--no-demo") as running:
        yield running


def test_the_page_of_a_bot_leads_to_why_it_lost(window: Callable[..., Any], tmp_path: Path) -> None:
    """What comes before is in test_team, what comes after in test_records."""
    with accounts_in(tmp_path) as accounts:
        names = with_ladder(tmp_path, accounts)
    with arenas.arena(tmp_path, "--no-demo", copied=True) as running:
        cookie = {"name": COOKIE, "value": names["session"], "url": running.address}
        page = window(base_url=running.address)
        page.context.add_cookies([cookie])
        page.goto(f"/bots/{names['bot']}")
        page.get_by_role("button", name="Let it play again").click()
        page.get_by_text(re.compile(r"^rating -?\d+ ± \d+$")).wait_for()
        assert complaints(page) == []
        link = page.get_by_role("link", name="Why did it lose its last game?")
        address = link.get_attribute("href")
        assert address.endswith("?why=yes")
        page.goto(address.removesuffix("?why=yes"))  # the explanation itself takes a while
        page.locator("svg.board").wait_for()
        page.get_by_role("button", name="Why?").wait_for()


@pytest.mark.deep  # each step has a test of its own, too
def test_a_newcomer_uploads_what_new_has_made_and_learns_why_it_lost(
    fresh: arenas.Arena, window: Callable[..., Any], tmp_path: Path
) -> None:
    made = [sys.executable, "-m", "spielleiter", "new", "first", "--game", EDITION]
    subprocess.run(made, cwd=tmp_path, check=True, capture_output=True)
    began = time.monotonic()
    page = window(base_url=fresh.address)
    register(page, "Ada")
    make_bot(page, "The Rays", "Manta")
    page.locator("input[type=file]").set_input_files(tmp_path / "first" / "bot.py")
    page.get_by_text("It is being checked").wait_for()
    page.get_by_text("released").wait_for(timeout=CHECKED)
    page.get_by_text(re.compile(r"^rating -?\d+ ± \d+$")).wait_for(timeout=CHECKED)
    assert complaints(page) == []
    page.get_by_role("link", name="Why did it lose its last game?").click(timeout=CHECKED)
    why = page.locator("section.why")
    why.get_by_role("heading", name="Turning points").wait_for(timeout=CHECKED)
    assert time.monotonic() - began < FIVE_MINUTES
    assert re.search(r"accuracy \d", why.inner_text())
    page.get_by_text("Manta v1 (The Rays)", exact=True).wait_for()
