"""Replays, analysis and contests as people see them: in a real browser."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import seasons, talks
from tests.browser import arenas
from tests.browser.playing import enter
from tests.test_viewer import VIEWER, built

Window = Callable[..., Any]
AXE = VIEWER / "node_modules" / "axe-core" / "axe.min.js"
REPLAY = next(iter(talks.replays()), b"")

pytestmark = pytest.mark.skipif(not REPLAY, reason="no game here has an official replay")

DROP = """([name, content]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name));
  const event = (kind) => new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true});
  document.body.dispatchEvent(event('dragover'));
  document.body.dispatchEvent(event('drop'));
}"""


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Iterator[arenas.Arena]:
    """An arena that shows a season which has been played."""
    built()
    folder = tmp_path_factory.mktemp("records")
    seasons.play(seasons.season(folder / "contests"))
    with arenas.arena(folder, "--no-demo") as running:
        yield running


@pytest.fixture
def visit(window: Window, archive: arenas.Arena) -> Window:
    """Opens windows on that arena."""
    return lambda **settings: window(base_url=archive.address, **settings)


def drop(page: Any, name: str, content: bytes) -> None:
    """Let a file fall on the page."""
    page.goto("/replay")
    page.locator(".drop:not(.shut)").wait_for()
    page.evaluate(DROP, [name, base64.b64encode(content).decode()])


def opened(page: Any, turn: int | None = None) -> str:
    """An official replay is open; its address without the turn."""
    enter(page)
    drop(page, "replay.xml.gz", gzip.compress(REPLAY))
    page.wait_for_url("**/replay/file/*")
    page.locator(".board").wait_for()
    address = str(page.url).partition("?")[0]
    if turn is not None:
        page.goto(f"{address}?turn={turn}")
        page.locator(f'.moves [data-turn="{turn}"][aria-current]').wait_for()
    return address


def current(page: Any) -> int:
    """The turn that is looked at."""
    return int(page.locator(".moves [aria-current]").get_attribute("data-turn"))


def board(page: Any) -> list[str]:
    """What lies where, as it is read aloud."""
    cells = page.locator(".board [role=gridcell]")
    return list(cells.evaluate_all("all => all.map((cell) => cell.ariaLabel)"))


def assert_usable_by_everybody(page: Any) -> None:
    """Axe finds nothing that keeps people out."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate("async () => (await axe.run()).violations")
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


# ---------------------------------------------------------------------------------------- replays


def test_an_official_replay_is_dropped_and_stepped_through(visit: Window) -> None:
    page = visit()
    opened(page)
    assert current(page) == 0
    start = board(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert current(page) == 2
    assert page.url.endswith("?turn=2")
    assert board(page) != start
    page.keyboard.press("End")
    assert current(page) == REPLAY.count(b'"memento"') - 1
    page.keyboard.press("Home")
    assert board(page) == start
    assert_usable_by_everybody(page)


def test_a_link_leads_to_a_turn(visit: Window) -> None:
    page = visit()
    address = opened(page, turn=17)
    seen = board(page)
    stranger = visit(locale="de-DE")
    stranger.goto(f"{address}?turn=17")
    stranger.locator('.moves [data-turn="17"][aria-current]').wait_for()
    assert len(board(stranger)) == len(seen)
    assert stranger.get_by_role("heading", name="Von hier weiterspielen").count() == 1


def test_a_file_that_is_no_replay_is_refused_in_words(visit: Window) -> None:
    page = visit()
    page.on("console", lambda said: None)
    enter(page)
    page.goto("/replay")
    page.locator(".drop:not(.shut)").wait_for()
    with page.expect_response("**/api/replays") as answer:
        page.locator("input[type=file]").set_input_files(
            {"name": "letter.xml", "mimeType": "text/xml", "buffer": b"<letter>\nDear Sir</lettr>"}
        )
    assert answer.value.status == 422
    page.get_by_text("line 2").wait_for()
    page.get_by_text("letter.xml").wait_for()


def test_a_game_is_continued_from_a_position(visit: Window) -> None:
    page = visit()
    opened(page, turn=11)
    seen = [label.partition(", last move")[0] for label in board(page)]
    page.get_by_role("button", name="Choose the players").click()
    page.get_by_role("button", name="Play on from turn 11").click()
    page.wait_for_url("**/games/*")
    page.locator("section.hand[data-ask]").wait_for()
    kept = [label.partition(", can be taken")[0] for label in board(page)]
    assert kept == seen


def test_the_page_to_take_along_works_from_a_file(
    visit: Window, browser: Any, tmp_path: Path
) -> None:
    page = visit()
    opened(page, turn=5)
    with page.expect_download() as download:
        page.get_by_role("link", name="Page that works offline").click()
    file = tmp_path / "game.html"
    download.value.save_as(file)
    asked: list[str] = []
    context = browser.new_context(offline=True)
    alone = context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.on("pageerror", lambda error: asked.append(str(error)))
    alone.goto(file.as_uri())
    alone.locator(".board").wait_for()
    assert current(alone) == 5
    alone.keyboard.press("ArrowRight")
    assert current(alone) == 6
    alone.keyboard.press("Home")
    assert current(alone) == 0
    assert_usable_by_everybody(alone)
    context.close()
    assert asked == [file.as_uri()]


# --------------------------------------------------------------------------------------- analysis


def test_an_analysis_draws_a_curve_and_names_the_mistakes(visit: Window) -> None:
    page = visit()
    opened(page, turn=4)
    page.get_by_role("link", name="Analyse this game").click()
    page.get_by_label("Time per turn").select_option("0.1")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Analyse again").click()
    page.get_by_text("has looked at all turns").wait_for(timeout=40_000)
    curve = page.locator("figure path.curve").get_attribute("d")
    assert curve.count("L") == REPLAY.count(b'"memento"') - 1
    assert page.locator("#lines ~ ol li").count() == 3
    page.locator(".mistakes button").first.click()
    assert page.locator(".moves [aria-current]").text_content().strip().endswith("??") or (
        page.locator(".moves [aria-current].blunder").count() == 1
    )
    assert_usable_by_everybody(page)


# --------------------------------------------------------------------------------------- contests


def test_a_contest_shows_standings_bracket_and_every_game(visit: Window) -> None:
    page = visit()
    page.goto("/contests")
    page.get_by_role("link", name="Example season").click()
    page.get_by_role("heading", name="Final Eight: bracket").wait_for()
    assert page.locator(".bracket .tie").count() == 8
    assert page.locator("#standings ~ .scroll tbody tr").count() == 8
    assert_usable_by_everybody(page)
    page.get_by_role("button", name="Group A").click()
    assert page.locator("#cross ~ .scroll tbody tr").count() == 6
    page.locator(".day details").first.locator("summary").click()
    games = page.locator(".day details[open] tbody tr")
    games.first.wait_for()
    assert games.count() == 2
    games.first.get_by_role("button", name="log").click()
    page.locator(".day pre").wait_for()
    games.first.get_by_role("link", name="replay").click()
    page.wait_for_url("**/replay/contest/*")
    page.locator(".board").wait_for()


def test_the_contest_page_speaks_german_on_a_phone_in_the_dark(visit: Window) -> None:
    page = visit(locale="de-DE", color_scheme="dark", viewport={"width": 390, "height": 844})
    page.goto("/contests/season")
    page.get_by_role("heading", name="Final Eight: Turnierbaum").wait_for()
    page.get_by_role("button", name="Gruppe B").click()
    page.get_by_role("heading", name="Gruppe B: Tabelle").wait_for()
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= 390
    assert_usable_by_everybody(page)
