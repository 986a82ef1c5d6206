"""Standard output of the course's server, from the events of a match."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from time import localtime, strftime
from typing import TextIO

from spielleiter.game import Seat
from spielleiter.games.reversi import course, wire
from spielleiter.games.reversi.commands._match_writer import MatchWriter
from spielleiter.match import Ended, Kind, Violated
from spielleiter.protocol.binary import BadFrame, Unexpected
from spielleiter.server.binary import (
    SEND_FAILED,
    BinarySettings,
    Board,
    ClientRefused,
    GaveUp,
    Listening,
    LobbyChanged,
    Notice,
    SendFailed,
    Unreadable,
)


class Output:
    """A stream written in a thread: a console nobody reads must not hold up the games."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._texts: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Write this, soon."""
        self._texts.put(text)

    def close(self) -> None:
        """Wait until all is written."""
        self._texts.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (text := self._texts.get()) is not None:
            with contextlib.suppress(OSError):  # whoever read it is gone
                self._stream.write(text)
                self._stream.flush()


_COLOURS = {"1": "31", "2": "34", "3": "32", "4": "33"}


class Console(MatchWriter):
    """Standard output of the course's server."""

    def __init__(
        self,
        board: Board,
        settings: BinarySettings,
        write: Callable[[str], object],
        *,
        marks: bool = True,
        colours: bool = False,
        simple: bool = False,
    ) -> None:
        super().__init__(board, settings, settings.port)
        self._say = write
        self._marks, self._colours, self._simple = marks, colours, simple
        self._known = 0  # clients announced with their group
        self._connected = False  # the next one is announced as connected

    # ------------------------------------------------------------------------- before the game

    def notice(self, notice: Notice) -> None:
        """Tell of what happens besides the match."""
        match notice:
            case Listening(port):
                self._say(f"Opening port...OK. Port number is {port}.\n")
                self._say(f"This is a {self.position.seats}-player map.\n")
                self._await_client()
            case LobbyChanged(groups):
                self._show_lobby(groups)
            case ClientRefused(place, problem):
                self._refused(place, problem)
            case GaveUp(seconds):
                self._say(f"\n\nnot all clients connected after {seconds:g} seconds. aborting.\n")
            case Unreadable(_, _, problem):
                self._unreadable(problem)
            case SendFailed(_, seat, what):
                self._say(_unsent("payload", what, seat))

    def _await_client(self) -> None:
        self._connected = False
        if self._known < self.position.seats:
            self._say(f"Waiting client {self._known + 1} to connect...")

    def _show_lobby(self, groups: tuple[int | None, ...]) -> None:
        while self._known < min(len(groups), self.position.seats):
            if not self._connected:
                self._connected = True
                self._say(f"OK\nWaiting for group id of client {self._known + 1}...")
            group = groups[self._known]
            if group is None:
                return
            self._known += 1
            self._say(f"OK. Group ID is {group}.\n")
            self._await_client()

    def _refused(self, place: int, problem: Exception) -> None:
        if place > self._known or (place == self._known and not self._connected):
            return  # nobody has been told of that client yet
        told = self._known if self._connected else self._known - 1
        self._say(f"{_refusal(problem)}\n" if place == told else f"\n{problem}\n")
        self._known = min(self._known, place)
        self._await_client()

    def _unreadable(self, problem: Exception) -> None:
        if isinstance(problem, Unexpected):
            self._say(f"Received wrong msgtype (should have been move, was {problem.kind})\n")
            return
        self._say(f"{_receive_problem(problem)}\nFailed to receive message.\n")

    # ------------------------------------------------------------------------------ in the game

    def write_began(self) -> None:
        for seat in range(self.position.seats):
            self._say(f"Sending data to client {seat + 1}...OK\n")
        self._say(f"[{_now()}] Game started.\n")
        if self.number:
            self._say(
                f"{self._time()}First player can not do first move... Oh well, skipping him.\n"
            )

    def write_shown(self) -> None:
        if not self.is_decided:
            self._say(self._board() + "\n")

    def write_asked(self, seat: Seat) -> None:
        self._say(f"\n{self._time()}Player {seat + 1} has 0 overrides and 0 bombs.\n")
        self._say(
            f"{self._time()}Sending move request to player {seat + 1} "
            f"with depth {self.settings.depth}, time left: {self.left(seat)} msecs.\n"
        )

    def write_moved(self, seat: Seat, move: str) -> None:
        self._say(
            f"{self._time()}Answer from player {seat + 1} for move {self.number} "
            f"was (x,y,c) = {move}; time left: {self.left(seat)} msecs.\n"
        )

    def write_out(self, violated: Violated, reason: str) -> None:
        self._say(self._why(violated))
        self._say(f"Player {violated.seat + 1} disqualified ({reason}).\n")
        if violated.fault.detail == SEND_FAILED:
            self._say(_unsent("header", "disqualification", violated.seat))
        self._say(self._board() + "\n")

    def write_ended(self, ended: Ended) -> None:
        counted = f"\n\n{course.scores(ended.outcome.scores, self.out)}"
        if self.is_decided:
            self._say(f"Final state reached, sole remaining player is winner.\n{counted}")
            return
        self._say(f"{self._time()}Terminal state reached.\n{counted}")
        self._say(f"{self._time()}Final state reached.\n{counted}")

    def _why(self, violated: Violated) -> str:
        fault, receipt = violated.fault, violated.receipt
        if fault.kind is Kind.SILENT:
            return "timeout detected! (poll timeout)\n"
        if fault.kind is Kind.LATE and receipt is not None:
            left = self.left(violated.seat)
            took = f"dt={receipt.spent:.6f}s, msecs_left={left}ms"
            return f"timeout detected! (dt>msecs_left; {took})\n"
        if fault.detail == wire.BAD_CHOICE:
            choice = fault.move.rpartition(",")[2].rstrip(")")
            problem = f"invalid choice for plain or inversion move: {choice}"
            return f"{self._time()}\x1b[;1;31m{problem}\x1b[m\nSorry, this move was invalid.\n"
        if fault.kind is Kind.ILLEGAL:
            return f"{self._time()}Sorry, this move was invalid.\n"
        return ""

    def _board(self) -> str:
        if self._simple:
            return course.simple_board(self.position)
        text = course.board(self.position, self._marks)
        return _coloured(text) if self._colours else text

    def _time(self) -> str:
        return "" if self._simple else f"[{_now()}] "


def _now() -> str:
    return strftime("%H:%M:%S", localtime())


def _coloured(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        head, bar, cells = line.partition(" | ")
        marks = (f"\x1b[{_COLOURS[c]}m{c}\x1b[m" if c in _COLOURS else c for c in cells)
        lines.append(head + bar + "".join(marks))
    return "\n".join(lines)


def _unsent(part: str, what: str, seat: Seat) -> str:
    failed = f"send_msg(): failed to send {part}\n"
    return f"{failed}Failed to propagate {what} to player {seat + 1}\n"


def _refusal(problem: Exception) -> str:
    if isinstance(problem, Unexpected):
        return f"received wrong msgtype (should have been groupid, was {problem.kind})"
    return _receive_problem(problem) if isinstance(problem, BadFrame) else str(problem)


def _receive_problem(problem: Exception) -> str:
    if isinstance(problem, BadFrame):
        length = problem.length - (1 << 32) * (problem.length >> 31)
        return (
            "receive_msg(): read invalid hdr.type or invalid hdr.len for this hdr.type! "
            f"(type={problem.kind}, len={length})"
        )
    return "receive_msg(): error during reading hdr: Transport endpoint is not connected"
