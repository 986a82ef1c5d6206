"""An engine is a module: adding one to `bots/` touches nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from spielleiter import bots, games
from spielleiter.service.service import OFFERS
from tests.contests import QUICK
from tests.test_game_folders import FORGET_THE_INSTALLED_PACKAGE, ROOT, copy_package
from tests.walks import near_the_end

PAGE = ROOT / "docs" / "contributor" / "add-an-engine.md"
NEWCOMER = PAGE.read_text("utf-8").partition("```python\n")[2].partition("```")[0]
"""The example of the page: a player called `cautious`."""
LATE = near_the_end(games.load(QUICK), 8)
LOOK = f"""
from click import Context
from spielleiter import bots
from spielleiter.cli import main
from spielleiter.cli._options import PlayerName
from spielleiter.cli.play import command
from spielleiter.service.service import OFFERS, plays

print("named", "cautious" in bots.names(), bots.levels("cautious"))
print("offered", "cautious" in OFFERS, "cautious" in plays({QUICK!r}))
items = PlayerName().shell_complete(Context(command), None, "ca")
print("completed", [item.value for item in items])
def run(*words):
    try:
        main([*words])
    except SystemExit as end:
        print("status", end.code)
seats = ("--seat", "cautious", "--seat", "random")
run("play", {QUICK!r}, *seats, "--position", {LATE!r}, "--seed", "1", "--quiet")
words = ("--game", {QUICK!r}, "--games", "2", "--nodes", "1", "--concurrency", "1")
run("match", "cautious:depth=0", "random", *words)
"""


def test_a_new_engine_is_one_module_and_is_found_everywhere(tmp_path: Path) -> None:
    copy_package(tmp_path / "src" / "spielleiter")
    (tmp_path / "src" / "sitecustomize.py").write_text(FORGET_THE_INSTALLED_PACKAGE)
    (tmp_path / "src" / "spielleiter" / "bots" / "cautious.py").write_text(NEWCOMER, "utf-8")
    done = subprocess.run(
        [sys.executable, "-c", LOOK],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "src"), "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "named True ()" in done.stdout
    assert "offered True True" in done.stdout
    assert "completed ['cautious']" in done.stdout
    assert "(cautious)" in done.stdout
    assert "cautious:depth=0" in done.stdout
    assert done.stdout.count("status 0") == 2, done.stdout + done.stderr


def test_the_arena_offers_every_built_in_player() -> None:
    assert set(OFFERS) == set(bots.names())
    assert next(iter(OFFERS)) == "random"
    assert [*OFFERS][-1] == "best"


@pytest.mark.parametrize("name", bots.names())
def test_a_player_takes_the_levels_that_it_is_said_to_have(name: str) -> None:
    for level in bots.levels(name):
        assert bots.load(f"{name}:level={level}").name == name
