"""Kits in other languages: each is built, passes its own test and plays."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from spielleiter import bots, games
from spielleiter.errors import UsageError
from spielleiter.game import Clock
from spielleiter.handin import package, project
from spielleiter.handin.kit import LANGUAGES
from spielleiter.programs.players import Players
from spielleiter.programs.settings import Isolation, Setting
from spielleiter.sandbox import Level, probe
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.time_control import TimeControl
from tests.contests import SPOKEN, said
from tests.system import missing

FOLDERS = {games.load(name).folder: name for name in games.names()}
TOOLS = {"java": "javac", "cpp": "g++", "rust": "rustc", "javascript": "node"}
ROTA = [(language, list(FOLDERS.values())[at % len(FOLDERS)]) for at, language in enumerate(TOOLS)]
"""Every language once, and every game."""
ALL = [(language, edition) for language in TOOLS for edition in games.names()]


def made(folder: Path, language: str, edition: str) -> Path:
    """A kit that was built and has passed its own test."""
    tool = TOOLS[language]
    if shutil.which(tool) is None:
        if language == "rust":
            pytest.skip("there is no rustc here")
        missing(f"there is no {tool} here")
    project.create(folder, games.load(edition), language)
    kind = LANGUAGES[language]
    if kind.build:
        subprocess.run(shlex.split(kind.build), cwd=folder, check=True)
    words = [*(word.replace("{here}", str(folder)) for word in kind.words), "--test"]
    done = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True)
    assert done.stdout == "all tests passed\n"
    return folder


def command(folder: Path, language: str) -> str:
    """How a match names the bot of a kit."""
    words = [word.replace("{here}", str(folder)) for word in LANGUAGES[language].words]
    return f"ugi:{shlex.join(words)}"


def plays(text: str, edition: str) -> None:
    """A whole game against random moves, in which the bot loses nothing by its own fault."""
    position, bot, other = games.load(edition).start(3), bots.load(text), bots.load("random")
    bot.begin(position.copy(), 0)
    while (outcome := position.outcome()) is None:
        mover = bot if position.to_move() == 0 else other
        position.play(mover.choose(position.copy(), Clock(per_move=30.0)))
    bot.end(position, outcome)


def test_every_game_has_a_kit_in_every_language() -> None:
    assert set(TOOLS) == set(LANGUAGES)
    assert {edition for _, edition in ROTA} == set(FOLDERS.values())


@pytest.mark.parametrize(("language", "edition"), ROTA)
def test_a_kit_is_built_passes_its_test_and_plays(
    language: str, edition: str, tmp_path: Path
) -> None:
    plays(command(made(tmp_path / "my-bot", language, edition), language), edition)


@pytest.mark.deep
@pytest.mark.parametrize(("language", "edition"), ALL)
def test_every_kit_is_built_passes_its_test_and_plays(
    language: str, edition: str, tmp_path: Path
) -> None:
    plays(command(made(tmp_path / "my-bot", language, edition), language), edition)


@pytest.mark.deep
@pytest.mark.parametrize("edition", games.names())
def test_a_kit_plays_every_edition(edition: str, tmp_path: Path) -> None:
    plays(command(made(tmp_path / "my-bot", "javascript", edition), "javascript"), edition)


def test_a_kit_is_held_in_the_sandbox(tmp_path: Path) -> None:
    text = command(made(tmp_path / "my-bot", "javascript", SPOKEN), "javascript")
    players: dict[str, str | None] = {"A": text, "B": "random"}
    setting, limits = Setting(probe().box(probe().best)), TimeControl(per_move=30.0)
    place = Players(SPOKEN, "document", players, limits, setting).separate()
    record = place.play(Pairing("match/0", ("A", "B"), Opening(5)))
    place.close()
    assert not any(record.failures), record.log


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_a_packed_kit_plays_on_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Our client speaks the server's protocol and asks the bot in lines."""
    monkeypatch.setenv("PYTHON", sys.executable)  # it is packed for this one
    own = project.read(made(tmp_path / "my-bot", "javascript", SPOKEN))
    packed = package.pack(own, tmp_path / "bot.zip")
    players: dict[str, str | None] = {"A": str(packed.file), "B": "random"}
    setting, limits = Setting(probe().box(Level.NONE)), TimeControl(per_move=30.0)
    made_ = Players(SPOKEN, "document", players, limits, setting)
    assert made_.isolation is Isolation.SERVED
    record = made_().play(Pairing("match/0", ("A", "B"), Opening(5)))
    assert not any(record.failures), record.log


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_a_kit_is_started_from_its_folder_without_packing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its start script finds the Python that has Spielleiter, whatever `python3` is elsewhere."""
    monkeypatch.delenv("PYTHON", raising=False)
    monkeypatch.setenv("PATH", os.pathsep.join(["/usr/bin", "/bin"]))
    project.create(tmp_path / "my-bot", games.load(SPOKEN))
    players: dict[str, str | None] = {"A": str(tmp_path / "my-bot" / "start.sh"), "B": "random"}
    setting, limits = Setting(probe().box(probe().best)), TimeControl(per_move=30.0)
    record = Players(SPOKEN, "document", players, limits, setting)().play(
        Pairing("match/0", ("A", "B"), Opening(5))
    )
    assert not any(record.failures), record.log


@pytest.mark.skipif(os.name != "posix", reason="rights to execute a file")
def test_what_was_built_can_be_started_after_packing(tmp_path: Path) -> None:
    project.create(tmp_path / "my-bot", games.load(SPOKEN), "cpp")
    (tmp_path / "my-bot" / "bot").write_text("#!/bin/sh\n")
    (tmp_path / "my-bot" / "bot").chmod(0o755)
    packed = package.pack(project.read(tmp_path / "my-bot"), tmp_path / "bot.zip")
    with zipfile.ZipFile(packed.file) as archive:
        assert archive.getinfo("bot").external_attr >> 16 == 0o100755
        assert archive.getinfo("bot.cpp").external_attr >> 16 == 0o100644


def test_new_says_the_first_steps_in_each_language(tmp_path: Path) -> None:
    text = said(tmp_path, "new", "my-bot", "--game", SPOKEN, "--language", "java")
    assert "javac Bot.java" in text
    assert "Bot --test" in text
    assert "'kotlin' is not one of" in said(
        tmp_path, "new", "other", "--game", SPOKEN, "--language", "kotlin", status=2
    )
    with pytest.raises(UsageError, match="did you mean 'java'"):
        project.create(tmp_path / "third", games.load(SPOKEN), "jav")
