"""A contest format is a module: adding one touches nothing else."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from spielleiter.text import ENGLISH, catalogue
from spielleiter.tournament import formats
from spielleiter.tournament.format import ContestFormat
from spielleiter.tournament.schedule import Schedule
from spielleiter.web.language import LANGUAGES
from tests.contests import QUICK
from tests.test_game_folders import FORGET_THE_INSTALLED_PACKAGE, ROOT, copy_package

PAGE = ROOT / "docs" / "contributor" / "add-a-contest-format.md"
NEWCOMER = '''
"""Duel: neighbours in the file meet, and nobody else."""

from dataclasses import dataclass

from spielleiter.tournament.encounters import Mode, encounter_standings, unplayed
from spielleiter.tournament.format import ContestFormat, FormatSettings
from spielleiter.tournament.phases import ContestPhase, day_of
from spielleiter.tournament.schedule import Schedule


@dataclass(frozen=True)
class Duels(Schedule):
    title: str
    teams: tuple
    mode: Mode

    def encounters(self):
        pairs = zip(self.teams[::2], self.teams[1::2])
        return [self.mode.encounter(f"{self.title}/{a} – {b}", (a, b)) for a, b in pairs]

    def waiting(self, played):
        for each in self.encounters():
            yield from unplayed(each, self.mode.games, played)

    def standings(self, played):
        met = self.encounters()
        return [encounter_standings(self.title, self.teams, met, self.mode, played)]

    def phases(self, played):
        day = day_of("duels", self.encounters(), self.mode.games, played)
        return [ContestPhase(self.title, self.standings(played)[0], (day,))]


class DuelSettings(FormatSettings):
    title: str = "duels"


FORMAT = ContestFormat(
    title="duels",
    settings=DuelSettings,
    schedule=lambda entrants, mode, settings: Duels(settings.title, entrants.names, mode),
    template='[format]\\ntitle = "duels of neighbours"\\n',
)
'''
CHANGE = f"""
import re
from pathlib import Path

file = Path("mine.toml")
text = file.read_text("utf-8")
assert 'title = "duels of neighbours"' in text
text = re.sub("^game = .*$", 'game = "{QUICK}"', text, flags=re.MULTILINE)
text = text.replace('time = "2s"', "nodes = 1").replace("games = 6", "games = 2")
file.write_text(text, "utf-8")
"""
LOOK = """
import json
from spielleiter.programs.contest_store import opened_if_begun
from spielleiter.web.contest_reader import Contests

view = Contests(opened_if_begun, [file]).find("mine").view()
print(json.dumps(view.model_dump(mode="json")))
"""
ALL = f"""
from spielleiter.cli import main

def run(*words):
    print("$", *words, flush=True)
    try:
        main([*words])
    except SystemExit as end:
        assert not end.code, end.code

run("contest", "new", "mine.toml", "--format", "two-by-two")
{CHANGE}
run("contest", "run", "mine.toml", "--concurrency", "1")
run("contest", "verify", "mine.toml")
run("report", "mine.toml")
print("$ look")
{LOOK}
"""
"""One command after the other, so that Python starts only once."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package as it is installed, with one more module in it."""
    folder = tmp_path_factory.mktemp("copy")
    copy_package(folder / "src" / "spielleiter")
    (folder / "src" / "sitecustomize.py").write_text(FORGET_THE_INSTALLED_PACKAGE)
    formats = folder / "src" / "spielleiter" / "tournament" / "formats"
    (formats / "two_by_two.py").write_text(NEWCOMER, "utf-8")
    return folder


def run(copy: Path, code: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(copy / "src"), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_a_new_format_is_one_module_with_its_template_its_report_and_its_page(copy: Path) -> None:
    _, _, played, verified, _, look = run(copy, ALL).split("$ ")
    assert "duels of neighbours" in played
    assert "4 games" in verified
    assert "duels of neighbours: crosstable" in (copy / "mine.html").read_text("utf-8")
    view = json.loads(look.removeprefix("look"))
    assert view["format_title"] == "duels"
    (day,) = view["phases"][0]["days"]
    assert day["title"] == "duels"
    assert [len(meeting["teams"]) for meeting in day["meetings"]] == [2, 2]
    assert view["finished"]


def listed(page: str, head: str) -> list[str]:
    """The names in the first column of the table with that head."""
    rows = page.partition(f"| {head} |")[2].partition("\n\n")[0].splitlines()[2:]
    return [row.split("|")[1].strip(" `") for row in rows]


def test_the_page_lists_every_field_of_a_format_and_every_question_of_a_schedule() -> None:
    page = PAGE.read_text("utf-8")
    fields = [each.name for each in dataclasses.fields(ContestFormat)]
    assert listed(page, "field") == fields
    assert sorted(listed(page, "method")) == sorted(Schedule.__abstractmethods__)


@pytest.mark.parametrize("name", formats.names())
def test_every_language_says_what_a_format_is_called(name: str) -> None:
    key = f"contest.format.{name}"
    assert catalogue("spielleiter", ENGLISH)[key] == formats.load(name).title
    assert all(key in catalogue("spielleiter", language) for language in LANGUAGES)
