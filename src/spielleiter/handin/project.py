"""Creates and reads a bot's folder."""

from __future__ import annotations

import re
import tomllib
import zipfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.handin.kit import PYTHON, kit_files
from spielleiter.handin.target import HERE

START, SETTINGS = "start.sh", "pyproject.toml"
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*([-_][A-Za-z0-9]+)*")

_BOT = '''\
"""{name}: a player of {title}."""

from time import perf_counter

{imports}

CANDIDATES = 12
"""Moves that we look at closely: those that bring the most points at once."""
PLAYOUTS = 200
"""Random games for each move of ours: about a hundredth of a second."""
SHARE = 0.05
"""Of the time for a move, where random games take longer than that."""


class Player(Bot):
    name = "{name}"

    def begin(self, position, seat):
        """Once before the first move: which seat is ours."""
        self.seat = seat

    def choose(self, position, clock):
        """The move that does best in games that go on at random: yours to improve."""
        until = perf_counter() + SHARE * (clock.per_move or 1.0)
        after = {{move: position.after(move) for move in position.legal_moves()}}
        best = sorted(after, key=lambda move: after[move].scores()[self.seat], reverse=True)
        results = {{move: (0, 0.0) for move in best[:CANDIDATES]}}
        for seed in range(1 + PLAYOUTS // len(results)):
            for move, (wins, points) in results.items():
                if perf_counter() > until:
                    return max(results, key=results.get)
                played = after[move].playouts(1, seed)
                results[move] = wins + played.wins[self.seat], points + played.scores[self.seat]
        return max(results, key=results.get)


if __name__ == "__main__":
    {main}
'''
_XML = ("from spielleiter import Bot, run", "run(Player())")
_BINARY = (
    "from spielleiter import Bot, games\nfrom spielleiter.client.binary import run",
    'run(Player(), games.load("{game}"))',
)
_TESTS = '''\
"""What must be true of the bot before it is handed in."""

import time

from bot import Player
from spielleiter import Clock, bots, games

GAME = games.load("{game}")
CLOCK = Clock(per_move=1.8)


def play(seed, seat):
    """A whole game against players who move at random; the outcome, and our slowest move."""
    position, slowest = GAME.start(seed), 0.0
    players = [bots.load("random", seed=each) for each in range(position.seats)]
    players[seat] = Player()
    for each, player in enumerate(players):
        player.begin(position.copy(), each)
    while position.outcome() is None:
        mover, began = position.to_move(), time.perf_counter()
        move = players[mover].choose(position.copy(), CLOCK)
        if mover == seat:
            slowest = max(slowest, time.perf_counter() - began)
        assert position.why_illegal(move) is None
        position.play(move)
    return position.outcome(), slowest


def test_it_plays_by_the_rules_and_in_time_from_every_seat():
    for seat in range(GAME.start(1).seats):
        _, slowest = play(1, seat)
        assert slowest < CLOCK.per_move


def test_it_is_better_than_chance():
    games = [(seed, seat) for seed in range(3) for seat in range(GAME.start(seed).seats)]
    first = sum(play(seed, seat)[0].ranks[seat] == 1 for seed, seat in games)
    assert first > len(games) / GAME.start(0).seats
'''
_SCRIPT = """\
#!/bin/sh
# How the contest starts the bot; it adds host and port{code}, in any order.
here=$(cd "$(dirname "$0")" && pwd) || exit 1
if [ -d "$here/lib" ]; then  # packed: all it needs is here, whatever else this machine has
    PYTHONPATH="$here/lib" exec "${{PYTHON:-python3}}" -S -u "$here/{file}" "$@"
fi
exec "${{PYTHON:-python3}}" -u "$here/{file}" "$@"
"""
_SETTINGS = """\
[project]
name = "{name}"
version = "1"
requires-python = ">=3.11"
dependencies = ["spielleiter"]  # what else the bot imports; `spielleiter pack` puts it into the ZIP

[tool.spielleiter]
game = "{game}"
start = "start.sh"
for = "{target}"  # whose Python it is packed for; `spielleiter pack --for` says another
"""
_TESTING = """
[tool.pytest.ini_options]
pythonpath = ["."]
testpaths = ["tests"]
"""
_README = """\
# {name}

A player of {title}. All it thinks stands in `bot.py`.

| command | what it does |
|---|---|
| `spielleiter play {game} --seat bot.py --seat human` | play against it |
| `python -m pytest` | does it keep to the rules and the time? (`pip install pytest` first) |
| `spielleiter match bot.py greedy --game {game} --sprt 0,20` | is it stronger than `greedy`? |
| `spielleiter replay STORE GAME --turn 23 --bot bot.py` | ask it again in a position of a game |
| `spielleiter check .` | is it ready to be handed in? |
| `spielleiter pack .` | the ZIP for the contest, with `start.sh` as its main file |

`self.show(values={{"score": 3}}, text="…")` says what it thinks, beside the game; records of
matches keep it, and `replay` prints it.

The rules: `spielleiter rules {game}`.
"""


@dataclass(frozen=True, slots=True)
class Project:
    """The settings of a bot's folder."""

    folder: Path
    name: str
    game: str | None
    start: str
    dependencies: tuple[str, ...]
    target: str = HERE
    """Where it is handed in, as `spielleiter pack --for` has it."""


def is_binary(game: Game) -> bool:
    """Whether programs play this game on the course's binary protocol, not on the contest's XML."""
    return find_spec(f"{game.folder}.wire") is not None and not hasattr(game.part("wire"), "wire")


def create(folder: Path, game: Game, language: str = PYTHON) -> list[str]:
    """Create a working bot in a new folder; returns the names of its files."""
    if not _NAME.fullmatch(folder.name):
        raise UsageError(f"{folder.name!r} is no name for a bot: use letters, digits, - and _")
    if folder.exists():
        raise UsageError(f"{folder} exists already")
    files = _files(folder.name, game, language)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", newline="\n")
    (folder / START).chmod(0o755)
    return sorted(files)


def _files(name: str, game: Game, language: str) -> dict[str, str]:
    binary = is_binary(game)
    words = {"name": name, "game": game.name, "title": game.title}
    words["code"] = "" if binary else " and the code of its seat"
    words["target"] = HERE if binary else "software-challenge"
    script, settings = _SCRIPT, _SETTINGS.format(**words)
    if language != PYTHON:
        files = kit_files(name, game, language, binary)
        return {**files, START: script.format(**words, file="join.py"), SETTINGS: settings}
    files = _python_files(words, game)
    return {**files, START: script.format(**words, file="bot.py"), SETTINGS: settings + _TESTING}


def _python_files(words: dict[str, str], game: Game) -> dict[str, str]:
    binary = is_binary(game)
    imports, main = _BINARY if binary else _XML
    words = words | {"imports": imports, "main": main.format(game=game.name)}
    return {
        "bot.py": _BOT.format(**words),
        "tests/test_bot.py": _TESTS.replace("{game}", game.name),
        "README.md": _README.format(**words),
    }


def first_steps() -> str:
    """The commands to type after `create`, preceded by what must be installed."""
    steps = "python -m pytest, change bot.py"
    return steps if find_spec("pytest") else f"python -m pip install pytest, {steps}"


def game_of_zip(file: Path) -> str | None:
    """The edition that a packed project says it plays; None if it does not say."""
    try:
        with zipfile.ZipFile(file) as archive:
            data = tomllib.loads(archive.read(SETTINGS).decode("utf-8-sig"))
        game = data["tool"]["spielleiter"]["game"]
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError, NotImplementedError):
        return None
    return str(game)


def read(folder: Path) -> Project:
    """Read a bot's folder; without settings it is a start script and the files beside it."""
    if not folder.is_dir():
        raise UsageError(f"there is no folder {str(folder)!r}")
    path = folder / SETTINGS
    name = folder.resolve().name
    if not path.is_file():
        return Project(folder, name, None, START, ())
    try:
        data = tomllib.loads(path.read_text("utf-8-sig"))
        project, own = data.get("project", {}), data.get("tool", {}).get("spielleiter", {})
        needs = tuple(str(each) for each in project.get("dependencies", ()))
        game = own.get("game")
        known = None if game is None else games.load(str(game)).name
        return Project(
            folder,
            str(project.get("name", name)),
            known,
            own.get("start", START),
            needs,
            str(own.get("for", HERE)),
        )
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, AttributeError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
