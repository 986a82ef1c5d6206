"""A table: one match, its seats and its observers. Turns inputs into events and events into bytes.

The room decides nothing. It hands inputs to the referee and tells what follows, in the order and
the words of the game's season.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.match import (
    Asked,
    Began,
    Cancel,
    Ended,
    Event,
    Fault,
    Input,
    Join,
    Kind,
    Leave,
    Match,
    MoveSent,
    PauseChanged,
    PerMove,
    Played,
    Shown,
    TimeUp,
    TurnBegan,
    Violated,
)
from spielleiter.protocol.dialect import Dialect, OnCancel, PausedNotice
from spielleiter.protocol.element import Element, Markup
from spielleiter.protocol.lobby import (
    Error,
    ErrorPacket,
    Joined,
    Left,
    Memento,
    Message,
    MoveRequest,
    Paused,
    Result,
    RoomData,
    Welcome,
)
from spielleiter.protocol.wire import Cause, End, Sent, Wire
from spielleiter.protocol.xml import Leaving, encode
from spielleiter.server.line import Line
from spielleiter.server.log import say
from spielleiter.server.seat import Seat

if TYPE_CHECKING:
    from spielleiter.server.listener import Server


@dataclass(frozen=True, slots=True)
class Start:
    """Where a game begins: a position, and the move that led to it if it was loaded."""

    position: Any
    last: Sent | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """One edition a server offers: the game and how its season speaks."""

    game: Game
    wire: Wire

    @classmethod
    def of(cls, game: Game) -> Table:
        """The edition with the wire of its own folder."""
        wire: Wire = game.part("wire").wire(game)
        return cls(game, wire)


class Room:
    """One match and everybody who has to hear of it."""

    __slots__ = (
        "_in_question",
        "_late",
        "_packet",
        "_refusal",
        "_request",
        "_server",
        "_timer",
        "dialect",
        "error",
        "id",
        "last",
        "match",
        "observers",
        "opened_at",
        "prepared",
        "result",
        "seats",
        "sent",
        "start",
        "table",
        "wire",
    )

    def __init__(
        self,
        server: Server,
        name: str,
        table: Table,
        start: Start,
        seats: list[Seat],
        *,
        paused: bool,
        prepared: bool,
        clock: PerMove | None = None,
    ) -> None:
        self._server = server
        self.id = name
        self.table = table
        self.wire = table.wire
        self.dialect: Dialect = table.wire.dialect
        self.start = start
        self.seats = seats
        self.prepared = prepared
        self.observers: list[Line] = []
        self.opened_at = server.time.now()
        self.match = Match(
            start.position.copy(),
            at=self.opened_at,
            clock=server.settings.clock if clock is None else clock,
            names=[seat.name for seat in seats],
            timed=[seat.timed for seat in seats],
            paused=paused,
        )
        self.last = start.last
        """The last move as it was sent."""
        self.sent: list[Sent] = []
        """All moves as they were sent, if a replay is to be written."""
        self.result: Result | None = None
        self.error: Error | None = None
        """What observers were told about a refused move."""
        self._in_question: Sent | None = None  # the move being judged
        self._refusal = self._packet = ""
        self._request = encode(MoveRequest(name), self.dialect)
        self._late: list[bytes] = []
        self._timer: asyncio.TimerHandle | None = None
        self._tell_sinks([self.match.opened])

    # ----------------------------------------------------------------------------------- inputs

    def take(self, seat: Seat, line: Line) -> None:
        """Somebody takes a seat; the last one starts the game."""
        seat.line = line
        line.rooms.append(self)
        self.handle(Join(self._server.time.now(), seat.number))

    def move(self, line: Line, data: Element, at: float, first: float) -> None:
        """A player sent a move. Raises what `wire.read_move` raises."""
        seat = self._seat_of(line)
        sent = self.wire.read_move(self.match.position, data)
        self._in_question = sent
        time = self._server.time
        self.handle(
            MoveSent(
                at,
                seat.number,
                sent.move,
                first,
                time.now(),
                time.lag(at),
                sent.hints,
                sent.text if sent.move is None else None,
                sent.mistake,
            )
        )

    def sit(self, seat: Seat) -> None:
        """Somebody of this process takes a seat: told by the sinks, answering by `play`."""
        self.handle(Join(self._server.time.now(), seat.number))

    def play(
        self, number: int, move: Any, *, lag: float = 0.0, hints: tuple[str, ...] = ()
    ) -> None:
        """Somebody of this process moves; `lag` is what the answer waited for us."""
        self._in_question = self.wire.sent(self.match.position, move, hints)
        self.handle(MoveSent(self._server.time.now(), number, move, lag=lag, hints=hints))
        self._server.flush()

    def _seat_of(self, line: Line) -> Seat:
        """Who has several seats always moves for the first."""
        for seat in self.seats:
            if seat.line is line:
                return seat
        raise UsageError("this client has no seat here")

    def leave(self, line: Line, cause: Leaving) -> None:
        """A client is gone, from every seat it had here."""
        left = [seat for seat in self.seats if seat.line is line]
        for seat in left:
            seat.line = None
        for seat in left:
            self.handle(Leave(self._server.time.now(), seat.number, cause.name))

    def cancel(self) -> None:
        """End the game now."""
        self.handle(Cancel(self._server.time.now()))

    def asked(self) -> None:
        """The request has left: the clock of the seat on turn runs."""
        seat = self.match.pending
        if seat is not None:
            self.match.handle(Asked(self._server.time.now(), seat))
            if self._timer is None:
                self._watch_the_clock()

    def check_time(self) -> None:
        """Let the referee look at the clock."""
        self.handle(TimeUp(self._server.time.polled()))

    def handle(self, happened: Input) -> None:
        """Hand an input to the referee and tell everybody what follows."""
        events = self.match.handle(happened)
        if not events:
            return
        self._tell_sinks(events)
        last = events[-1]
        if self.dialect.condition_in_state and isinstance(last, Ended) and last.regular:
            self._settle(last)  # the state that is shown before the end tells how it ends
        for event in events:
            teller = _TELLERS.get(type(event))
            if teller is not None:
                teller(self, event)
        for data in self._late:
            self._to_observers(data)
        self._late = []

    # ----------------------------------------------------------------------------------- telling

    def _tell_sinks(self, events: list[Event]) -> None:
        for sink in self._server.sinks:
            try:
                for event in events:
                    sink(self.id, event)
            except Exception:  # whoever listens in must not disturb the game
                logging.getLogger("spielleiter.server").exception("a sink failed")
                self._server.metrics.count("failed", "sink")

    def _tell_began(self, began: Began) -> None:
        for seat in self.seats:
            if self.dialect.joined_when_full and seat.code:
                seat.send(self._encoded(Joined(self.id)))
        for seat, colour in zip(self.seats, self.wire.colours, strict=True):
            seat.send(self._encoded(Welcome(self.id, colour)))
        say(logging.INFO, "game began", room=self.id, game=self.table.game.name)

    def _tell_played(self, played: Played) -> None:
        assert self._in_question is not None
        self.last = self._in_question
        if self._server.settings.replays is not None:
            self.sent.append(self._in_question)
        metrics = self._server.metrics
        metrics.moves += 1
        metrics.thinking.add(played.spent)
        metrics.lag.add(played.receipt.lag)

    def _tell_shown(self, shown: Shown) -> None:
        if not shown.to_players and not self.dialect.paused_start_shows_state:
            return
        state = encode(Memento(self.id, self.state(self.result)), self.dialect)
        if self.observers:
            self._to_observers(self._with_hints(state))
        if shown.to_players:
            for seat in self.seats:
                seat.send(state)

    def _tell_turn(self, turn: TurnBegan) -> None:
        self.seats[turn.seat].send(self._request)
        self._server.first(self.seats[turn.seat].line)
        self._server.asked.append(self)

    def _tell_pause(self, change: PauseChanged) -> None:
        notice = self.dialect.paused_notice
        if notice is PausedNotice.NEVER:
            return
        data = self._encoded(Paused(self.id, change.paused))
        if notice is PausedNotice.AFTER:
            self._late.append(data)
        else:
            self._to_observers(data)

    def _tell_violation(self, violated: Violated) -> None:
        fault, seat = violated.fault, self.seats[violated.seat]
        say(
            logging.INFO,
            "violation",
            room=self.id,
            seat=seat.number,
            kind=fault.kind.value,
            detail=fault.detail,
            move=fault.move,
        )
        if fault.kind is Kind.ILLEGAL:
            self._tell_illegal(seat)
        elif fault.kind in (Kind.OUT_OF_TURN, Kind.UNREQUESTED):
            self._tell_disorder(seat, violated)

    def _tell_illegal(self, seat: Seat) -> None:
        sent = self._in_question
        assert sent is not None
        refusal = self.wire.why_refused(self.match.position, sent)
        assert refusal is not None
        self._refusal, self._packet = refusal.reason, refusal.packet()
        text = refusal.error(self.match.names[seat.number])
        bare = self.dialect.observers_get_bare_mistake
        error = Error(self.id, text, None if bare else sent.element)
        seat.send(self._encoded(error))
        self.error = Error(self.id, refusal.bare) if bare else error
        self._to_observers(self._encoded(self.error))
        if self.dialect.violation_closes_before_result:
            self._dismiss(seat)

    def _tell_disorder(self, seat: Seat, violated: Violated) -> None:
        sent = self._in_question
        assert sent is not None
        on_turn = violated.expected if violated.fault.kind is Kind.OUT_OF_TURN else None
        said = (seat.number, on_turn, self.match.names, sent.text)
        self._refusal = self.wire.disorder(*said)
        seat.send(self._encoded(Error(self.id, self._refusal, sent.element)))
        if self.dialect.out_of_turn_is_leaving:
            self._packet = self.wire.disorder_packet(*said)
            self._dismiss(seat)

    def _dismiss(self, seat: Seat) -> None:
        """Hang up on an offender; the game has already been decided."""
        line, seat.line = seat.line, None
        if line is None:
            return
        if self.dialect.violation_packet and self._in_question is not None:
            request = RoomData(self.id, self._in_question.element)
            line.send(self._encoded(ErrorPacket(self._packet, request)))
        line.close(Leaving.RECEIVED_DISCONNECT, announce=True)

    def _tell_end(self, ended: Ended) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._settle(ended)
        if self.dialect.condition_in_state and self.match.began and not ended.regular:
            self._tell_shown(Shown(ended.number, ended.at, self.match.position.ply, True))
        assert self.result is not None
        if not (ended.cancelled and self.dialect.on_cancel is OnCancel.NO_RESULT):
            self._to_all(self._encoded(self.result))
        self._server.lobby.closed(self)
        self._to_all(self._encoded(Left(self.id)))
        self._count_end(ended)
        self._part(ended)

    def _settle(self, ended: Ended) -> None:
        if self.result is None:
            end = self._end(ended)
            self.result = self.wire.result(self.id, self.match.position, self.match.names, end)

    def _end(self, ended: Ended) -> End:
        faults = [(seat, fault) for seat, fault in enumerate(ended.faults) if fault is not None]
        if not faults:
            return End(Cause.CANCELLED if ended.cancelled else Cause.REGULAR)
        cause, detail = self._cause(faults[0][1])
        clock = self.match.clock
        assert isinstance(clock, PerMove)
        offenders = tuple(seat for seat, _ in faults)
        return End(cause, offenders, detail, clock.soft or 0.0, clock.hard or 0.0)

    def _cause(self, fault: Fault) -> tuple[Cause, str]:
        if fault.kind is Kind.LEFT:
            return Cause.LEFT, fault.detail
        if fault.kind is Kind.ILLEGAL:
            return Cause.RULE_VIOLATION, self._refusal
        if fault.kind is Kind.LATE:
            return Cause.SOFT_TIMEOUT, ""
        if fault.kind is Kind.SILENT:
            return Cause.HARD_TIMEOUT, ""
        if self.dialect.out_of_turn_is_leaving:
            return Cause.LEFT, Leaving.UNKNOWN.name
        return Cause.DISORDER, self._refusal

    def _count_end(self, ended: Ended) -> None:
        how = "cancelled" if ended.cancelled else "regular"
        for fault in ended.faults:
            how = how if fault is None else fault.kind.value
        self._server.metrics.count("ended", how)
        say(
            logging.INFO,
            "game ended",
            room=self.id,
            how=how,
            ranks=ended.outcome.ranks,
            scores=ended.outcome.scores,
            plies=self.match.position.ply,
        )

    def _part(self, ended: Ended) -> None:
        """Let everybody go: most seasons keep the connection, some hang up."""
        for seat in self.seats:
            line, seat.line = seat.line, None
            if line is None:
                continue
            line.rooms.remove(self)
            fault = ended.faults[seat.number]
            if fault is not None and fault.kind is Kind.ILLEGAL and self.dialect.violation_closes:
                seat.line = line
                self._dismiss(seat)
            elif self.dialect.closes_after_game:
                line.close(Leaving.RECEIVED_DISCONNECT)
        for line in self.observers:
            line.watched.remove(self)
            if self.dialect.closes_after_game and not line.is_admin:
                line.close(Leaving.RECEIVED_DISCONNECT)
        self.observers = []

    # ----------------------------------------------------------------------------------- states

    def state(self, result: Result | None = None, *, hints: bool = False) -> Markup:
        """The present state, as the season writes it."""
        shown = self.last.hints if hints and self.last is not None else ()
        return self.wire.state(
            self.match.position, self.last, self.match.names, result=result, hints=shown
        )

    def _with_hints(self, state: bytes) -> bytes:
        if not self.dialect.passes_hints or self.last is None or not self.last.hints:
            return state
        return encode(Memento(self.id, self.state(self.result, hints=True)), self.dialect)

    # ---------------------------------------------------------------------------------- sending

    def _encoded(self, message: Message) -> bytes:
        return encode(message, self.dialect)

    def _to_observers(self, data: bytes) -> None:
        for line in self.observers:
            line.send(data)

    def _to_all(self, data: bytes) -> None:
        for seat in self.seats:
            seat.send(data)
        self._to_observers(data)

    # ------------------------------------------------------------------------------------ clock

    def _watch_the_clock(self) -> None:
        """One timer per room: it looks for the present deadline when it rings."""
        deadline = self.match.deadline
        if deadline is not None:
            delay = max(0.0, deadline - self._server.time.now())
            self._timer = asyncio.get_running_loop().call_later(delay, self._rang)

    def _rang(self) -> None:
        self._timer = None
        deadline = self.match.deadline
        if deadline is not None and self._server.time.polled() >= deadline:
            self.check_time()
            self._server.flush()
        else:
            self._watch_the_clock()


_TELLERS: dict[type[Any], Callable[[Room, Any], None]] = {
    Began: Room._tell_began,
    Played: Room._tell_played,
    Shown: Room._tell_shown,
    TurnBegan: Room._tell_turn,
    PauseChanged: Room._tell_pause,
    Violated: Room._tell_violation,
    Ended: Room._tell_end,
}
