"""`spielleiter join` takes built-in players, and everything in which pupils keep their own."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from spielleiter.cli._joining import main_of
from spielleiter.cli.join import command
from spielleiter.errors import UsageError

SCRIPT = '#!/bin/sh\necho "$@" > "$RESULT"\n'


def test_the_help_says_that_a_bot_may_be_a_file_a_folder_or_a_zip() -> None:
    said = CliRunner().invoke(command, ["--help"]).output
    for word in ("Python file", "folder", "ZIP"):
        assert word in " ".join(said.split())


def test_a_folder_means_its_bot_or_what_a_contest_would_start_of_it(tmp_path: Path) -> None:
    (tmp_path / "start.sh").write_text(SCRIPT)
    assert main_of(str(tmp_path)) == str(tmp_path / "start.sh")
    (tmp_path / "bot.py").write_text("")
    assert main_of(str(tmp_path)) == str(tmp_path / "bot.py")
    assert main_of("random") == "random"


def test_a_folder_without_anything_to_start_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name what is to be started"):
        main_of(str(tmp_path))


@pytest.mark.skipif(os.name != "posix", reason="a start script of Unix")
@pytest.mark.parametrize("packed", [False, True], ids=["folder", "ZIP"])
def test_a_program_is_started_with_the_options_of_the_contest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, packed: bool
) -> None:
    folder, result = tmp_path / "bot", tmp_path / "result"
    folder.mkdir()
    (folder / "start.sh").write_text(SCRIPT)
    (folder / "start.sh").chmod(0o755)
    monkeypatch.setenv("RESULT", str(result))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    bot = str(folder)
    if packed:
        bot = str(tmp_path / "bot.zip")
        with zipfile.ZipFile(bot, "w") as archive:
            archive.write(folder / "start.sh", "start.sh")
    words = ["any", "--bot", bot, "-h", "localhost", "-p", "13"]
    assert CliRunner().invoke(command, [*words, "-r", "code"]).exit_code == 0
    assert result.read_text().split() == [
        *("--host", "localhost", "--port", "13", "--reservation", "code")
    ]
    CliRunner().invoke(command, words)
    assert result.read_text().split() == ["--host", "localhost", "--port", "13"]
