"""Commands that a game's own folder brings: found by file name, gone with the folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from spielleiter import games
from spielleiter.cli import _modules, cli

COMMAND = """
import click

@click.command()
def command() -> None:
    \"\"\"Greet.\"\"\"
    click.echo("hello from a game")
"""


@pytest.fixture
def more_games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A second place for games."""
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(tmp_path)])
    _modules.cache_clear()
    yield tmp_path
    _modules.cache_clear()


def listed() -> list[str]:
    _modules.cache_clear()
    return cli.list_commands(None)  # type: ignore[arg-type]


def test_a_command_comes_and_goes_with_the_folder_of_its_game(more_games: Path) -> None:
    before = listed()
    folder = more_games / "newcomer" / "commands"
    folder.mkdir(parents=True)
    for package in (folder.parent, folder):
        (package / "__init__.py").write_text("", "utf-8")
    (folder / "newcomer_greets.py").write_text(COMMAND, "utf-8")
    (folder / "_inner.py").write_text("", "utf-8")
    assert sorted(set(listed()) - set(before)) == ["newcomer-greets"]
    result = CliRunner().invoke(cli, ["newcomer-greets"], catch_exceptions=False)
    assert result.output == "hello from a game\n"
    (folder / "newcomer_greets.py").unlink()
    assert listed() == before
