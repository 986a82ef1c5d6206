"""What tests of matches and contests share: a quick game, bots that misbehave, the program."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from contextlib import chdir, closing, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import pytest

from spielleiter import games, native
from spielleiter.cli import main
from tests import forked

SOURCE = Path(__file__).parents[1] / "src"


def _length(name: str) -> float:
    """Plies of a game by chance; in plain Python moves of a start, whose lists take the time."""
    game = games.load(name)
    if native.is_plain(game.native):
        return float(len(game.start(1).legal_moves()))
    found = game.start(1).playouts(5, 1)
    return float(found.plies / found.games)


QUICK = min((name for name in games.names() if games.load(name).start(1).seats == 2), key=_length)
"""The edition for two whose games are shortest."""


def _speaks(name: str) -> bool:
    try:
        return games.load(name).part("wire").wire is not None
    except (ImportError, AttributeError):
        return False


SPOKEN = min(filter(_speaks, games.names()), key=_length)
"""The edition with a contest protocol whose games are shortest."""

PROGRAM = """
import sys
from spielleiter import run
import bots
run(getattr(bots, sys.argv.pop(1))())
"""

BOTS = """
import os, sys, time
from spielleiter import Bot

class Fine(Bot):
    name = "fine"
    moves = 0
    def choose(self, position, clock):
        self.moves += 1
        return self.answer(position) if self.moves == 3 else position.legal_moves()[0]
    def answer(self, position):
        return position.legal_moves()[0]

class Raises(Fine):
    def answer(self, position):
        raise ValueError("no idea")

class Dies(Fine):
    def answer(self, position):
        os._exit(3)

class Hangs(Fine):
    def answer(self, position):
        while True:
            pass

class Sleeps(Fine):
    def answer(self, position):
        time.sleep(1.2)
        return super().answer(position)

class Babbles(Fine):
    def answer(self, position):
        return {"what": "ever"}

class Cheats(Fine):
    def answer(self, position):
        legal = set(position.legal_moves())
        ahead = position.copy()
        for _ in range(40):
            ahead.play(ahead.legal_moves()[-1])
            for move in ahead.legal_moves():
                if move not in legal:
                    return move
        raise AssertionError("every move is legal")

class Writes(Fine):
    def answer(self, position):
        return super().answer(position).text()

class Floods(Fine):
    def answer(self, position):
        sys.stdout.write("x" * 1_000_000)
        sys.stdout.flush()
        print("that was a lot", file=sys.stderr)
        return super().answer(position)

class Lingers(Fine):
    def end(self, position, outcome):
        while True:
            pass

class Leaves(Fine):
    def answer(self, position):
        sys.exit("I am off")

class Unborn(Fine):
    def begin(self, position, seat):
        raise RuntimeError("not today")
"""


def program(*words: str) -> list[str]:
    """The command line of the program."""
    return [sys.executable, "-m", "spielleiter", *words]


def environment() -> dict[str, str]:
    """The program runs from the source tree."""
    return {**os.environ, "PYTHONPATH": str(SOURCE), "PYTHONIOENCODING": "utf-8"}


def start(folder: Path, *words: str) -> subprocess.Popen[str]:
    """The program, running in a folder."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        program(*words),
        cwd=folder,
        env=environment(),
        stdout=pipe,
        stderr=pipe,
        text=True,
        encoding="utf-8",
    )


_PLAYS_NOTHING = {
    *("report", "logs", "records", "store", "new", "verify", "table", "status"),
    *("annul", "decide", "withdraw", "enter", "rulings"),
}


def ran(folder: Path, *words: str, patience: float = 300.0) -> subprocess.CompletedProcess[str]:
    """The program, run to its end in a folder."""
    if forked.fits(environment()):
        return forked.run(words, folder, environment(), patience)
    process = start(folder, *words)
    out, err = process.communicate(timeout=patience)
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def said(folder: Path, *words: str, status: int = 0, patience: float = 300.0) -> str:
    """What the program prints in a folder, errors included.

    A command that plays nothing runs in this process: a new one takes a second to import.
    """
    if words[words[0] == "contest"] in _PLAYS_NOTHING:
        return _said_here(folder, words, status)
    done = ran(folder, *words, patience=patience)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


def _said_here(folder: Path, words: tuple[str, ...], status: int) -> str:
    out, err = StringIO(), StringIO()
    with (
        pytest.raises(SystemExit) as end,
        chdir(folder),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        main(list(words))
    text = out.getvalue() + err.getvalue()
    assert (end.value.code or 0) == status, text
    return text


def kept(path: Path, like: str = "%") -> int:
    """How many entries a store in a file holds by now, whose keys are like a pattern."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as raw:
        try:
            found = raw.execute("select count(*) from event where key like ?", (like,))
            return int(found.fetchone()[0])
        except sqlite3.OperationalError:  # the table is about to be made
            return 0
