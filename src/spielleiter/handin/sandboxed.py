"""An untrusted bot under test: it runs in the sandbox and reaches only the trial's port."""

from __future__ import annotations

import socket
import threading
import time
from dataclasses import dataclass

from spielleiter.client.finding import messages
from spielleiter.game import Game
from spielleiter.handin.candidate import memory
from spielleiter.programs.program import Program, program, start_options
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import Box, RunningProgram
from spielleiter.sandbox.connections import Address

_LOOK_EVERY, _SHOWN = 0.05, 2_000
_SECONDS = "1.8"
"""Seconds per move for a player that we start as a program."""


@dataclass(frozen=True, slots=True)
class SandboxedCandidate:
    """A bot that is started in a box for every game."""

    program: Program
    box: Box
    game: Game

    def start(self, host: str, port: int, reservation: str = "") -> SandboxedProgram:
        """Start it for one game."""
        places = {
            "{host}": host,
            "{port}": str(port),
            "{reservation}": reservation,
            "{seed}": "1",
            "{game}": self.game.name,
            "{authority}": self.game.authority,
            "{seconds}": _SECONDS,
        }
        return SandboxedProgram(self.box.start(self.program.order(places)))


def sandboxed_candidate(bot: str, game: Game, box: Box) -> SandboxedCandidate:
    """The candidate of a file; raises UsageError if it cannot be unpacked or started."""
    return SandboxedCandidate(program(bot, Setting(box), start_options(game)), box, game)


class SandboxedProgram:
    """A running bot, as `CandidateProgram` has it."""

    def __init__(self, running: RunningProgram) -> None:
        self.began, self.peak, self.trouble = time.monotonic(), 0, ""
        self.said, self.printed = "", 0
        self._running, self._stop = running, threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)
        self._watch.start()

    @property
    def is_gone(self) -> bool:
        """Whether it has ended, or never began."""
        return self._running.is_gone

    @property
    def status(self) -> int | None:
        """Unknown: the program has a supervisor."""
        return None

    def take_listener(self) -> socket.socket | None:
        """Where it knocks, if it has a network of its own."""
        return self._running.take_listener()

    def is_peer(self, peer: Address, own: Address) -> bool:
        """Whether it may be the process that connected from `peer` to `own`."""
        return self._running.is_peer(peer, own)

    def end(self, patience: float = 5.0) -> None:
        """Give it a moment to go by itself, then end it with all it started."""
        until = time.monotonic() + patience
        while not self.is_gone and time.monotonic() < until:
            time.sleep(_LOOK_EVERY)
        if not self.is_gone:
            self.trouble = messages("trouble.running", seconds=round(patience))
        self._stop.set()
        self._watch.join()
        said = self._running.end(0.0)
        self.printed, self.said = len(said), said[-_SHOWN:].strip()

    def _look(self) -> None:
        while not self._stop.wait(_LOOK_EVERY):
            self._running.check_output()
            if self._running.pid is not None:
                self.peak = max(self.peak, memory(self._running.pid))
