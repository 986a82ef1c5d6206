"""A table: one match and the lines of its players. Decides nothing; the referee does.

The match is stepwise: a move or a disqualification is told to everybody first, so that players who
are gone are found before the next request is made (or the end is announced).
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from spielleiter.errors import PeerError
from spielleiter.game import Seat
from spielleiter.match import (
    Accounts,
    Asked,
    Began,
    Cancel,
    Consequence,
    Ended,
    GoOn,
    Input,
    Join,
    Leave,
    Match,
    MoveSent,
    Pause,
    Played,
    Step,
    TimeUp,
    TurnBegan,
    Violated,
)
from spielleiter.protocol.binary import (
    HUMAN,
    BadFrame,
    Disqualified,
    EndOfGame,
    EndOfPhase1,
    Map,
    Message,
    Move,
    Moved,
    Player,
    Unexpected,
    request,
)
from spielleiter.server.binary.line import Insider, Line
from spielleiter.server.binary.notices import Gone, Unreadable
from spielleiter.server.binary.settings import Arranged, Board
from spielleiter.server.log import say

if TYPE_CHECKING:
    from spielleiter.server.binary.host import Host
    from spielleiter.server.binary.reserved import Reserved

RECEIVE_FAILED = "receive failed"
INVALID_MESSAGE = "invalid message"
SEND_FAILED = "send failed"
"""Why a player left, in the words of the course's server."""


class Room:
    """One game and its players, in seat order."""

    def __init__(
        self,
        host: Host | Reserved,
        name: str,
        board: Board,
        lines: Sequence[Line | Insider],
        arranged: Arranged | None = None,
    ) -> None:
        self.id = name
        self.board = board
        self.lines = list(lines)
        self._host = host
        self._inbox: deque[Input] = deque()
        self._busy = False
        self._timer: asyncio.TimerHandle | None = None
        self._pause: asyncio.TimerHandle | None = None
        self.match = Match(
            board.start(),
            at=host.time.now(),
            clock=host.settings.clock(len(self.lines)),
            names=arranged.names if arranged else [str(line.group) for line in self.lines],
            timed=arranged.timed if arranged else [line.group != HUMAN for line in self.lines],
            paused=arranged is not None and arranged.paused,
            consequence=Consequence.DISQUALIFIES,
            stepwise=True,
        )

    # ----------------------------------------------------------------------------------- inputs

    def begin(self) -> None:
        """All seats are taken."""
        self._host.tell(self.id, [self.match.opened])
        for seat in range(len(self.lines)):
            self._put(Join(self._host.time.now(), seat))

    def open(self, insiders: Sequence[Seat]) -> None:
        """Let players of this process sit down; the other seats wait for clients."""
        self._host.tell(self.id, [self.match.opened])
        for seat in insiders:
            self._put(Join(self._host.time.now(), seat))

    def take(self, line: Line) -> None:
        """A client takes the first seat that is free."""
        seat = next(seat for seat in range(len(self.lines)) if seat not in self.match.present)
        self.lines[seat] = line
        self._put(Join(self._host.time.now(), seat))

    def play(self, seat: Seat, move: Any, *, lag: float = 0.0, hints: tuple[str, ...] = ()) -> None:
        """A player of this process moves; `lag` is what the answer waited for us."""
        self._put(MoveSent(self._host.time.now(), seat, move, lag=lag, hints=hints))

    def pause(self, paused: bool) -> None:
        """Hold the game, or let it go on."""
        self._put(Pause(self._host.time.now(), paused))

    def step(self) -> None:
        """Let a held game go on for one move."""
        self._put(Step(self._host.time.now()))

    def heard(self, line: Line, at: float) -> None:
        """Something arrived from a player, or its end: of interest only if it has been asked."""
        seat = self.match.pending
        if seat is not None and self.lines[seat] is line:
            self._take(seat, at)

    def check_time(self) -> None:
        """Let the referee look at the clock."""
        self._put(TimeUp(self._host.time.polled()))

    def cancel(self) -> None:
        """End the game now."""
        self._put(Cancel(self._host.time.now()))

    def _put(self, happened: Input) -> None:
        """Inputs are handled one after the other, those that follow from one after it."""
        self._inbox.append(happened)
        if self._busy:
            return
        self._busy = True
        try:
            while self._inbox:
                self._handle(self._inbox.popleft())
        finally:
            self._busy = False

    def _handle(self, happened: Input) -> None:
        events = self.match.handle(happened)
        if events:
            self._host.tell(self.id, events)
        for event in events:
            teller = _TELLERS.get(type(event))
            if teller is not None:
                teller(self, event)

    def _take(self, seat: Seat, at: float) -> None:
        """Read the answer of the player who was asked, as far as it has come."""
        line = self.lines[seat]
        try:
            message = line.next()
        except BadFrame as problem:
            self._unreadable(seat, problem, RECEIVE_FAILED)
        except Unexpected as problem:
            self._unreadable(seat, problem, INVALID_MESSAGE)
        else:
            if message is not None:
                assert isinstance(message, Move), "nothing else may come from who was asked"
                self._answer(seat, message, at)
            elif line.ended:
                self._unreadable(seat, PeerError("the connection was closed"), RECEIVE_FAILED)

    def _unreadable(self, seat: Seat, problem: PeerError, cause: str) -> None:
        self._host.notify(Unreadable(self.id, seat, problem))
        self._put(Leave(self._host.time.now(), seat, cause))

    def _answer(self, seat: Seat, message: Move, at: float) -> None:
        time, first = self._host.time, self.lines[seat].first
        read = self.board.wire.read_move(self.match.position, message)
        self._put(
            MoveSent(
                at,
                seat,
                read.move,
                first_byte=first,
                judged=time.now(),
                lag=time.lag(at),
                text=read.text,
                mistake=read.mistake,
            )
        )

    # ----------------------------------------------------------------------------------- telling

    def _tell_began(self, began: Began) -> None:
        told = [
            line.say(Map(self.board.text)) and line.say(Player(seat + 1))
            for seat, line in enumerate(self.lines)
        ]
        for seat in (seat for seat, was_told in enumerate(told) if not was_told):
            self._lost(seat, "game data")
        self._go_on(self._host.settings.before_game)

    def _tell_turn(self, turn: TurnBegan) -> None:
        clock = self.match.clock
        account = clock.balances[turn.seat] if isinstance(clock, Accounts) else None
        if not self.lines[turn.seat].say(request(account, self._host.settings.depth)):
            self._lost(turn.seat, "move request")
            return
        self.match.handle(Asked(self._host.time.now(), turn.seat))
        self._watch_the_clock()
        self._take(turn.seat, self._host.time.now())

    def _tell_played(self, played: Played) -> None:
        sent = self.board.wire.write_move(self.match.position, self.match.last_move)
        self._broadcast(Moved(sent.x, sent.y, sent.choice, played.seat + 1), "move")
        self._go_on(self._host.settings.after_move)

    def _tell_violation(self, violated: Violated) -> None:
        fault, offender = violated.fault, self.lines[violated.seat]
        say(
            logging.INFO,
            "disqualified",
            room=self.id,
            seat=violated.seat,
            kind=fault.kind.value,
            detail=fault.detail,
            move=fault.move,
        )
        message = Disqualified(violated.seat + 1)
        if not offender.lost:
            offender.say(message)
        offender.hang_up()
        self._broadcast(message, "disqualification")
        self._go_on(0.0 if self._is_decided() else self._host.settings.after_move)

    def _tell_end(self, ended: Ended) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if not (self._is_decided() or ended.cancelled):
            self._say_to_remaining(EndOfPhase1())
        self._say_to_remaining(EndOfGame())
        for line in self.lines:
            line.hang_up()
        self._host.ended(self)

    def _say_to_remaining(self, message: Message) -> None:
        for seat in self._remaining():
            self.lines[seat].say(message)

    def _broadcast(self, message: Message, what: str) -> None:
        """Tell all who are in. Who cannot be told is out; if that decides it, no more is told."""
        for seat in self._remaining():
            if self.match.faults[seat] is not None:
                continue
            if not self.lines[seat].say(message):
                self._lost(seat, what)
                if self._is_decided():
                    return

    def _lost(self, seat: Seat, what: str) -> None:
        self._host.notify(Gone(self.id, seat, what))
        self._handle(Leave(self._host.time.now(), seat, SEND_FAILED))

    def _remaining(self) -> list[Seat]:
        return [seat for seat, fault in enumerate(self.match.faults) if fault is None]

    def _is_decided(self) -> bool:
        """Whether disqualifications have left one player, or none."""
        return len(self._remaining()) < 2

    # ------------------------------------------------------------------------------------- clock

    def _go_on(self, pause: float) -> None:
        if self._pause is not None:
            return
        if pause:
            self._pause = asyncio.get_running_loop().call_later(pause, self._rested)
        else:
            self._put(GoOn(self._host.time.now()))

    def _rested(self) -> None:
        self._pause = None
        self._put(GoOn(self._host.time.now()))

    def _watch_the_clock(self) -> None:
        """One timer per room, set anew for every request: accounts differ."""
        deadline = self.match.deadline
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline is not None:
            delay = max(0.0, deadline - self._host.time.now())
            self._timer = asyncio.get_running_loop().call_later(delay, self._rang)

    def _rang(self) -> None:
        self._timer = None
        deadline = self.match.deadline
        if deadline is not None and self._host.time.polled() >= deadline:
            self.check_time()
        else:
            self._watch_the_clock()


_TELLERS: dict[type[Any], Callable[[Room, Any], None]] = {
    Began: Room._tell_began,
    TurnBegan: Room._tell_turn,
    Played: Room._tell_played,
    Violated: Room._tell_violation,
    Ended: Room._tell_end,
}
