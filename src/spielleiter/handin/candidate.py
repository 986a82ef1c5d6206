"""The bot under test as a running program: its command, its memory, what it prints."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from spielleiter.client.finding import messages
from spielleiter.sandbox.connections import Address, family, holds, session
from spielleiter.server.door import Visitor

PLACES = ("{host}", "{port}", "{reservation}")
_LOOK_EVERY = 0.05
_SHOWN = 2_000
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


class TrialProgram(Visitor, Protocol):
    """A running bot, wherever it runs: see `CandidateProgram`."""

    began: float
    peak: int
    trouble: str
    said: str
    printed: int

    @property
    def is_gone(self) -> bool:
        """Whether it has ended or never started."""
        ...

    @property
    def status(self) -> int | None:
        """Its exit status, if that is known."""
        ...

    def end(self, patience: float = 5.0) -> None:
        """Wait a moment for it to exit, then kill its process tree."""


class StartableBot(Protocol):
    """A bot that can be started for a game."""

    def start(self, host: str, port: int, reservation: str = "") -> TrialProgram:
        """Start it for one game."""
        ...


@dataclass(frozen=True, slots=True)
class Candidate:
    """How a bot is started: words with places to fill in, where, and with which environment."""

    words: tuple[str, ...]
    folder: Path
    environment: dict[str, str] | None = None
    """None: that of this process."""

    def start(self, host: str, port: int, reservation: str = "") -> CandidateProgram:
        """Start it for one game."""
        values = dict(zip(PLACES, (host, str(port), reservation), strict=True))
        return CandidateProgram([_filled(word, values) for word in self.words], self)


class CandidateProgram:
    """A running bot.

    `peak` is the most memory it had at a time with all it started, in bytes; 0 if nobody can tell.
    After its end, `said` is the end of what it printed, and `printed` how many bytes that were.
    """

    def __init__(self, words: list[str], candidate: Candidate) -> None:
        self.began, self.peak, self.trouble = time.monotonic(), 0, ""
        self.said, self.printed = "", 0
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as the program)
        group: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {}
        self._process: subprocess.Popen[bytes] | None = None
        try:
            self._process = subprocess.Popen(
                words,
                cwd=candidate.folder,
                env=candidate.environment,
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                **group,
            )
        except OSError as problem:
            self.trouble = messages("trouble.no-start", problem=str(problem))
            return
        self._stop = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()

    @property
    def is_gone(self) -> bool:
        """Whether it has ended or never started."""
        return self._process is None or self._process.poll() is not None

    @property
    def status(self) -> int | None:
        """Its exit status, once it has ended by itself."""
        return None if self._process is None else self._process.returncode

    def take_listener(self) -> None:
        """None: it has the network of this machine."""

    def is_peer(self, peer: Address, own: Address) -> bool:
        """Whether it, or a process it started, may have connected from `peer` to `own`."""
        if self._process is None:
            return False
        leader = self._process.pid
        return holds(chain(family(leader), session(leader)), peer, own) is not False

    def end(self, patience: float = 5.0) -> None:
        """Wait a moment for it to exit, then kill its process tree."""
        if self._process is not None:
            try:
                self._process.wait(patience)
            except subprocess.TimeoutExpired:
                self.trouble = messages("trouble.running", seconds=round(patience))
            self._stop.set()
            self._watch.join()
            _kill(self._process)
            self._process.wait()
        with self._log:
            self.printed = self._log.seek(0, os.SEEK_END)
            self._log.seek(max(0, self.printed - _SHOWN))
            self.said = self._log.read().decode(errors="replace").strip()

    def _look(self) -> None:
        assert self._process is not None, "it was started"
        while not self._stop.wait(_LOOK_EVERY):
            self.peak = max(self.peak, memory(self._process.pid))


def memory(leader: int) -> int:
    """What all processes of a leader's session have in memory, as Linux tells; elsewhere 0."""
    total = 0
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parts = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(parts[3]) == leader:
                total += int(parts[21]) * _PAGE
        except (OSError, ValueError, IndexError):  # it has ended meanwhile
            continue
    return total


def _kill(process: subprocess.Popen[bytes]) -> None:
    if os.name != "posix":
        process.kill()
        return
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return


def _filled(word: str, values: dict[str, str]) -> str:
    for place, value in values.items():
        word = word.replace(place, value)
    return word
