"""One browser and one arena for these tests; every test has windows of its own.

Playwright keeps an event loop in its thread, so it has to be gone before other tests begin.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from tests.browser import arenas
from tests.browser.archive import REPLAY, Archive, archive_in
from tests.test_viewer import built

LANGUAGE = "en-GB"
SIZE = {"width": 1280, "height": 900}


@pytest.fixture(scope="package")
def browser() -> Iterator[Any]:
    built()
    with arenas.browser() as running:
        yield running


@pytest.fixture(scope="package")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Iterator[arenas.Arena]:
    """An arena whose organiser's password is set."""
    built()
    with arenas.arena(tmp_path_factory.mktemp("arena"), "--no-demo", copied=True) as running:
        yield running


@pytest.fixture(scope="package")
def organiser(arena: arenas.Arena) -> Iterator[httpx.Client]:
    """Whoever ends the games that a test leaves behind: a guest may have eight of them open."""
    with httpx.Client(base_url=arena.address, timeout=60) as client:
        session = client.post("/api/first-password", json={"password": arenas.PASSWORD})
        client.headers["x-csrf-token"] = session.raise_for_status().json()["csrf"]
        yield client


def _end_games(organiser: httpx.Client) -> None:
    for state in ("waiting", "running"):
        for game in organiser.get("/api/games", params={"state": state}).json()["games"]:
            organiser.post(f"/api/games/{game['id']}/cancel")


@pytest.fixture
def window(
    browser: Any, arena: arenas.Arena, organiser: httpx.Client
) -> Iterator[Callable[..., Any]]:
    """Opens windows that know nothing of each other; what goes wrong in a page fails the test."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def opened(**settings: Any) -> Any:
        context = browser.new_context(
            base_url=settings.pop("base_url", arena.address),
            **{"locale": LANGUAGE, "reduced_motion": "reduce", "viewport": SIZE, **settings},
        )
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(said.text) if _is_bad(said) else None)
        return page

    yield opened
    for context in contexts:
        context.close()
    _end_games(organiser)
    assert complaints == []


def _is_bad(said: Any) -> bool:
    """A complaint about the page; that a server is away or says no is not the page's fault."""
    return said.type == "error" and not re.search(r"net::ERR_|status of 4\d\d", said.text)


@pytest.fixture(scope="package")
def archive(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """An arena in which everything has happened."""
    if not REPLAY:
        pytest.skip("no game here has an official replay")
    with archive_in(tmp_path_factory.mktemp("records"), browser) as opened:
        yield opened


@pytest.fixture
def visit(browser: Any, archive: Archive) -> Iterator[Callable[..., Any]]:
    """Opens windows of the organiser, or of strangers; what goes wrong in a page fails the test."""
    contexts: list[Any] = []
    complaints: list[str] = []

    def opened(path: str, *, stranger: bool = False, **settings: Any) -> Any:
        usual = {"locale": LANGUAGE, "reduced_motion": "reduce", "viewport": SIZE}
        state = {} if stranger else {"storage_state": archive.organiser}
        context = browser.new_context(base_url=archive.address, **usual | state | settings)
        context.set_default_timeout(60_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("console", lambda said: complaints.append(_told(said)) if _is_odd(said) else None)
        page.goto(path)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert complaints == []


def _told(said: Any) -> str:
    return f"{said.text} ({said.location.get('url')})"


def _is_odd(said: Any) -> bool:
    """A complaint about our page; that the server refuses a wrong file is none."""
    return said.type == "error" and "422" not in said.text
