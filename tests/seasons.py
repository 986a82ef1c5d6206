"""The example season, played quickly: what tests of contests in the arena look at."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from spielleiter import native
from tests.contests import QUICK, said, start

EXAMPLE = Path(__file__).parents[1] / "examples" / "season.toml"

NODES = 4 if native.wanted()[0] == native.PLAIN else 40
"""The engines of the plain build think in Python."""


def season(folder: Path, name: str = "season.toml") -> Path:
    """A contest file that has not begun: few games, little thought."""
    text = EXAMPLE.read_text("utf-8")
    text = re.sub(r"^games = \d+", "games = 2\nunofficial = true", text, flags=re.MULTILINE)
    text = re.sub(r"^nodes = \d+", f"nodes = {NODES}", text, flags=re.MULTILINE)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def play(path: Path) -> None:
    """Play all of it."""
    said(path.parent, "contest", "run", path.name)


def league(
    folder: Path,
    teams: int,
    name: str = "league.toml",
    *,
    player: str = "random",
    nodes: int = 1,
    games: int = 2,
) -> Path:
    """A contest file of so many teams, everybody against everybody, that has not begun."""
    folder.mkdir(parents=True, exist_ok=True)
    head = f'[contest]\nname = "School league"\ngame = "{QUICK}"\nformat = "league"\nseed = 1\n'
    text = f"{head}games = {games}\nunofficial = true\n[limits]\nnodes = {nodes}\n"
    for number in range(teams):
        text += f'[[team]]\nname = "Gymnasium Nummer {number + 1}"\nplayer = "{player}"\n'
    path = folder / name
    path.write_text(text, "utf-8")
    return path


@contextmanager
def running(path: Path) -> Iterator[None]:
    """The contest is being played, one game at a time, by a process that is killed in the end."""
    process = start(path.parent, "contest", "run", path.name, "--skip-check", "--concurrency", "1")
    try:
        yield
    finally:
        process.kill()
        process.communicate()
