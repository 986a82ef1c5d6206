"""The player's side of a Python bot in its own process: loads it and answers the referee.

The referee sends lines of JSON, the process answers each with one line. `make` comes first, then
`begin`, `choose` whenever it is this seat's turn, and `end`. If the bot raises, the answer is
`failed`, and the traceback goes to the bot's output. What the bot showed follows the answer to
`choose` in the same line, after a tab: JSON, one object for each call, with tabs between them.
"""

from __future__ import annotations

import contextlib
import functools
import json
import os
import random
import select
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from spielleiter import bots, games
from spielleiter.annotation import SEPARATOR, PackedListener
from spielleiter.errors import PeerError, SpielleiterError
from spielleiter.game import Authority, Bot, Clock, Game, Outcome, Position
from spielleiter.programs.profiling import CallProfiler

LINE = 3
"""The descriptor of the line to the referee in a process that was forked."""

_CHUNK = 1 << 16
_LONGEST = 1000
"""Longest text of a move or of an error."""

_WARM_UP_MOVES = 20
"""Moves of the game that is played before any player is there."""
_FIRST_MOVES = """
import random
from spielleiter import Bot

class Player(Bot):
    def choose(self, position, clock):
        return next(iter(position.legal_moves()))
"""

Answer = dict[str, Any]


def prepare(edition: str, authority: Authority) -> Callable[[Sequence[str]], None]:
    """Load what players of an edition need; returns the function to run in each process."""
    game = games.load(edition, authority)
    with contextlib.suppress(OSError):  # where no file can be written, each player does it itself
        _warm_up(game)
    return functools.partial(_play_forked, game)


def _warm_up(game: Game) -> None:
    """Play a game against nobody: what is imported, cached or specialised on the way is inherited.

    A forked player would copy every page that it changes thereby.
    """
    path = list(sys.path)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "warm_up.py")
        file.write_text(_FIRST_MOVES, "utf-8")
        asked = [json.dumps(each).encode() for each in _questions(game.start(0), str(file))]
        chunks = iter([*(line + b"\n" for line in asked), b""])
        PlayerProcess(game, lambda: next(chunks), lambda answer: None).run()
    sys.path[:] = path


def _questions(position: Position, text: str) -> Iterator[Answer]:
    """What a referee asks one seat, with the first legal moves of all."""
    yield {"make": text, "seed": 0, "profile": False}
    yield {"begin": position.text(), "seat": 0}
    clock = asdict(Clock(per_move=1.0))
    for _ in range(_WARM_UP_MOVES):
        moves = position.legal_moves()
        if position.outcome() is not None or not moves:
            break
        yield {"choose": position.text(), "clock": clock}
        position.play(next(iter(moves)))


def _play_forked(game: Game, words: Sequence[str]) -> None:
    random.seed()  # every copy of the process would draw the same numbers
    sys.argv[:] = words
    readable = select.poll()
    readable.register(LINE, select.POLLIN)

    def receive() -> bytes:
        readable.poll()  # who waits in `read` is woken up too when the referee takes an answer
        return os.read(LINE, _CHUNK)

    PlayerProcess(game, receive, _write).run()


def _write(answer: bytes) -> None:
    """Write to the line without a socket object: making one would touch many pages."""
    while answer:
        answer = answer[os.write(LINE, answer) :]


def main() -> None:
    """Without `fork`: connect to the referee and run a player."""
    host, port, token, edition, authority = sys.argv[1:6]
    line = socket.create_connection((host, int(port)))
    line.sendall(f"{token}\n".encode())
    chosen: Authority = "server" if authority == "server" else "document"
    with line:
        game = games.load(edition, chosen)
        PlayerProcess(game, lambda: line.recv(_CHUNK), line.sendall).run()


class PlayerProcess:
    """Answers the referee's requests."""

    def __init__(
        self, game: Game, receive: Callable[[], bytes], send: Callable[[bytes], None]
    ) -> None:
        """`receive` returns some of what the referee has sent, nothing at its end."""
        self._game, self._receive, self._send = game, receive, send
        self._bot: Bot | None = None
        self._shown = PackedListener()
        self._profiler: CallProfiler | None = None

    def run(self) -> None:
        """Answer until the referee closes the connection."""
        left = b""
        while chunk := self._receive():
            *lines, left = (left + chunk).split(b"\n")
            for line in lines:
                self._send(self.answer(line))

    def answer(self, line: bytes) -> bytes:
        """The line that answers a line of the referee."""
        question = json.loads(line)
        answer = json.dumps(self._answer(question)).encode()
        _flush()
        if self._shown.texts and "choose" in question:
            return answer + SEPARATOR + self._shown.taken() + b"\n"
        return answer + b"\n"

    def _answer(self, question: dict[str, Any]) -> Answer:
        try:
            return self._answered(question)
        except BaseException as problem:  # whatever a bot does, it is told as its own failure
            made = self._bot is not None
            if isinstance(problem, PeerError if made else SpielleiterError):
                print(f"Error: {problem}", file=sys.stderr)
            else:
                traceback.print_exc()
            return {"failed": type(problem).__name__, "because": str(problem)[:_LONGEST]}

    def _answered(self, question: dict[str, Any]) -> Answer:
        match question:
            case {"make": text, "seed": seed}:
                self._bot = made(text, seed)
                self._bot.listener = self._shown
                self._profiler = CallProfiler() if question.get("profile") else None
            case {"begin": position, "seat": seat}:
                self._player.begin(self._game.parse(position), seat)
            case {"choose": position, "clock": clock}:
                return {"move": self._chosen(self._game.parse(position), Clock(**clock))}
            case {"end": position, "ranks": ranks, "scores": scores, "reason": reason}:
                outcome = Outcome(tuple(ranks), tuple(scores), reason)
                self._player.end(self._game.parse(position), outcome)
            case {"graph": _} if self._profiler is not None:
                return {"graph": self._profiler.html()}
        return {}

    def _chosen(self, position: Position, clock: Clock) -> str:
        """The move as text; the referee judges invalid ones."""
        choose = self._player.choose
        profiler = self._profiler
        move = profiler.run(choose, position, clock) if profiler else choose(position, clock)
        if isinstance(move, str):
            return move[:_LONGEST]
        return str(move.text() if hasattr(move, "text") else repr(move))[:_LONGEST]

    @property
    def _player(self) -> Bot:
        assert self._bot is not None, "it was made before it was asked"
        return self._bot


def made(text: str, seed: int) -> Bot:
    """The player that a text names; files beside its own can be imported, as from a script."""
    if (file := bots.file_of(text)) is not None:
        sys.path.insert(0, os.path.dirname(os.path.abspath(file)))
    return bots.load(text, seed)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a bot may have put anything in their place
            stream.flush()


if __name__ == "__main__":
    main()
