"""The arena as people see it: in a real browser, with real games."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from spielleiter import games
from tests.browser.playing import enter, order, play

Window = Callable[..., Any]
KINDS = sorted({games.load(name).folder: name for name in games.names()}.values())
"""One edition of each game, the latest."""


@pytest.mark.parametrize("edition", KINDS)
def test_a_whole_game_is_played_by_clicks(window: Window, edition: str) -> None:
    page = window()
    enter(page)
    seats = games.load(edition).start().seats
    order(page, edition, "person", *["built-in"] * (seats - 1))
    page.wait_for_url("**/games/*")
    assert play(page) > 5
    page.locator(".result").wait_for()
