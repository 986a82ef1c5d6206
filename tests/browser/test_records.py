"""Replays, analysis and contests as people see them: in a real browser."""

from __future__ import annotations

import base64
import gzip
import re
import shlex
import subprocess
import sys
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games as all_games
from spielleiter.annotation import annotation
from spielleiter.game import Game
from spielleiter.handin.project import create
from spielleiter.service.record_files import read
from spielleiter.store import Entry, open_store
from spielleiter.tournament.record import from_text, to_text
from tests import seasons
from tests.browser.archive import REPLAY, Archive
from tests.browser.axe import assert_usable_by_everybody
from tests.browser.playing import wait_for_turn
from tests.contests import QUICK, said

Window = Callable[..., Any]
TURNS = REPLAY.count(b'"memento"') - 1

pytestmark = pytest.mark.skipif(not REPLAY, reason="no game here has an official replay")

DROP = """([name, content]) => {
  const bytes = Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0));
  const data = new DataTransfer();
  data.items.add(new File([bytes], name));
  const told = {dataTransfer: data, bubbles: true, cancelable: true};
  const event = (kind) => new DragEvent(kind, told);
  document.body.dispatchEvent(event('dragover'));
  document.body.dispatchEvent(event('drop'));
}"""


COLLECT = """() => {
  window.seen = {};
  setInterval(() => {
    const turn = document.querySelector('.facts')?.innerText.match(/turn (\\d+)/)?.[1];
    const cells = [...document.querySelectorAll('.board [role=gridcell]')];
    if (turn) window.seen[turn] = cells.map((cell) => cell.ariaLabel).join();
  }, 100);
}"""
"""What a hall sees at which turn, from now on."""
SLOW = """
import time
from spielleiter import Bot

class Slow(Bot):
    name = "slow"
    def choose(self, position, clock):
        time.sleep(0.1)
        return position.legal_moves()[0]
"""


def record_game(replay: bytes) -> Game:
    """The edition that an official replay is of."""
    return read(replay).game(all_games.load_recorded)


def on_turn(page: Any, turn: int) -> None:
    """Wait until a turn is looked at."""
    page.locator(f'.moves [data-turn="{turn}"][aria-current]').wait_for()


def board(page: Any) -> list[str]:
    """What lies where, as it is read aloud."""
    cells = page.locator(".board [role=gridcell]")
    return list(cells.evaluate_all("all => all.map((cell) => cell.ariaLabel)"))


# ---------------------------------------------------------------------------------------- replays


def test_an_official_replay_is_dropped_and_stepped_through(visit: Window) -> None:
    page = visit("/replay")
    page.locator(".drop").wait_for()
    content = base64.b64encode(gzip.compress(REPLAY)).decode()
    page.evaluate(DROP, ["replay.xml.gz", content])
    page.wait_for_url("**/games/file/*")
    on_turn(page, 0)
    start = board(page)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    on_turn(page, 2)
    page.wait_for_url("**?turn=2")
    assert board(page) != start
    page.keyboard.press("End")
    on_turn(page, TURNS)
    page.keyboard.press("Home")
    on_turn(page, 0)
    assert board(page) == start
    assert_usable_by_everybody(page)


def test_a_store_dropped_onto_the_page_shows_its_games(visit: Window, tmp_path: Path) -> None:
    words = ("--game", QUICK, "--games", "2", "--nodes", "1", "--store", "mine.db")
    said(tmp_path, "match", "greedy", "random", *words)
    page = visit("/replay")
    page.locator(".drop").wait_for()
    content = base64.b64encode((tmp_path / "mine.db").read_bytes()).decode()
    page.evaluate(DROP, ["mine.db", content])
    page.wait_for_url("**/stores/dropped-*")
    page.get_by_role("heading", name="mine.db").wait_for()
    page.get_by_role("link", name="match/0").click()
    on_turn(page, 0)
    page = visit("/replay")
    page.locator(".drop").wait_for()
    broken = base64.b64encode(b"SQLite format 3\0" + bytes(999)).decode()
    page.evaluate(DROP, ["mine.db", broken])
    page.get_by_text("The file was: mine.db").wait_for()


def test_a_link_leads_a_stranger_to_a_turn(visit: Window, archive: Archive) -> None:
    page = visit(f"{archive.replay}?turn=16")
    on_turn(page, 16)
    page.get_by_role("button", name="one turn forward").click()
    link = page.get_by_role("link", name="Link to turn 17").get_attribute("href")
    stranger = visit(link, stranger=True)
    on_turn(stranger, 17)
    assert board(stranger) == board(page)


def test_old_addresses_of_replays_and_analyses_lead_to_the_game(
    visit: Window, archive: Archive
) -> None:
    old = archive.replay.replace("/games/file/", "/replay/file/")
    page = visit(f"{old}?turn=7")
    on_turn(page, 7)
    page.wait_for_url(f"**{archive.replay}?turn=7")
    page.goto(f"{old.replace('/replay/', '/analysis/')}?turn=3")
    on_turn(page, 3)
    page.wait_for_url(f"**{archive.replay}?turn=3&analysis=yes")
    page.get_by_role("heading", name="Analysis").wait_for()


def test_a_file_that_is_no_replay_is_refused_in_words(visit: Window) -> None:
    page = visit("/replay")
    page.locator(".drop").wait_for()
    letter = {"name": "letter.xml", "mimeType": "text/xml", "buffer": b"<letter>\nSir</lettr>"}
    page.locator("input[type=file]").set_input_files(letter)
    page.get_by_text("line 2").wait_for()
    page.get_by_text("letter.xml").wait_for()


def test_a_game_is_continued_from_a_position(visit: Window, archive: Archive) -> None:
    page = visit(f"{archive.replay}?turn=11")
    on_turn(page, 11)
    seen = [label.partition(", last move")[0] for label in board(page)]
    page.get_by_role("button", name="Play on from here").click()
    page.get_by_role("button", name="Play on from turn 11").click()
    page.wait_for_url("**/games/*")
    page.locator("section.hand[data-ask]").wait_for()
    one = "count => document.querySelectorAll('.board [role=gridcell]').length === count"
    page.wait_for_function(one, arg=len(seen))  # the board before has gone
    assert [label.partition(", can be picked up")[0] for label in board(page)] == seen


def test_a_game_is_continued_by_an_external_program(
    visit: Window, archive: Archive, tmp_path: Path
) -> None:
    page = visit(f"{archive.replay}?turn=11")
    on_turn(page, 11)
    page.get_by_role("button", name="Play on from here").click()
    seat = page.locator("fieldset", has_text="to move")
    seat.get_by_role("combobox").first.select_option("external")
    page.get_by_role("button", name="Play on from turn 11").click()
    command = page.locator(".waiting .copy code").first
    command.wait_for()
    create(tmp_path / "mybot", record_game(REPLAY))
    program, *words = shlex.split(command.inner_text())
    assert program == "python"
    with subprocess.Popen([sys.executable, *words], cwd=tmp_path / "mybot") as bot:
        try:
            wait_for_turn(page, 2)
        finally:
            bot.kill()


def test_the_best_move_is_drawn_and_its_line_played_on_the_board(
    visit: Window, archive: Archive
) -> None:
    page = visit(f"{archive.replay}?turn=9&analysis=yes")
    page.locator("[data-hint].hint.best").wait_for()
    page.locator(".hint.other").nth(1).wait_for()
    assert page.locator(".hint.other").count() == 2
    game = board(page)
    line = page.locator("section:has(#lines) ol li").first.get_by_role("button")
    assert page.locator(".hint.threat").count() == (line.count() > 1)
    line.first.click()
    page.get_by_role("button", name="Back to the game").wait_for()
    assert board(page) != game
    page.keyboard.press("Escape")
    page.locator("[data-hint].hint.best").wait_for()
    assert board(page) == game


def test_the_page_to_take_along_works_from_a_file(
    visit: Window, archive: Archive, browser: Any, tmp_path: Path
) -> None:
    page = visit(f"{archive.replay}?turn=5")
    on_turn(page, 5)
    page.get_by_role("button", name="Download").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Page that works offline").click()
    file = tmp_path / "game.html"
    download.value.save_as(file)
    asked: list[str] = []
    context = browser.new_context(offline=True, reduced_motion="reduce")
    alone = context.new_page()
    alone.on("request", lambda request: asked.append(request.url))
    alone.on("pageerror", lambda error: asked.append(str(error)))
    alone.goto(file.as_uri())
    on_turn(alone, 5)
    alone.keyboard.press("ArrowRight")
    on_turn(alone, 6)
    alone.keyboard.press("Home")
    on_turn(alone, 0)
    assert_usable_by_everybody(alone)
    context.close()
    assert asked == [file.as_uri()]


def test_every_game_of_a_report_opens_from_it_as_a_file(browser: Any, tmp_path: Path) -> None:
    words = ("--game", QUICK, "--games", "2", "--nodes", "1", "--store", "kept.db")
    said(tmp_path, "match", "greedy", "random", *words)
    said(tmp_path, "report", "kept.db")
    wrong: list[str] = []
    context = browser.new_context(offline=True, reduced_motion="reduce")
    page = context.new_page()
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("requestfailed", lambda request: wrong.append(request.url))
    page.goto((tmp_path / "kept.html").as_uri())
    page.get_by_role("link", name="match/1").click()
    on_turn(page, 0)
    page.keyboard.press("ArrowRight")
    on_turn(page, 1)
    assert wrong == []
    assert_usable_by_everybody(page)
    context.close()


# --------------------------------------------------------------------------------------- analysis


def test_an_analysis_draws_a_curve_and_names_the_mistakes(visit: Window, archive: Archive) -> None:
    page = visit(archive.replay)
    page.get_by_role("button", name="Analyse", exact=True).click()
    page.get_by_label("Time per turn").select_option("0.1")
    page.get_by_role("button", name="Stop").click()
    page.get_by_role("button", name="Analyse again").click()
    page.get_by_text("has looked at all turns").wait_for(timeout=180_000)
    points = page.locator("path.curve").get_attribute("d").count("L")
    assert TURNS // 2 < points <= TURNS  # who is kept from thinking at a turn draws none there
    assert page.locator("section:has(#lines) ol li").count() == 3
    page.locator(".mistakes button").first.click()
    page.locator(".moves :is(.blunder, .mistake, .inaccuracy)[aria-current]").wait_for()
    assert_usable_by_everybody(page)


# --------------------------------------------------------------------------------------- contests


def test_a_contest_shows_standings_bracket_and_every_game(visit: Window) -> None:
    page = visit("/contests", stranger=True)
    page.get_by_role("link", name="Example season").click()
    page.get_by_role("heading", name="Final Eight: bracket").wait_for()
    assert page.locator(".bracket .tie").count() == 8
    assert page.locator("section:has(#standings) tbody tr").count() == 8
    page.get_by_role("button", name="Group A").click()
    assert page.locator("section:has(#cross) tbody tr").count() == 6
    page.locator(".day details summary").first.click()
    games = page.locator(".day details[open] tbody tr")
    games.first.wait_for()
    assert games.count() == 2
    games.first.get_by_role("button", name="log").click()
    page.locator(".day pre").wait_for()
    games.first.get_by_role("link", name="replay").click()
    page.wait_for_url("**/games/contest/*")
    on_turn(page, 0)


def test_a_running_contest_is_followed(visit: Window, archive: Archive) -> None:
    """The games of the finished season are copied bit by bit into that of a new one."""
    season, running = archive.contests / "season.toml", archive.contests / "running.toml"
    running.write_text(season.read_text("utf-8"), "utf-8")
    with (
        closing(open_store(season.with_suffix(".db"))) as source,
        closing(open_store(running.with_suffix(".db"))) as target,
    ):
        kept = list(source.read("game"))
        target.append([*source.read("contest"), *kept[:10]])
        page = visit("/contests/running", stranger=True)
        page.get_by_text("10 games played").wait_for()
        page.get_by_text("live", exact=True).wait_for()
        target.append(kept[10:14])
        page.get_by_text("14 games played").wait_for()
    assert_usable_by_everybody(page)


def test_a_running_contest_of_twenty_teams_fills_a_projector(
    visit: Window, archive: Archive, tmp_path: Path
) -> None:
    """All of it is seen at once, in large letters, and the views take turns by themselves."""
    whole = seasons.league(tmp_path, 20)
    seasons.play(whole)
    running = seasons.league(archive.contests, 20, "hall.toml")
    with (
        closing(open_store(whole.with_suffix(".db"))) as source,
        closing(open_store(running.with_suffix(".db"))) as target,
    ):
        games = list(source.read("game"))
        target.append([*source.read("contest"), *games[:150]])
        hall = {"width": 1920, "height": 1080}
        page = visit("/contests/hall/projector?seconds=600", stranger=True, viewport=hall)
        page.get_by_text("150 games played").wait_for()
        assert page.locator("tbody tr").count() == 20
        assert smallest_letters(page) >= 24
        assert_all_in_sight(page)
        order = page.locator("tbody th").all_inner_texts()
        page.keyboard.press("ArrowRight")
        page.locator("[data-view=cross]").wait_for()
        assert page.locator("tbody th").all_inner_texts() == order
        assert smallest_letters(page) >= 18
        assert_all_in_sight(page)
        page.keyboard.press("ArrowRight")
        page.locator("[data-view=board] svg.board").wait_for()
        assert_all_in_sight(page)
        assert_usable_by_everybody(page)
        target.append(games[150:160])
        page.get_by_text("160 games played").wait_for()
    page.goto("/contests/hall/projector?seconds=3")
    for view in ("standings", "cross", "board", "standings"):
        page.locator(f"[data-view={view}]").wait_for()


def slow_contest(contests: Path, name: str) -> Path:
    """A contest of that name that takes its time."""
    (contests / "slow.py").write_text(SLOW, "utf-8")
    return seasons.league(contests, 2, f"{name}.toml", player="slow.py:Slow", games=60)


def test_a_running_game_of_a_contest_is_put_on_the_board(visit: Window, archive: Archive) -> None:
    with seasons.running(slow_contest(archive.contests, "live")):
        page = visit("/contests/live", stranger=True)
        page.locator("section:has(#stage) svg.board").wait_for()
        page.get_by_text("begins in").wait_for()
        assert page.get_by_text("Show game by game").count() == 0
        assert_usable_by_everybody(page)


@pytest.mark.deep
def test_two_halls_see_the_same_game_and_nobody_its_end_before(
    visit: Window, archive: Archive
) -> None:
    """By itself, and then started by a host."""
    hall = {"width": 1920, "height": 1080}
    with seasons.running(slow_contest(archive.contests, "halls")):
        path = "/contests/halls/projector"
        one, other = (visit(path, stranger=True, viewport=hall) for _ in range(2))
        for page in (one, other):
            page.evaluate(COLLECT)
        for page in (one, other):
            page.wait_for_function("() => Object.keys(window.seen).length > 5")
        shown, elsewhere = (page.evaluate("window.seen") for page in (one, other))
        common = shown.keys() & elsewhere.keys()
        assert len(common) > 2
        assert all(shown[turn] == elsewhere[turn] for turn in common)
        assert_all_in_sight(one)
        assert_usable_by_everybody(one)
        one.locator("[data-view=board] .won").wait_for(timeout=120_000)
        one.locator("[data-view=standings]").wait_for()
        host = visit("/contests/halls")
        host.get_by_text("Show game by game").click()
        host.get_by_role("button", name="Start games myself").click()
        first = host.locator("details.card li button").first
        first.wait_for(timeout=120_000)
        played = other.locator("h2").inner_text()
        first.click()
        other.locator("[data-view=board] .countdown").wait_for()
        host.get_by_role("button", name="Show the end").click(timeout=120_000)
        host.get_by_role("button", name="Show the end").click()
        other.locator("[data-view=board] .won").wait_for(timeout=120_000)
        assert other.locator("h2").inner_text() != played
        assert_usable_by_everybody(host)


def smallest_letters(page: Any) -> float:
    """Pixels of the smallest letters in the cells of a table."""
    sizes = "all => Math.min(...all.map((e) => parseFloat(getComputedStyle(e).fontSize)))"
    return float(page.locator("tbody :is(td, th)").evaluate_all(sizes))


def assert_all_in_sight(page: Any) -> None:
    """Nothing has to be scrolled."""
    hidden = """() => [...document.querySelectorAll('.view, .view *')].filter((e) =>
      ['auto', 'scroll'].includes(getComputedStyle(e).overflowY) &&
      (e.scrollHeight > e.clientHeight + 1 || e.scrollWidth > e.clientWidth + 1)).length"""
    assert page.evaluate(hidden) == 0


def test_the_contest_page_speaks_german_on_a_phone_in_the_dark(visit: Window) -> None:
    phone = {"width": 390, "height": 844}
    page = visit("/contests/season", locale="de-DE", color_scheme="dark", viewport=phone)
    page.get_by_role("heading", name="Final Eight: Turnierbaum").wait_for()
    page.get_by_role("button", name="Gruppe B").click()
    page.get_by_role("heading", name="Gruppe B: Tabelle").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= phone["width"]
    assert_usable_by_everybody(page)


def downloaded_games(page: Any) -> list[str]:
    """The names of the files in the archive of the games that a page lists."""
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download these games").click()
    with zipfile.ZipFile(waiting.value.path()) as files:
        return files.namelist()


def test_games_of_a_store_are_filtered_and_opened(visit: Window) -> None:
    page = visit("/replay", stranger=True)
    page.get_by_role("link", name="season.db").click()
    rows = page.locator("tbody tr")
    rows.first.wait_for()
    everything = rows.count()
    page.get_by_label("Player").select_option("Gull")
    page.wait_for_function(
        "all => document.querySelectorAll('tbody tr').length < all", arg=everything
    )
    assert all("Gull" in row for row in rows.all_inner_texts())
    assert len(downloaded_games(page)) == rows.count()
    assert_usable_by_everybody(page)
    rows.first.get_by_role("link").first.click()
    page.wait_for_url("**/games/store/*")
    on_turn(page, 0)


@pytest.mark.parametrize(
    ("locale", "labels", "crashed"),
    [
        pytest.param(*("en-GB", ("Fault", "Result", "Seat"), "crashed"), marks=pytest.mark.deep),
        ("de-DE", ("Fehler", "Ergebnis", "Platz"), "abgestürzt"),
    ],
)
def test_games_of_the_ladder_are_filtered_and_opened(
    visit: Window, archive: Archive, locale: str, labels: tuple[str, str, str], crashed: str
) -> None:
    fault, result, seat = labels
    version = archive.names["version"]
    page = visit(f"/ladder/version/{version}", locale=locale, stranger=True)
    games = page.locator("table").last.locator("tbody tr")
    games.first.wait_for()
    page.get_by_label(fault).select_option("crashed")
    page.wait_for_url("**?fault=crashed")
    page.get_by_label(seat).select_option("1")
    page.wait_for_url("**?seat=1&fault=crashed")
    page.wait_for_function(
        "word => [...[...document.querySelectorAll('table')].at(-1).querySelectorAll('tbody tr')]"
        ".every(row => row.innerText.includes(word))",
        arg=crashed,
    )
    assert_usable_by_everybody(page)
    page.get_by_label(result).select_option("won")
    page.get_by_label(fault).select_option("late")
    page.locator("main p[role=status]").wait_for()
    page.reload()  # what is wanted stands in the address
    page.locator("main p[role=status]").wait_for()
    for label in labels:
        page.get_by_label(label).select_option("")
    page.wait_for_url(f"**/ladder/version/{version}")
    page.locator("main p[role=status]").wait_for(state="detached")
    games.first.get_by_role("link").nth(-3).click()
    page.wait_for_url("**/games/ladder/*")
    on_turn(page, 0)


def test_games_of_a_contest_are_filtered_and_opened(visit: Window) -> None:
    page = visit("/contests/season", stranger=True)
    page.get_by_role("link", name="All games, with filters").click()
    rows = page.locator("tbody tr")
    rows.first.wait_for()
    page.get_by_label("Player").select_option("Gull")
    page.wait_for_url("**?player=Gull")
    page.get_by_label("Result").select_option("lost")
    page.wait_for_url("**?player=Gull&result=lost")
    page.wait_for_function(
        "() => [...document.querySelectorAll('tbody tr')]"
        ".every(row => /[2-9]\\. Gull/.test(row.innerText))"
    )
    assert len(downloaded_games(page)) == rows.count()
    rows.first.get_by_role("link").first.click()
    page.wait_for_url("**/games/contest/*")
    on_turn(page, 0)


def test_the_explorer_follows_what_was_played(visit: Window) -> None:
    page = visit("/replay", stranger=True)
    page.get_by_role("link", name="season.db").click()
    page.get_by_role("heading", name="season.db").wait_for()
    page.get_by_role("link", name="Explore what was played").click()
    page.get_by_text(re.compile(r"^(\d+) of \1 games read$")).wait_for()
    moves = page.locator("tbody tr")
    followed = moves.first.get_by_role("button").inner_text().split(" = ")[0]
    moves.first.get_by_role("button").click()
    page.locator("strong", has_text=followed).wait_for()
    page.get_by_role("button", name="Start").click()
    page.locator("strong", has_text="Start").wait_for()
    page.locator("main li a").first.click()
    page.wait_for_url("**/games/store/*")
    on_turn(page, 0)


# -------------------------------------------------------------------------------- what bots showed


def annotated(archive: Archive) -> str:
    """A contest of one game, with annotations of both seats; the path of that game's page."""
    season, shown = archive.contests / "season.toml", archive.contests / "shown.toml"
    shown.write_text(season.read_text("utf-8"), "utf-8")
    with (
        closing(open_store(season.with_suffix(".db"))) as source,
        closing(open_store(shown.with_suffix(".db"))) as target,
    ):
        first = next(each for each in source.read("game") if len(_moves(each)) >= 6)
        entry = from_text(first.data)
        said = {
            (seat, move): annotation(
                {"score": seat + move, "depth": 4},
                {(0, 1): "trap", (2, 2): 0.5},
                [((0, 0), (3, 3))],
                f"thought {move} of seat {seat}",
            )
            for seat in (0, 1)
            for move in (1, 2, 3)
        }
        told = to_text(entry.with_log("", entry.sandbox, said))
        target.append([*source.read("contest"), replace(first, data=told)])
        number = next(found for found, _ in target.news(0, "game"))
    return f"/games/contest/shown~{number}"


def _moves(entry: Entry) -> tuple[str, ...]:
    return from_text(entry.data).events.moves


def test_what_bots_showed_is_drawn_on_the_board_and_charted_for_the_organiser(
    visit: Window, archive: Archive
) -> None:
    path = annotated(archive)
    page = visit(path)
    on_turn(page, 0)
    page.get_by_text("thought 1 of seat 0").wait_for()
    page.locator("figure[data-value=score] circle").nth(5).wait_for()
    assert page.locator("[data-shown='0,1'] text").text_content() == "trap"
    assert page.locator("[data-shown=arrow]").count() == 1
    assert page.locator("figure[data-value=score] .value").count() == 2
    assert page.locator("figure[data-value=score] circle").count() == 6
    assert_usable_by_everybody(page)
    page.keyboard.press("ArrowRight")
    page.get_by_text("thought 1 of seat 1").wait_for()
    page.keyboard.press("End")
    page.locator("[data-shown]").first.wait_for(state="detached")
    stranger = visit(path, stranger=True)
    on_turn(stranger, 0)
    stranger.wait_for_load_state("networkidle")
    assert stranger.locator("[data-shown], [data-value]").count() == 0


# ------------------------------------------------------------------------------------------- why


def reviewed(page: Any, archive: Archive) -> tuple[str, dict[str, Any]]:
    """The first game of the season in which somebody made a mistake, and its costliest one."""
    with closing(open_store(archive.contests / "season.db")) as store:
        names = [f"contest/season~{number}" for number, _ in store.news(0, "game")]
    for name in names:
        review = page.request.get(f"/api/reviews/{name}").json()
        turns = {each["turn"]: each for each in review["turns"]}
        worst = [turns[turn] for turn in review["turning_points"]]
        if worst and worst[0]["grade"] in ("mistake", "blunder"):
            return f"/games/{name}", worst[0]
    raise AssertionError("nobody made a mistake in the whole season")


def test_why_shows_the_mistakes_and_one_is_tried_again(visit: Window, archive: Archive) -> None:
    page = visit("/contests/season")
    path, mistake = reviewed(page, archive)
    page.goto(path)
    page.get_by_role("button", name="Why?").click()
    why = page.locator("section.why")
    strokes = "all => all.map((line) => getComputedStyle(line).stroke)"
    why.locator(".chance").first.wait_for()
    assert "none" not in why.locator(".chance").evaluate_all(strokes)
    assert_usable_by_everybody(page)
    why.get_by_role("button", name="Try again").first.click()
    on_turn(page, mistake["turn"] - 1)
    assert why.get_by_text("Best is").count() == 0
    answers = {
        "nonsense": "nonsense",
        mistake["move"]: "There is a better move.",
        mistake["best"]: "Solved!",
    }
    for answer, verdict in answers.items():
        why.get_by_label("Your move").fill(answer)
        why.get_by_role("button", name="Check").click()
        why.get_by_text(verdict).wait_for()
    why.get_by_text("Best is").wait_for()
    assert_usable_by_everybody(page)
    german = visit(path, locale="de-DE", viewport={"width": 390, "height": 844})
    german.get_by_role("button", name="Warum?").click()
    german.get_by_role("button", name="Noch einmal versuchen").first.click()
    german.get_by_role("button", name="Lösung zeigen").click()
    german.get_by_text("Am besten ist").wait_for()
    assert german.evaluate("document.documentElement.scrollWidth") <= 390
