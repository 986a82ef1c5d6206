"""The referee's side of a Python bot that runs in another process.

Every game has a fresh, sandboxed process for each player (see `player_process` for the other side).
So a player cannot reach the referee, the other player or an earlier game, and one that dies or
hangs loses only its own game.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import select
import socket
import sys
import time
from dataclasses import asdict, dataclass, field
from json.encoder import encode_basestring_ascii
from pathlib import Path
from typing import Any

from spielleiter.annotation import LONGEST_PACKED, SEPARATOR, PackedAnnotation, SplitLog, split_log
from spielleiter.errors import MachineError, TextError, UsageError
from spielleiter.game import Bot, Clock, Game, Move, Outcome, Position, Seat
from spielleiter.match import Fault, Kind
from spielleiter.programs.own_files import OwnFiles
from spielleiter.programs.player_line import LONGEST, PlayerLine
from spielleiter.programs.processor_waits import RunQueueMeter
from spielleiter.programs.profiling import LARGEST_GRAPH, UsageMeter
from spielleiter.programs.program import python_folders
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import Forkserver, LaunchRequest, Level, RunningProgram, environment
from spielleiter.stalls import stall_log
from spielleiter.tournament.in_process import CRASHED, LostPlayer

DIED = f"{CRASHED}: the process died"
_PLAYER = "spielleiter.programs.player_process"
_START = 60.0
_EXIT = 0.2
_STRANGERS = 64
"""Connections that may wait for their first line; for each further one the oldest is closed."""
_decoded = json.JSONDecoder().decode


@dataclass
class PlayerStarter:
    """Starts the processes of players of one edition. One for each worker."""

    game: Game
    setting: Setting
    patience: float
    _server: Forkserver | None = field(default=None, init=False)
    _folders: tuple[Path, ...] = field(default_factory=python_folders, init=False)

    def start(self, text: str, own: OwnFiles, readable: tuple[Path, ...] = ()) -> RemotePlayer:
        """Start a fresh process; the player is created there later."""
        started = self._started(text, own, (*self._folders, *readable))
        player = RemotePlayer(*started, freeze=self.setting.freeze, patience=self.patience)
        player.profiled = self.setting.profile is not None
        return player

    def close(self) -> None:
        """Stop starting players."""
        if self._server is not None:
            self._server.close()
            self._server = None

    def _started(
        self, text: str, own: OwnFiles, readable: tuple[Path, ...]
    ) -> tuple[RunningProgram, PlayerLine]:
        if self._can_fork:
            order = LaunchRequest([text], own.folder, readable, None, own.files, own.hidden)
            try:
                running, line = self.setting.box.fork(order, self._forkserver)
            except MachineError:
                self._give_up_server()
                raise
            return running, PlayerLine(line)
        return self._connected(own, readable)

    def _give_up_server(self) -> None:
        """The next player gets a new server."""
        if self._server is not None:
            self._server.kill()
        self.close()

    @property
    def _can_fork(self) -> bool:
        return sys.platform == "linux" and self.setting.box.level > Level.NONE

    @property
    def _forkserver(self) -> Forkserver:
        if self._server is None:
            words = (self.game.name, self.game.authority)
            self._server = Forkserver(f"{_PLAYER}:prepare", words, environment())
        return self._server

    def _connected(
        self, own: OwnFiles, readable: tuple[Path, ...]
    ) -> tuple[RunningProgram, PlayerLine]:
        """Start a process that connects to us, where `fork` is not available."""
        token = secrets.token_hex(16)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            host, port = listener.getsockname()
            words = [sys.executable, "-m", _PLAYER, host, str(port), token]
            words += [self.game.name, self.game.authority]
            order = LaunchRequest(words, own.folder, readable, None, own.files, own.hidden)
            running = self.setting.box.start(order)
            return running, _accepted(listener, token, running)


def _accepted(listener: socket.socket, token: str, running: RunningProgram) -> PlayerLine:
    """The first connection that sends the secret token, whatever others do meanwhile."""
    until = time.monotonic() + _START
    strangers: dict[socket.socket, bytes] = {}
    try:
        while (left := until - time.monotonic()) > 0:
            for each in select.select([listener, *strangers], [], [], left)[0]:
                if each is listener:
                    _add_stranger(listener, strangers)
                elif _has_said(each, strangers, token.encode() + b"\n"):
                    return PlayerLine(each)
    finally:
        for each in strangers:
            each.close()
    raise UsageError(f"a player's process does not start: {running.end(0.0).strip()}")


def _add_stranger(listener: socket.socket, strangers: dict[socket.socket, bytes]) -> None:
    with contextlib.suppress(OSError):  # it has gone
        strangers[listener.accept()[0]] = b""
    if len(strangers) > _STRANGERS:
        oldest = next(iter(strangers))
        del strangers[oldest]
        oldest.close()


def _has_said(each: socket.socket, strangers: dict[socket.socket, bytes], secret: bytes) -> bool:
    """Whether one of the strangers is the player; who says something else is closed."""
    if each not in strangers:
        return False
    so_far = strangers.pop(each)
    try:
        heard = each.recv(len(secret) - len(so_far))
    except OSError:
        heard = b""
    so_far += heard
    if so_far == secret:
        return True
    if heard and secret.startswith(so_far):
        strangers[each] = so_far
    else:
        each.close()
    return False


class RemotePlayer(Bot):
    """Represents a player in another process; raises LostPlayer when it does not answer."""

    def __init__(
        self, running: RunningProgram, line: PlayerLine, *, freeze: bool, patience: float
    ) -> None:
        self._running, self._line = running, line
        self._freeze, self._patience = freeze, patience
        self._process: int | None = None
        self._waits, self._measured_from = RunQueueMeter(None), 0.0
        self.because = ""
        """Why it could not be made, in its own words."""
        self.profiled = False
        """Whether its calls are watched, for `graph`."""
        self.meter: UsageMeter | None = None
        self._clock: Clock | None = None
        self._clock_told = ""
        """The clock of the last question, and how it was told: mostly that of the next one too."""
        self._asked: list[int] = []
        """How much it had printed when it was asked for each move."""
        self._shown: dict[int, bytes] = {}
        """What it showed, unread, by the requests for a move."""

    def make(self, text: str, seed: int) -> None:
        """Load the file and create the player."""
        question = {"make": text, "seed": seed, "profile": self.profiled}
        self._ask(question, _START + self._patience)
        self._process = self._running.program_pid()
        self._waits = RunQueueMeter(self._process)

    def begin(self, position: Position, seat: Seat) -> None:
        """Start the player's process and tell it about the game."""
        self._ask({"begin": position.text(), "seat": seat})

    def wake(self) -> None:
        """Unfreeze it before its clock starts."""
        if self._freeze:
            self._running.thaw()

    def choose(self, position: Position, clock: Clock) -> Move | str:  # type: ignore[override]
        """Its move; or the text it gave instead of one, for the referee to judge."""
        self._asked.append(self._running.printed)
        if clock is not self._clock:
            self._clock, self._clock_told = clock, json.dumps(asdict(clock))
        told = encode_basestring_ascii(position.text())
        answer = self._measured(f'{{"choose": {told}, "clock": {self._clock_told}}}')
        if self._freeze:
            self._running.freeze()
        text = str(answer.get("move", ""))
        try:
            return position.move(text)
        except TextError:
            return text

    def end(self, position: Position, outcome: Outcome) -> None:
        """Tell the player how the game ended."""
        if self._freeze:
            self._running.thaw()
        told = {"ranks": outcome.ranks, "scores": outcome.scores, "reason": outcome.reason}
        self._ask({"end": position.text(), **told})

    def graph(self) -> str:
        """The flame graph of its calls, as a page; empty if not requested or lost."""
        try:
            answer = self._ask({"graph": True}, _START, LARGEST_GRAPH) if self.profiled else {}
        except LostPlayer:
            return ""
        return str(answer.get("graph", ""))

    def process(self) -> int | None:
        """The number of its process."""
        return self._process

    def packed_annotations(self) -> dict[int, PackedAnnotation]:
        """What it showed, by the requests for a move, from 1."""
        return {
            request: PackedAnnotation(shown.decode(errors="replace"))
            for request, shown in self._shown.items()
            if len(shown) <= LONGEST_PACKED
        }

    def hang_up(self) -> None:
        """Close the connection; the process ends by itself."""
        self._line.close()

    def close(self) -> SplitLog:
        """Kill its process tree; returns its output and annotations."""
        self.hang_up()
        self._waits.close()
        self._running.end(_EXIT)
        return split_log(self._running.output, self._asked)

    def kept_waiting(self) -> float:
        """Seconds in which it waited for a processor or the machine was stalled."""
        self._measured_from = time.monotonic()
        return self._waits.waited()

    def kept_waiting_since(self, before: float) -> float:
        """Seconds since the last reading.

        A player with several threads keeps itself waiting: that does not count.
        """
        stalled = stall_log().during(self._measured_from, time.monotonic())
        return stalled + self._waits.waited_since(before)

    # --------------------------------------------------------------------------------------- inside

    def _measured(self, question: str) -> dict[str, Any]:
        if self.meter is None:
            return self._asked_line(question, self._patience)
        self.meter.asked()
        began = time.monotonic()
        answer = self._asked_line(question, self._patience)
        self.meter.answered(time.monotonic() - began)
        return answer

    def _ask(
        self, question: dict[str, Any], patience: float | None = None, longest: int = LONGEST
    ) -> dict[str, Any]:
        return self._asked_line(
            json.dumps(question), self._patience if patience is None else patience, longest
        )

    def _asked_line(self, question: str, patience: float, longest: int = LONGEST) -> dict[str, Any]:
        """The answer to a question, which is a line of JSON."""
        until = time.monotonic() + patience
        try:
            self._line.send(f"{question}\n".encode(), until)
            line, _, shown = self._line.receive(until, longest).partition(SEPARATOR)
            if shown:
                self._shown[len(self._asked)] = shown
            answer = _decoded(line.decode())
        except TimeoutError:
            raise LostPlayer(Fault(Kind.SILENT)) from None
        except (OSError, ValueError, RecursionError):
            self._running.check_supervisor()
            raise LostPlayer(Fault(Kind.LEFT, DIED)) from None
        if not isinstance(answer, dict):
            raise LostPlayer(Fault(Kind.LEFT, f"{CRASHED}: nonsense"))
        if "failed" in answer:
            self.because = str(answer.get("because", ""))
            raise LostPlayer(Fault(Kind.LEFT, f"{CRASHED}: {str(answer['failed'])[:99]}"))
        return answer
