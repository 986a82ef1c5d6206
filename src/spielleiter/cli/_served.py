"""Games between programs: a server on loopback, started in the worker that plays them.

A program is a command with `{host}`, `{port}` and `{reservation}` in it, a `.jar`, or a start
script; it is started for each game and ended after it. Players of our own that meet a program
are programs too (`spielleiter join`), so that nobody has an advantage and nobody can hang us.
"""

from __future__ import annotations

import asyncio
import os
import queue
import secrets
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from spielleiter import bots
from spielleiter.client.admin import Administrator
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.match import Ended, Event, Seated
from spielleiter.server import Server, Settings, Start
from spielleiter.tournament.pairing import Opening, Pairing, drawn
from spielleiter.tournament.record import Record, of_events
from spielleiter.tournament.table import Limits, Past, Table, Witness

HOST = "127.0.0.1"
SCRIPTS = (".sh", ".bat", ".cmd")
_LONG = ("--host", "{host}", "--port", "{port}", "--reservation", "{reservation}")
_OURS = 0.9  # what a player of ours uses of its time; the rest is for the way there and back
_START, _EXIT, _TICK = 30.0, 1.0, 0.05
_LOG, _FLOOD = 1 << 16, 1 << 26


def is_program(text: str) -> bool:
    """Whether a text names a program that connects to a server."""
    return "{port}" in text or text.endswith((".jar", *SCRIPTS))


def program_name(text: str) -> str:
    """What to call a program: the file in its command that tells it from others."""
    words = [word for word in text.split() if "{" not in word and not word.startswith("-")]
    files = [word for word in words if word.endswith((".py", ".jar", *SCRIPTS))]
    return Path((files or words or [text])[0]).name


def command_of(text: str) -> list[str]:
    """The words of the command that a text names, with the places to fill in."""
    if "{port}" in text:
        return shlex.split(text, posix=os.name == "posix")
    if not Path(text).is_file():
        raise UsageError(f"there is no file {text!r} to start")
    path = str(Path(text).resolve())
    if text.endswith(".jar"):
        return ["java", "-jar", "-mx1500m", path, *_LONG]
    return [path, *_LONG]


class Served:
    """A place to play for programs: one game at a time on a server of its own."""

    def __init__(
        self,
        game: Game,
        players: dict[str, str | None],
        limits: Limits,
        start: Callable[[Opening], Any],
    ) -> None:
        if find_spec(f"{game.folder}.wire") is None:
            raise UsageError(f"{game.name} has no contest protocol for programs yet")
        if limits.per_move is None:
            raise UsageError("programs know no limit of nodes: give them a time per move")
        self._game, self._players, self._limits, self._start = game, players, limits, start
        self._commands = {name: text and _checked(text) for name, text in players.items()}
        self._events: defaultdict[str, queue.SimpleQueue[Event]] = defaultdict(queue.SimpleQueue)
        self._opening: Opening | None = None
        self._server = self._serve()
        port = self._server.port
        self._admin = Administrator.open(HOST, port, self._server.settings.password, game=game.name)

    @property
    def now(self) -> Callable[[], float]:
        """The clock that is used here."""
        return time.monotonic

    def play(
        self, pairing: Pairing, witness: Witness | None = None, past: Past | None = None
    ) -> Record:
        """One game; the server is its referee."""
        if not all(self._players[name] for name in pairing.players):
            return self._forfeited(pairing)
        self._opening = pairing.opening
        prepared = self._admin.prepare(pairing.players)
        assert prepared.room is not None, "the room has a name"
        programs = [
            self._begin(pairing, seat, str(code)) for seat, code in enumerate(prepared.reservations)
        ]
        try:
            events = list(self._followed(prepared.room, programs))
        finally:
            logs = [program.end() for program in programs]
        return of_events(pairing, events, "".join(logs))

    def _forfeited(self, pairing: Pairing) -> Record:
        """Somebody has no player: nobody is started, so it does not matter who would be."""
        anybody = bots.factory("random")
        there = {name: anybody if self._players[name] else None for name in pairing.players}
        return Table(self._start, there, self._limits, time.monotonic).play(pairing)

    # ---------------------------------------------------------------------------------- the server

    def _serve(self) -> Server:
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()
        settings = Settings(
            HOST, 0, password=secrets.token_hex(16), clock=self._limits.referee, timeouts=True
        )
        server = Server([self._game], settings, sinks=[self._note], start=lambda *_: self._first())
        asyncio.run_coroutine_threadsafe(server.start(), loop).result(_START)
        return server

    def _note(self, room: str, event: Event) -> None:
        self._events[room].put(event)

    def _first(self) -> Start | None:
        return None if self._opening is None else Start(self._start(self._opening))

    def _followed(self, room: str, programs: list[Program]) -> Iterator[Event]:
        """What the referee tells of a room; who does not come in time is not waited for."""
        events, seated, late = self._events[room], set[int](), time.monotonic() + _START
        while True:
            try:
                event = events.get(timeout=_TICK)
            except queue.Empty:
                for program in programs:
                    program.check_flood()
                missing = [each for seat, each in enumerate(programs) if seat not in seated]
                gone = all(program.is_gone for program in missing)
                if missing and (gone or time.monotonic() > late):
                    self._admin.step(room, forced=True)
                    seated.update(range(len(programs)))  # nobody is waited for any more
                continue
            yield event
            if isinstance(event, Seated):
                seated.add(event.seat)
            if isinstance(event, Ended):
                del self._events[room]
                return

    # -------------------------------------------------------------------------------- the programs

    def _begin(self, pairing: Pairing, seat: int, code: str) -> Program:
        command = self._commands[pairing.players[seat]] or []
        seed = drawn(pairing.opening.seed, pairing.key, seat)
        places = {
            "{host}": HOST,
            "{port}": str(self._server.port),
            "{reservation}": code,
            "{seed}": str(seed),
            "{game}": self._game.name,
            "{authority}": self._game.authority,
            "{seconds}": str(_OURS * (self._limits.per_move or 0.0)),
        }
        return Program([_filled(word, places) for word in command])


class Program:
    """A running player, and what it prints."""

    def __init__(self, words: list[str]) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as the program)
        group: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {}
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, **group
            )
        except OSError as problem:
            self._log.write(f"{words[0]} cannot be started: {problem}\n".encode())

    @property
    def is_gone(self) -> bool:
        """Whether it has ended, or never began."""
        return self._process is None or self._process.poll() is not None

    def check_flood(self) -> None:
        """A program that fills the disk is ended."""
        if os.fstat(self._log.fileno()).st_size > _FLOOD:
            self._kill()

    def end(self) -> str:
        """Give it a moment to go by itself, then end it with all it started; what it printed."""
        if self._process is not None:
            with _suppressed_timeout():
                self._process.wait(_EXIT)
            self._kill()
            self._process.wait()
        self._log.seek(0)
        printed = self._log.read(_LOG + 1)
        self._log.close()
        return printed[:_LOG].decode(errors="replace") + ("\n…" if len(printed) > _LOG else "")

    def _kill(self) -> None:
        if self._process is None:
            return
        if os.name == "posix":
            try:
                os.killpg(self._process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                return
        else:
            self._process.kill()


def _checked(text: str) -> list[str]:
    if not is_program(text):
        ours = [
            sys.executable,
            "-m",
            "spielleiter",
            "join",
            "{game}",
            "--bot",
            text,
            "-h",
            "{host}",
        ]
        ours += ["-p", "{port}", "-r", "{reservation}", "--seed", "{seed}"]
        return [*ours, "--authority", "{authority}", "--seconds", "{seconds}"]
    words = command_of(text)
    if shutil.which(words[0]) is None:
        raise UsageError(f"{text!r}: there is no program {words[0]!r} to start")
    return words


def _filled(word: str, places: dict[str, str]) -> str:
    for place, value in places.items():
        word = word.replace(place, value)
    return word


@contextmanager
def _suppressed_timeout() -> Iterator[None]:
    try:
        yield
    except subprocess.TimeoutExpired:
        return
