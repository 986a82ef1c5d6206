"""Whatever the documents show runs: `>>>` examples, and `$ spielleiter …` in console blocks.

A page is one session in a folder of its own. A Python block that begins with the comment
`# name.py` is a file of that folder. Pages about a game that is not installed are skipped.
"""

from __future__ import annotations

import doctest
import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from spielleiter import games
from spielleiter.cli import cli
from tests.contests import ran

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page
    for page in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/**/*.md"))
    if "_build" not in page.parts
)
NATIVE_PAGES = {
    ROOT / "docs/author/tutorial.md",  # tens of thousands of random games: hours in plain Python
    ROOT / "docs/researcher/index.md",  # the same
    ROOT / "docs/researcher/networks.md",  # the networks of the native engines
}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(
    r"""games\.load\(["']([a-z0-9-]+)|(?:spielleiter (?:play|perft|rules)|--game) ([a-z0-9-]+)"""
)
FOLDERS = {games.load(name).folder.split(".")[-1] for name in games.names()}


@dataclass(frozen=True, slots=True)
class Command:
    """A command line and what it prints."""

    words: list[str]
    prints: str


def blocks(page: Path, *languages: str) -> Iterator[str]:
    for language, text in FENCE.findall(page.read_text("utf-8")):
        if language in languages:
            yield text


def played(pages: Iterable[Path]) -> list[Any]:
    """The pages; make test-plain leaves some out."""
    return [
        pytest.param(page, marks=[pytest.mark.native] if page in NATIVE_PAGES else [])
        for page in pages
    ]


def examples(page: Path) -> list[doctest.Example]:
    """All `>>>` of a page, as one session."""
    sessions = [text for text in blocks(page, "python", "pycon") if ">>>" in text]
    return doctest.DocTestParser().get_examples("\n".join(sessions), page.name)


def commands(page: Path) -> Iterator[Command]:
    """Every `$ spielleiter …` of a page, with the lines below it."""
    for text in blocks(page, "console"):
        for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
            line, _, prints = part.partition("\n")
            words = shlex.split(line)
            if words[0] == "spielleiter":
                yield Command(words[1:], prints)


def missing_games(page: Path) -> set[str]:
    """Game folders a page speaks of that are not there; an edition is named after its folder."""
    named = {first or second for first, second in NAMED.findall(page.read_text("utf-8"))}
    return {name for name in named if name.split("-")[0] not in FOLDERS} - set(games.names())


def write_files(page: Path, folder: Path) -> None:
    for text in blocks(page, "python"):
        if name := re.match(r"# (\w+\.py)\n", text):
            (folder / name[1]).write_text(text, "utf-8")


@pytest.fixture
def room(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder a page's session takes place in."""
    if absent := missing_games(page):
        pytest.skip(f"not installed: {', '.join(sorted(absent))}")
    write_files(page, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def relative(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", played(page for page in PAGES if examples(page)), ids=relative)
def test_every_example_prints_what_is_shown(page: Path, room: Path) -> None:
    session = doctest.DocTest(examples(page), {}, page.name, str(page), 0, None)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    assert runner.run(session, out=said.append).failed == 0, "".join(said)


@pytest.mark.parametrize("page", played(page for page in PAGES if [*commands(page)]), ids=relative)
def test_every_command_prints_what_is_shown(page: Path, room: Path) -> None:
    for command in commands(page):
        result = ran(room, *command.words)
        assert result.returncode == 0, (command, result.stderr)
        shown = doctest.OutputChecker().check_output(
            command.prints, result.stdout, doctest.ELLIPSIS
        )
        assert shown or not command.prints, (command, result.stdout)


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_to_files_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text("utf-8")):
        if not re.match(r"[a-z]+:", target):
            assert (page.parent / target).exists(), target


SPOKEN = re.compile(r"(?:^ *|`)spielleiter ([^`\n]+)", re.MULTILINE)


def spoken(page: Path) -> set[str]:
    """Every command line that a page mentions, in a block or in a sentence."""
    return {line.split(" #")[0].strip() for line in SPOKEN.findall(page.read_text("utf-8"))}


def named(words: list[str]) -> tuple[click.Command, list[str]] | None:
    """The command that words name and the words behind it; None if they name none."""
    command: click.Command = cli
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            return None
        command, words = found, words[1:]
    return command, words


@pytest.mark.parametrize("page", [page for page in PAGES if spoken(page)], ids=relative)
def test_every_command_and_option_that_a_page_mentions_exists(page: Path) -> None:
    if missing_games(page):
        pytest.skip("about a game that is not installed")
    for line in spoken(page):
        if not re.match(r"[a-z]", line):
            continue  # `spielleiter COMMAND …`
        found = named(line.split())
        assert found is not None, f"{line}: no such command"
        command, words = found
        known = {name for each in command.params for name in (*each.opts, *each.secondary_opts)}
        options = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
        assert options <= known | {"--help", "--version"}, line
