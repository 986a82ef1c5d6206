"""A report shows what was played, is well-formed and needs nothing from outside."""

from __future__ import annotations

import random
import re
from pathlib import Path
from xml.etree import ElementTree

from spielleiter.tournament.league import League, Mode
from spielleiter.tournament.pairing import Opening, Pairing, Result
from spielleiter.tournament.ratings import rate
from spielleiter.tournament.report import Meeting, crosstable, page, picture, rating_chart
from tests.contests import QUICK, said

SPACE = "{http://www.w3.org/2000/svg}"


def game(key: str, players: tuple[str, ...], ranks: tuple[int, ...]) -> Result:
    faults = (None,) * (len(players) - 1) + (("silent",) if key.endswith("!") else (None,))
    pairing = Pairing(key, players, Opening(0))
    return Result(pairing, ranks, ranks, faults, (0.5,) * len(players))


GAMES = [
    game("1", ("<Ann & co>", "Bob"), (1, 2)),
    game("2", ("Bob", "<Ann & co>"), (1, 1)),
    game("3", ("Bob", "Cy"), (2, 1)),
    game("4!", ("Bob", "Cy"), (1, 2)),
]


def test_a_crosstable_counts_every_meeting_from_both_sides() -> None:
    met = crosstable([*GAMES, game("5", ("Bob", "Cy", "<Ann & co>"), (1, 2, 3))])
    assert met["<Ann & co>", "Bob"] == Meeting(1, 1, 1)
    assert met["Bob", "<Ann & co>"] == Meeting(1, 1, 1)
    assert met["Cy", "Bob"] == Meeting(1, 0, 2)
    assert met["Cy", "<Ann & co>"].text == "1–0–0"


def test_a_page_is_well_formed_and_the_same_for_any_order_of_results() -> None:
    league = League("league", ("<Ann & co>", "Bob", "Cy"), Mode(1))
    text = page("Cup <1>", league.tables({}), GAMES)
    body = text.partition("<body>")[2].partition("</body>")[0]
    ElementTree.fromstring(f"<body>{body}</body>")
    assert "&lt;Ann &amp; co&gt;" in body
    assert "1 × silent" in body
    assert "(not finished)" in body
    assert not re.search(r"(src|href)=|<script", text)
    shuffled = GAMES.copy()
    random.Random(1).shuffle(shuffled)
    assert page("Cup <1>", league.tables({}), shuffled) == text


def test_a_chart_has_a_dot_and_an_interval_for_everybody_inside_the_picture() -> None:
    drawn = ElementTree.fromstring(rating_chart(rate(GAMES)))
    width = float(drawn.attrib["width"])
    dots = drawn.findall(f"{SPACE}circle")
    assert len(dots) == 3
    assert all(0 < float(dot.attrib["cx"]) < width for dot in dots)
    lines = drawn.findall(f"{SPACE}line")
    assert all(0 <= float(line.attrib[x]) <= width for line in lines for x in ("x1", "x2"))


def test_a_picture_has_all_that_the_page_has_inside_its_frame() -> None:
    league = League("league", ("<Ann & co>", "Bob", "Cy"), Mode(1))
    drawn = picture("Cup <1>", league.tables({}), GAMES)
    root = ElementTree.fromstring(drawn)
    texts = {text for each in root.iter(f"{SPACE}text") if (text := each.text)}
    titles = {"Cup <1>", "4 games", "league", "Ratings", "Crosstable", "Time", "Conduct"}
    assert titles | {"<Ann & co>", "1 × silent", "not finished", "1–1–0", "mean"} <= texts
    assert picture("Cup <1>", league.tables({}), GAMES[::-1]) == drawn
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    for group in root.findall(f"{SPACE}g"):
        left, top = map(float, group.attrib["transform"][10:-1].split())
        for word in group.findall(f"{SPACE}text"):
            at = float(word.get("x", "0")) + left, float(word.get("y", "0")) + top
            assert 0 <= at[0] <= width
            assert 0 <= at[1] <= height


def test_a_page_without_games_has_no_chart() -> None:
    assert "<svg" not in page("Empty", [], [])


def test_the_program_reports_on_matches_and_contests(tmp_path: Path) -> None:
    words = ("--game", QUICK, "--games", "4", "--nodes", "1", "--store", "kept.db")
    said(tmp_path, "match", "greedy", "random", *words)
    assert "wrote kept.html" in said(tmp_path, "report", "kept.db")
    text = (tmp_path / "kept.html").read_text("utf-8")
    assert "<h1>greedy – random</h1>" in text
    assert "average score" in text
    said(tmp_path, "report", "kept.db", "-o", "chart.svg", "--chart")
    ElementTree.parse(tmp_path / "chart.svg")
    said(tmp_path, "report", "kept.db", "-o", "all.png", "--scale", "1")
    assert (tmp_path / "all.png").read_bytes().startswith(b"\x89PNG")
    assert "as .html" in said(tmp_path, "report", "kept.db", "-o", "x.pdf", status=2)
    assert "no file" in said(tmp_path, "report", "nothing.db", status=2)
    said(tmp_path, "contest", "new", "mine.toml")
    assert "nothing has been played" in said(tmp_path, "report", "mine.toml", status=2)
    said(tmp_path, "contest", "run", "mine.toml")
    said(tmp_path, "report", "mine.toml")
    assert "Red" in (tmp_path / "mine.html").read_text("utf-8")
