"""A match told in the course server's words, from its events: on the console and in the log."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from time import localtime, strftime, time
from typing import Any, TextIO

from spielleiter.errors import StoreError
from spielleiter.game import Seat
from spielleiter.games.reversi import course, wire
from spielleiter.match import (
    Accounts,
    Began,
    Clock,
    Ended,
    Event,
    Fault,
    Kind,
    Opened,
    PerMove,
    Played,
    Shown,
    TurnBegan,
    Violated,
)
from spielleiter.protocol.binary import BadFrame, Unexpected
from spielleiter.server.binary import (
    SEND_FAILED,
    Board,
    GaveUp,
    Gone,
    Listening,
    Lobby,
    Notice,
    Refused,
    Settings,
    Unreadable,
)


class Chronicle:
    """Follows one match and keeps what the texts need: board, accounts, number of the move."""

    def __init__(self, board: Board, settings: Settings, port: int) -> None:
        self.board, self.settings, self.port = board, settings, port
        self.position: Any = board.start()
        self.clock: Clock = PerMove(None, None)
        self.groups: tuple[str, ...] = ()
        self.out = [False] * self.position.seats
        self.number = 0
        self.asked: Seat | None = None
        self.ended: Ended | None = None
        if self.position.outcome() is None and self.position.to_move() != 0:
            self.number = 1  # a first player who cannot begin costs a number, later ones do not

    def hear(self, event: Event) -> None:
        """Take in an event and tell of it."""
        hearer = _HEARERS.get(type(event))
        if hearer is not None:
            hearer(self, event)

    def left(self, seat: Seat) -> int:
        """The account of a seat in whole milliseconds; 0 without a limit."""
        return round(self.clock.balances[seat] * 1000) if isinstance(self.clock, Accounts) else 0

    @property
    def is_decided(self) -> bool:
        """Whether disqualifications have left one player."""
        return self.out.count(False) < 2

    def result(self) -> str:
        """The result file."""
        assert self.ended is not None
        limited = isinstance(self.clock, Accounts)
        return course.result(
            self.board.name,
            [
                (group, score, self.left(seat) if limited else None, self.out[seat])
                for seat, (group, score) in enumerate(
                    zip(self.groups, self.ended.outcome.scores, strict=True)
                )
            ],
        )

    # ----------------------------------------------------------------- what subclasses say of it

    def tell_began(self) -> None: ...
    def tell_shown(self) -> None: ...
    def tell_asked(self, seat: Seat) -> None: ...
    def tell_moved(self, seat: Seat, move: str) -> None: ...
    def tell_out(self, violated: Violated, reason: str) -> None: ...
    def tell_ended(self, ended: Ended) -> None: ...

    # ------------------------------------------------------------------------------- the events

    def _opened(self, opened: Opened) -> None:
        self.clock, self.groups = opened.clock, opened.names

    def _began(self, began: Began) -> None:
        self.tell_began()

    def _shown(self, shown: Shown) -> None:
        self.tell_shown()

    def _turn(self, turn: TurnBegan) -> None:
        self.clock, self.asked = self.clock.asked(turn.seat), turn.seat
        self.tell_asked(turn.seat)

    def _played(self, played: Played) -> None:
        move = self.position.move(played.move)
        sent = wire.write_move(self.position, move)
        self.position.play(move)
        self.clock = self.clock.charged(played.seat, played.spent)
        self.tell_moved(played.seat, f"({sent.x},{sent.y},{sent.choice})")
        self.number, self.asked = self.number + 1, None

    def _violated(self, violated: Violated) -> None:
        seat, fault = violated.seat, violated.fault
        if fault.kind is Kind.ILLEGAL and violated.receipt is not None:
            self.clock = self.clock.charged(seat, violated.receipt.spent)
        self.out[seat] = True
        self.tell_out(violated, reason(fault, self.left(seat)))
        self.position.disqualify(seat)
        if self.asked == seat:
            self.number, self.asked = self.number + 1, None

    def _ended(self, ended: Ended) -> None:
        self.ended = ended
        self.tell_ended(ended)


_HEARERS: dict[type[Any], Callable[[Chronicle, Any], None]] = {
    Opened: Chronicle._opened,
    Began: Chronicle._began,
    Shown: Chronicle._shown,
    TurnBegan: Chronicle._turn,
    Played: Chronicle._played,
    Violated: Chronicle._violated,
    Ended: Chronicle._ended,
}


def reason(fault: Fault, left: int) -> str:
    """Why somebody is out, as the course's server says it."""
    if fault.kind is Kind.ILLEGAL:
        return f"invalid move: {fault.move}. time left: {left} msecs"
    return fault.detail if fault.kind is Kind.LEFT else "timeout during move"


# -------------------------------------------------------------------------------------- log file


class Log(Chronicle):
    """The log file, written as the game goes on."""

    def __init__(self, board: Board, settings: Settings, port: int, folder: Path) -> None:
        super().__init__(board, settings, port)
        self._file = _new_log(folder)

    @property
    def path(self) -> Path:
        """Where it is written."""
        return Path(self._file.name)

    def tell_began(self) -> None:
        text, given = self.board.text, self.settings
        self._write(
            course.log_head(self.board.name, self.port, text, self.groups, given.limit, given.depth)
        )

    def tell_moved(self, seat: Seat, move: str) -> None:
        self._write(course.log_move(self.number, seat, move, self.left(seat)))

    def tell_out(self, violated: Violated, reason: str) -> None:
        self._write(course.log_disqualified(violated.seat, reason, self.position))

    def tell_ended(self, ended: Ended) -> None:
        self._write(course.log_end(ended.outcome.scores, self.out))
        self._file.close()

    def _write(self, text: str) -> None:
        try:
            self._file.write(text)
            self._file.flush()
        except OSError as problem:
            raise StoreError(f"the log cannot be written: {problem.strerror}") from problem


def _new_log(folder: Path) -> TextIO:
    """A file of its own, named by the moment; never one that is there already."""
    now = time()
    while True:
        path = folder / f"log_game_{now:.6f}.txt"
        try:
            return path.open("x", encoding="utf-8", newline="\n")
        except FileExistsError:
            now += 1e-6
        except OSError as problem:
            raise StoreError(f"the log {path} cannot be written: {problem.strerror}") from problem


# --------------------------------------------------------------------------------------- console


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


class Console(Chronicle):
    """Standard output of the course's server."""

    def __init__(
        self,
        board: Board,
        settings: Settings,
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
            case Lobby(groups):
                self._show_lobby(groups)
            case Refused(place, problem):
                self._refused(place, problem)
            case GaveUp(seconds):
                self._say(f"\n\nnot all clients connected after {seconds:g} seconds. aborting.\n")
            case Unreadable(_, _, problem):
                self._unreadable(problem)
            case Gone(_, seat, what):
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
        self._say(f"{_receive_problem(problem)}\nFailed to receive move\n")

    # ------------------------------------------------------------------------------ in the game

    def tell_began(self) -> None:
        for seat in range(self.position.seats):
            self._say(f"Sending data to client {seat + 1}...OK\n")
        self._say(f"[{_now()}] Game started.\n")
        if self.number:
            self._say(
                f"{self._time()}First player can not do first move... Oh well, skipping him.\n"
            )

    def tell_shown(self) -> None:
        if not self.is_decided:
            self._say(self._board() + "\n")

    def tell_asked(self, seat: Seat) -> None:
        self._say(f"\n{self._time()}Player {seat + 1} has 0 overrides and 0 bombs.\n")
        self._say(
            f"{self._time()}Sending move request to player {seat + 1} "
            f"with depth {self.settings.depth}, time left: {self.left(seat)} msecs.\n"
        )

    def tell_moved(self, seat: Seat, move: str) -> None:
        self._say(
            f"{self._time()}Answer from player {seat + 1} for move {self.number} "
            f"was (x,y,c) = {move}; time left: {self.left(seat)} msecs.\n"
        )

    def tell_out(self, violated: Violated, reason: str) -> None:
        self._say(self._why(violated))
        self._say(f"Player {violated.seat + 1} disqualified ({reason}).\n")
        if violated.fault.detail == SEND_FAILED:
            self._say(_unsent("header", "disqualification", violated.seat))
        self._say(self._board() + "\n")

    def tell_ended(self, ended: Ended) -> None:
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
