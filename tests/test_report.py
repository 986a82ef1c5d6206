"""A report shows what was played, is well-formed and needs nothing from outside."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from spielleiter.tournament.charts import rating_chart
from spielleiter.tournament.crosstable import PairScore, crosstable
from spielleiter.tournament.encounters import Mode
from spielleiter.tournament.formats.league import League
from spielleiter.tournament.pairing import GameResult, Opening, Pairing
from spielleiter.tournament.ratings import rate
from spielleiter.tournament.report import ContestReport, Sheet, page
from spielleiter.tournament.report_picture import picture
from tests.contests import QUICK, said

SPACE = "{http://www.w3.org/2000/svg}"


def game(key: str, players: tuple[str, ...], ranks: tuple[int, ...]) -> GameResult:
    faults = (None,) * (len(players) - 1) + (("silent",) if key.endswith("!") else (None,))
    pairing = Pairing(key, players, Opening(0))
    return GameResult(pairing, ranks, ranks, faults, (0.5,) * len(players))


GAMES = [
    game("1", ("<Ann & co>", "Bob"), (1, 2)),
    game("2", ("Bob", "<Ann & co>"), (1, 1)),
    game("3", ("Bob", "Cy"), (2, 1)),
    game("4!", ("Bob", "Cy"), (1, 2)),
]


def test_a_crosstable_counts_every_meeting_from_both_sides() -> None:
    met = crosstable([*GAMES, game("5", ("Bob", "Cy", "<Ann & co>"), (1, 2, 3))])
    assert met["<Ann & co>", "Bob"] == PairScore(1, 1, 1)
    assert met["Bob", "<Ann & co>"] == PairScore(1, 1, 1)
    assert met["Cy", "Bob"] == PairScore(1, 0, 2)
    assert met["Cy", "<Ann & co>"].text == "1–0–0"


LEAGUE = League("league", ("<Ann & co>", "Bob", "Cy"), Mode(1, games=2))


def some_games() -> list[GameResult]:
    """All games of the league but one: Cy beats Bob, both beat Ann, who is silent once."""
    order = ("Cy", "Bob", "<Ann & co>")
    pairings = list(LEAGUE.waiting({}))[:-1]
    silent = next(pairing for pairing in pairings if order[2] in pairing.players)
    return [_game(pairing, order, silent) for pairing in pairings]


def _game(pairing: Pairing, order: tuple[str, ...], silent: Pairing) -> GameResult:
    best_first = sorted(pairing.players, key=order.index)
    ranks = tuple(1 + best_first.index(name) for name in pairing.players)
    gone = [pairing == silent and name == order[2] for name in pairing.players]
    faults = tuple("silent" if each else None for each in gone)
    return GameResult(pairing, ranks, (3, 3), faults, (0.5, 0.5))


def report(results: list[GameResult]) -> ContestReport:
    played = {each.pairing.key: each for each in results}
    phases = tuple(LEAGUE.phases(played))
    return ContestReport("Cup <1>", phases, tuple(results), ("unofficial contest",))


def test_a_page_is_well_formed_and_the_same_for_any_order_of_results() -> None:
    text = page(report(some_games()))
    body = text.partition("<body>")[2].partition("</body>")[0]
    ElementTree.fromstring(f"<body>{body}</body>")
    assert "<h1>Cup &lt;1&gt;</h1>" in body
    assert "&lt;Ann &amp; co&gt;" in body
    assert "1 × silent" in body
    assert "not finished; ranked by encounter points, then win points" in body
    assert "unofficial contest" in body
    assert not re.search(r"(src|href)=|<script", text)
    shuffled = some_games()
    random.Random(1).shuffle(shuffled)
    assert page(report(shuffled)) == text


def words(text: str, language: str) -> str:
    """What a reader sees of a page who chose a language."""
    shown = re.sub(r'<span lang="(\w+)">(.*?)</span>', lambda f: f[2] * (f[1] == language), text)
    return re.sub(r"<[^>]+>", " ", shown.partition("<h1>")[2])


def test_a_page_has_its_words_in_both_languages() -> None:
    text = page(report(some_games()))
    english, german = words(text, "en"), words(text, "de")
    assert "5 games" in english
    assert "5 Partien" in german
    assert "1 × keine Antwort" in german
    assert "geordnet nach: Begegnungspunkte, dann Siegpunkte" in german
    assert "33,3 %" in german
    assert "33.3%" in english
    assert "Liga: Kreuztabelle" in german
    ours = [
        "Conduct",
        "games",
        "team",
        "decided by",
        "win points",
        "not finished",
        "silent",
        "league",
    ]
    assert [word for word in ours if word in german] == []
    assert [word for word in ours if word not in english] == []
    assert 'id="lang-en" checked' in text
    assert 'id="lang-de" checked' in page(report(some_games()), language="de")


def test_standings_and_crosstable_of_a_phase_have_the_same_order() -> None:
    standings, crossed = list(report(some_games()).parts())[:2]
    assert isinstance(standings, Sheet)
    assert isinstance(crossed, Sheet)
    assert crossed.title == "league: crosstable"
    assert [row[1] for row in crossed.rows] == [row[1] for row in standings.rows]
    assert crossed.rows[0][1] == "Cy"


def test_a_chart_has_a_dot_and_an_interval_for_everybody_inside_the_picture() -> None:
    drawn = ElementTree.fromstring(rating_chart(rate(GAMES)))
    width = float(drawn.attrib["width"])
    dots = drawn.findall(f"{SPACE}circle")
    assert len(dots) == 3
    assert all(0 < float(dot.attrib["cx"]) < width for dot in dots)
    lines = drawn.findall(f"{SPACE}line")
    assert all(0 <= float(line.attrib[x]) <= width for line in lines for x in ("x1", "x2"))


def test_a_picture_has_all_that_the_page_has_inside_its_frame() -> None:
    drawn = picture(report(some_games()))
    root = ElementTree.fromstring(drawn)
    texts = {text for each in root.iter(f"{SPACE}text") if (text := each.text)}
    titles = {"Cup <1>", "5 games", "league", "league: crosstable", "Conduct"}
    titles |= {"Ratings (Elo relative to the mean, with the 95 % interval)"}
    titles |= {"Time (thought per game)"}
    assert titles | {"<Ann & co>", "1 × silent", "unofficial contest", "2–0–0", "0"} <= texts
    assert picture(report(some_games()[::-1])) == drawn
    width, height = (float(root.attrib[side]) for side in ("width", "height"))
    for group in root.findall(f"{SPACE}g"):
        left, top = map(float, group.attrib["transform"][10:-1].split())
        for word in group.findall(f"{SPACE}text"):
            at = float(word.get("x", "0")) + left, float(word.get("y", "0")) + top
            assert 0 <= at[0] <= width
            assert 0 <= at[1] <= height


def test_who_was_never_there_has_no_rating_but_stands_among_the_others() -> None:
    present = game("1", ("Ann", "Bob"), (1, 2))
    absent = replace(game("2", ("Ann", "Cy"), (1, 2)), absent=(False, True))
    assert [each.player for each in rate([present, absent])] == ["Ann", "Bob"]
    assert rate([present, absent]) == rate([present])
    of_three = replace(game("3", ("Cy", "Bob", "Ann"), (3, 1, 2)), absent=(True, False, False))
    assert [each.player for each in rate([of_three])] == ["Bob", "Ann"]
    text = page(ContestReport("Cup", (), (present, absent)))
    assert "Cy" in text.partition("Conduct</span>")[2]


def test_a_page_without_games_has_no_chart() -> None:
    assert "<svg" not in page(ContestReport("Empty", (), ()))


def test_the_program_reports_on_matches_and_contests(tmp_path: Path) -> None:
    words = ("--game", QUICK, "--games", "4", "--nodes", "1", "--store", "kept.db")
    said(tmp_path, "match", "greedy", "random", *words)
    assert "wrote kept.html" in said(tmp_path, "report", "kept.db")
    text = (tmp_path / "kept.html").read_text("utf-8")
    assert "<h1>greedy – random</h1>" in text
    assert "average score" in text
    links = re.findall(r'<a href="(kept-games/[^"]+\.html)">(match/\d)</a>', text)
    assert [key for _, key in links] == [f"match/{number}" for number in range(4)]
    assert all((tmp_path / file).is_file() for file, _ in links)
    assert len(set(links)) == 4
    made = {file: (tmp_path / file).stat().st_mtime_ns for file, _ in links}
    said(tmp_path, "report", "kept.db")
    assert {file: (tmp_path / file).stat().st_mtime_ns for file, _ in links} == made
    said(tmp_path, "report", "kept.db", "-o", "alone.html", "--no-games")
    assert "<a " not in (tmp_path / "alone.html").read_text("utf-8")
    assert not (tmp_path / "alone-games").exists()
    said(tmp_path, "report", "kept.db", "-o", "de.html", "--lang", "de")
    german = (tmp_path / "de.html").read_text("utf-8")
    assert '<html lang="de">' in german
    linked = re.findall(r'<a href="(de-games/[^"]+\.html)">', german)
    assert '<html lang="de"' in (tmp_path / linked[0]).read_text("utf-8")
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
    text = (tmp_path / "mine.html").read_text("utf-8")
    assert "Red" in text
    assert text.count('<a href="mine-games/') == len(list((tmp_path / "mine-games").glob("*.html")))
