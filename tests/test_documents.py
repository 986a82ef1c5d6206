"""The table of the documents' statements names tests, facts and commands that exist."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from spielleiter import games
from spielleiter.cli import cli

ROOT = Path(__file__).parents[1]
GAMES = ROOT / "src" / "spielleiter" / "games"
PAGES = {"en": ROOT / "docs" / "documents.md", "de": ROOT / "docs" / "de" / "dokumente.md"}
ROW = re.compile(r"^\| (\d{3})-(\d+) \| (.+?) \| (.+?) \| (.*?) ?\|$", re.MULTILINE)
TEST = re.compile(r"`(\w+)/(test_\w+\.py)::(test_\w+)`")
SEVERAL = re.compile(r"(?<=`), (?=`)")
FACT = re.compile(r"`(\w+)/facts: (.+)`")
COMMAND = re.compile(r"`(spielleiter|make|git)(?: ([a-z-]+))?.*`")


@dataclass(frozen=True, slots=True)
class Row:
    """One statement and what shows it."""

    number: str
    statement: str
    shown_by: str
    decided: str

    def __str__(self) -> str:
        return self.number


@functools.cache
def rows(language: str) -> tuple[Row, ...]:
    found = ROW.findall(PAGES[language].read_text("utf-8"))
    return tuple(Row(f"{document}-{n}", *rest) for document, n, *rest in found)


def _tests(path: Path) -> set[str]:
    return set(re.findall(r"^(?:async )?def (test_\w+)", path.read_text("utf-8"), re.MULTILINE))


def _facts(game: str) -> set[str]:
    table = tomllib.loads((GAMES / game / "facts" / "positions.toml").read_text("utf-8"))
    return {position["name"] for position in table["position"]}


def _is_there(folder: str, file: str, name: str) -> bool:
    path = ROOT / "tests" / file if folder == "tests" else GAMES / folder / "tests" / file
    return path.exists() and name in _tests(path)


def _exists(shown_by: str) -> bool:
    if test := TEST.fullmatch(shown_by):
        return _is_there(*test.groups())
    if fact := FACT.fullmatch(shown_by):
        return fact[2] in _facts(fact[1])
    command = COMMAND.fullmatch(shown_by)
    return command is not None and _is_command(*command.groups())


def _is_command(program: str, word: str | None) -> bool:
    if program == "spielleiter":
        return word in cli.list_commands(click.Context(cli))
    if program == "make":
        return re.search(rf"^{word or 'build'}:", (ROOT / "Makefile").read_text(), re.M) is not None
    return program == "git"


def _absent_games() -> Iterator[str]:
    """Folders the page speaks of that were removed."""
    known = {games.load(name).folder.split(".")[-1] for name in games.names()}
    text = PAGES["en"].read_text("utf-8")
    yield from set(re.findall(r"`(\w+)/(?:facts|test_)", text)) - known - {"tests"}


@pytest.mark.parametrize("row", rows("en"), ids=str)
def test_what_shows_a_statement_exists(row: Row) -> None:
    if any(row.shown_by.startswith(f"`{game}/") for game in _absent_games()):
        pytest.skip("this game is not installed")
    if row.shown_by == "–":
        assert row.decided, "a statement that nothing shows needs a word"
    else:
        for shown_by in SEVERAL.split(row.shown_by):
            assert _exists(shown_by), shown_by


def test_every_document_is_numbered_without_gaps() -> None:
    numbers = [row.number.split("-") for row in rows("en")]
    for document in sorted({first for first, _ in numbers}):
        theirs = [int(n) for first, n in numbers if first == document]
        assert theirs == [*range(1, len(theirs) + 1)], document
    assert len(numbers) >= 284


def test_both_languages_have_the_same_rows() -> None:
    assert [(row.number, row.shown_by, bool(row.decided)) for row in rows("en")] == [
        (row.number, row.shown_by, bool(row.decided)) for row in rows("de")
    ]
