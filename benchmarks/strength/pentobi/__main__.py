"""Pentobi as a program that is asked in lines, for `benchmarks.strength.rivals`.

    apt-get install pentobi qml6-module-qtqml g++
    python -m benchmarks.strength.pentobi.openings blokus-2021 --pairs 5 > openings.txt
    python -m benchmarks.strength.rivals blokus-2021 --openings openings.txt --pairs 5 \\
        --rival "python -m benchmarks.strength.pentobi --level 8" \\
        --nodes 370000 --options '{"table": 1024}'

One thread, no minimum time, no opening book (it never knew our openings).
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click

from benchmarks import HELP
from benchmarks.strength.pentobi.board import (
    Symmetry,
    field_names,
    fields_of,
    pieces,
    symmetry_for,
)
from spielleiter import games

HERE = Path(__file__).parent
MOVE = re.compile(r"[;\]]\s*([1-4])\[([a-t0-9,]+)\]")


class GameFile:
    """The game so far as Pentobi reads it: a position that was set up, and moves."""

    def __init__(self, position: Any) -> None:
        symmetry = symmetry_for(position)
        if symmetry is None:
            raise click.ClickException(
                "Pentobi may find no move here: the pieces lie in the corners of other colours; "
                "take positions from benchmarks.strength.pentobi.openings"
            )
        self._symmetry: Symmetry = symmetry
        self._setup = "".join(
            f"A{colour + 1}" + "".join(f"[{field_names(piece, self._symmetry)}]" for piece in own)
            for colour, own in pieces(position).items()
            if own
        )
        self._moves: list[str] = []

    def played(self, colour: int, move: Any) -> None:
        """A pass leaves no trace: who is on turn is said with every question."""
        if move.cells:
            self._moves.append(f";{colour + 1}[{field_names(move.cells, self._symmetry)}]")

    def text(self, colour: int) -> str:
        *before, last = [f";GM[Blokus Two-Player]{self._setup}", *self._moves]
        return f"({''.join(before)}{last}PL[{colour + 1}])"

    def move_in(self, answer: str, position: Any) -> str:
        """The move by which Pentobi continued the game."""
        _, fields = MOVE.findall(answer)[-1]
        wanted = fields_of(fields, self._symmetry)
        return next(
            str(move.text()) for move in position.legal_moves() if set(move.cells) == wanted
        )


class Pentobi:
    """The running program."""

    def __init__(self, level: int, seed: int | None) -> None:
        self._level = level
        self._folder = Path(tempfile.mkdtemp(prefix="pentobi-"))
        self._orders: queue.Queue[dict[str, Any]] = queue.Queue()
        self._answers: queue.Queue[str] = queue.Queue()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self._process = subprocess.Popen(
            [
                shutil.which("pentobi", path=f"{os.defpath}:/usr/games") or "pentobi",
                *("--threads", "1", "--nobook", "--nodelay"),
                *(() if seed is None else ("--seed", str(seed))),
                f"http://127.0.0.1:{self._server.server_port}/",
            ],
            env=self._environment(),
            stdout=sys.stderr,
        )
        self._answer()

    def _environment(self) -> dict[str, str]:
        library = self._folder / "load_page.so"
        subprocess.run(
            [
                "c++",
                "-shared",
                "-fPIC",
                "-O1",
                "-std=c++20",
                str(HERE / "load_page.cc"),
                "-o",
                str(library),
            ],
            check=True,
        )
        return {
            **os.environ,
            "LD_PRELOAD": str(library),
            "PENTOBI_PAGE": str(HERE / "player.qml"),
            "QT_QPA_PLATFORM": "offscreen",
            "QT_FORCE_STDERR_LOGGING": "1",
            "XDG_CONFIG_HOME": str(self._folder),
            "XDG_RUNTIME_DIR": str(self._folder),
        }

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        orders, answers = self._orders, self._answers

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                answers.put(self.rfile.read(int(self.headers["Content-Length"])).decode())
                body = json.dumps(orders.get()).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                """Nothing is logged."""

        return Handler

    def _answer(self) -> str:
        while True:
            with contextlib.suppress(queue.Empty):
                return self._answers.get(timeout=1)
            if self._process.poll() is not None:
                raise click.ClickException("Pentobi has ended")

    def move(self, game: GameFile, position: Any) -> str:
        asked, answered = self._folder / "game.blksgf", self._folder / "answer.blksgf"
        asked.write_text(game.text(position.ply % 4))
        self._orders.put({"game": str(asked), "answer": str(answered), "level": self._level})
        if (answer := self._answer()) == "pass":
            return "pass"
        if answer != "moved":
            raise click.ClickException(f"Pentobi does not understand the game: {answer}")
        return game.move_in(answered.read_text(), position)

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


def answers(pentobi: Pentobi) -> Iterator[str]:
    """The answers to what is asked on standard input (`rivals` says how)."""
    position: Any = None
    game: GameFile | None = None
    for line in sys.stdin:
        word, _, rest = line.strip().partition(" ")
        if word == "new":
            edition, _, text = rest.partition(" ")
            position = games.load(edition, "server").parse(text)
            game = GameFile(position)
            continue
        assert game is not None, "a game begins with new"
        if word == "play":
            game.played(position.ply % 4, position.move(rest))
            position.play(rest)
        elif word == "go":
            yield pentobi.move(game, position)


@click.command(context_settings=HELP)
@click.option("--level", type=click.IntRange(1, 9), default=7, show_default=True)
@click.option("--seed", type=int, help="Of its random numbers.")
def command(level: int, seed: int | None) -> None:
    """Answer to lines on standard input until it ends."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    pentobi = Pentobi(level, seed)
    try:
        for answer in answers(pentobi):
            print(answer, flush=True)
    finally:
        pentobi.close()


if __name__ == "__main__":
    command()
