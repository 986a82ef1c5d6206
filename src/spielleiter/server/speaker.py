"""The XML speaker: sends events of a table to players and observers in their season's dialect.

It decides nothing. It turns messages of clients into inputs for the table, and events into
messages, in the order and spelling of the game's season.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import assert_never

from spielleiter.errors import UsageError
from spielleiter.match import (
    Began,
    Ended,
    Event,
    Fault,
    Kind,
    Match,
    MoveSent,
    Opened,
    PauseChanged,
    PerMove,
    Played,
    Seated,
    Shown,
    TakenBack,
    TurnBegan,
    Violated,
)
from spielleiter.protocol.dialect import Dialect, OnCancel, PausedNotice
from spielleiter.protocol.element import Element, Markup, attribute
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
from spielleiter.protocol.wire import Cause, End, Sent
from spielleiter.protocol.xml import LeaveCause, encode, encode_streamed
from spielleiter.server.connection import XmlConnection
from spielleiter.server.log import say
from spielleiter.server.resources import Resources
from spielleiter.server.seat import RoomSeat
from spielleiter.server.served_game import ServedGame, Start
from spielleiter.server.table import Table


class XmlSpeaker:
    """One room: a table, its seats and its observers."""

    __slots__ = (
        "_are_apart",
        "_closed",
        "_escaped_id",
        "_in_question",
        "_late",
        "_packet",
        "_read",
        "_refusal",
        "_request",
        "_resources",
        "_start_is_known",
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
        "served",
        "start",
        "table",
        "wire",
    )

    def __init__(
        self,
        resources: Resources,
        name: str,
        served: ServedGame,
        start: Start,
        seats: list[RoomSeat],
        *,
        paused: bool,
        prepared: bool,
        closed: Callable[[XmlSpeaker], None],
        clock: PerMove | None = None,
    ) -> None:
        self._resources, self._closed = resources, closed
        self.id = name
        self.served, self.wire = served, served.wire
        self.dialect: Dialect = served.wire.dialect
        self.start = start
        self.seats = seats
        self.prepared = prepared
        self.observers: list[XmlConnection] = []
        self.opened_at = resources.time.now()
        self.match = Match(
            start.position.copy(),
            at=self.opened_at,
            clock=resources.settings.clock if clock is None else clock,
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
        self._read: Sent | None = None  # the move a client has just sent
        self._in_question: Sent | None = None  # the move being judged
        self._refusal = self._packet = ""
        self._escaped_id = attribute(name)
        self._request = encode(MoveRequest(name), self.dialect)
        self._late: list[bytes] = []
        self._start_is_known = False  # to the players, though the game is held
        self._are_apart = False  # every seat has a connection of its own
        self.table = Table(
            name,
            self.match,
            time=resources.time,
            sinks=resources.sinks,
            failed=lambda: resources.metrics.count("failed", "sink"),
        )
        self.table.speaker = self

    # ----------------------------------------------------------------------------------- inputs

    def take(self, seat: RoomSeat, client: XmlConnection) -> None:
        """A client takes a seat; the last one starts the game."""
        seat.client = client
        client.rooms.append(self)
        self._are_apart = len({each.client for each in self.seats}) == len(self.seats)
        self.table.join(seat.number)

    def move(self, client: XmlConnection, data: Element, at: float, first: float) -> None:
        """A player sent a move. Raises what `wire.read_move` raises."""
        if self.play_at_once(client, data, at, first):
            return
        seat, time = self._seat_of(client).number, self._resources.time
        self._read = sent = self.wire.read_move(self.match.position, data)
        lag = time.lag(at, client.socket)
        said = (sent.hints, sent.text if sent.move is None else None, sent.mistake)
        self.table.put(MoveSent(at, seat, sent.move, first, time.now(), lag, *said))

    def play_at_once(self, client: XmlConnection, data: Element, at: float, first: float) -> bool:
        """Fast path for an ordinary move; False: it is not ordinary, and nothing was done.

        Sends the same messages as `tell`. Raises what `wire.read_move` raises.
        """
        asked = self.match.asked
        if asked is None or (seat := self._seat_of(client).number) != self.match.pending:
            return False
        sent = self.wire.read_move(self.match.position, data)
        if sent.move is None or sent.mistake is not None:
            return False
        time = self._resources.time
        lag, judged = time.lag(at, client.socket, asked), time.now()
        events = self.table.play_at_once(seat, sent.move, at - lag)
        if events is None:
            return False
        self._note_played(sent, max(0.0, at - lag - asked), lag)
        if not events:
            self._tell_next_turn()
        if self.table.is_heard:
            moved = MoveSent(at, seat, sent.move, first, judged, lag, sent.hints)
            self.table.played_at_once(moved, asked, events)
        if events:
            self.tell(events)
            self.flush()
        return True

    def _tell_next_turn(self) -> None:
        """Show the position and ask for the next move, in one piece to each player."""
        state, pending = self._memento(), self.match.pending
        assert pending is not None, "the game goes on"
        if self.observers or not self._are_apart:
            self._show(state, to_players=True)
            self._request_move(pending)
            self.flush()
            return
        for seat in self.seats[pending:] + self.seats[:pending]:  # who has to think comes first
            if seat.client is not None:
                asked = seat.number == pending
                seat.client.send_at_once(state + self._request if asked else state)
        self.table.asked()

    def _seat_of(self, client: XmlConnection) -> RoomSeat:
        """A client with several seats always moves for the first."""
        for seat in self.seats:
            if seat.client is client:
                return seat
        raise UsageError("this client has no seat here")

    def leave(self, client: XmlConnection, cause: LeaveCause) -> None:
        """A client is gone, from every seat it had here."""
        left = [seat for seat in self.seats if seat.client is client]
        for seat in left:
            seat.client = None
        for seat in left:
            self.table.leave(seat.number, cause.name)

    def stop_observing(self, client: XmlConnection) -> None:
        """An observer is gone."""
        self.observers.remove(client)

    # ---------------------------------------------------------------------------------- speaking

    def judging(self, sent: MoveSent) -> None:
        """Keep the spelling of a move: as it was sent, or ours for a local player."""
        read, self._read = self._read, None
        if read is None or read.move is not sent.move:
            assert sent.move is not None, "a player of this process sends moves of the game"
            read = self.wire.sent(self.match.position, sent.move, sent.hints)
        self._in_question = read

    def tell(self, events: Sequence[Event]) -> None:
        """Send everybody what followed from one input."""
        last = events[-1]
        if self.dialect.condition_in_state and isinstance(last, Ended) and last.regular:
            self._settle(last)  # the state that is shown before the end tells how it ends
        for event in events:
            self._tell(event)
        for data in self._late:
            self._to_observers(data)
        self._late = []

    def flush(self) -> None:
        """Write queued output of all rooms of the server."""
        self._resources.outbox.flush()

    def _tell(self, event: Event) -> None:
        match event:
            case Shown():
                self._tell_shown(event)
            case TurnBegan():
                self._tell_turn(event)
            case Played():
                self._tell_played(event)
            case Began():
                self._tell_began()
            case PauseChanged():
                self._tell_pause(event)
            case Violated():
                self._tell_violation(event)
            case Ended():
                self._tell_end(event)
            case Opened() | Seated() | TakenBack():  # only people and ours take back
                pass
            case _:
                assert_never(event)

    def _tell_began(self) -> None:
        for seat in self.seats:
            if self.dialect.joined_when_full and seat.code:
                seat.send(self._encoded(Joined(self.id)))
        for seat, colour in zip(self.seats, self.wire.colours, strict=True):
            seat.send(self._encoded(Welcome(self.id, colour)))
        say(logging.INFO, "game began", room=self.id, game=self.served.game.name)

    def _tell_played(self, played: Played) -> None:
        assert self._in_question is not None
        self._note_played(self._in_question, played.spent, played.receipt.lag)

    def _note_played(self, sent: Sent, spent: float, lag: float) -> None:
        self.last = sent
        if self._resources.settings.replays is not None:
            self.sent.append(sent)
        metrics = self._resources.metrics
        metrics.moves += 1
        metrics.thinking.add(spent)
        metrics.lag.add(lag)

    def _tell_shown(self, shown: Shown) -> None:
        to_players = self._is_for_players(shown)
        if not (shown.to_players or to_players or self.dialect.paused_start_shows_state):
            return
        self._show(self._memento(), to_players=to_players)

    def _show(self, state: bytes, *, to_players: bool) -> None:
        if self.observers:
            self._to_observers(self._with_hints(state))
        if to_players:
            for seat in self.seats:
                seat.send(state)

    def _is_for_players(self, shown: Shown) -> bool:
        """Whether players get this state; to the letter, also a paused start is shown."""
        is_start = shown.ply == self.start.position.ply and self.result is None
        if not (self.dialect.paused_start_tells_players and is_start):
            return shown.to_players
        known, self._start_is_known = self._start_is_known, True
        return not known

    def _tell_turn(self, turn: TurnBegan) -> None:
        self._request_move(turn.seat)

    def _request_move(self, seat: int) -> None:
        self.seats[seat].send(self._request)
        self._resources.outbox.request(self.table, self.seats[seat].client)

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

    def _tell_illegal(self, seat: RoomSeat) -> None:
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

    def _tell_disorder(self, seat: RoomSeat, violated: Violated) -> None:
        sent = self._in_question
        assert sent is not None
        on_turn = violated.expected if violated.fault.kind is Kind.OUT_OF_TURN else None
        said = (seat.number, on_turn, self.match.names, sent.text)
        self._refusal = self.wire.disorder(*said)
        seat.send(self._encoded(Error(self.id, self._refusal, sent.element)))
        if self.dialect.out_of_turn_is_leaving:
            self._packet = self.wire.disorder_packet(*said)
            self._dismiss(seat)

    def _dismiss(self, seat: RoomSeat) -> None:
        """Close an offender's connection; the game has already been decided."""
        client, seat.client = seat.client, None
        if client is None:
            return
        if self.dialect.violation_packet and self._in_question is not None:
            request = RoomData(self.id, self._in_question.element)
            client.send(self._encoded(ErrorPacket(self._packet, request)))
        client.close(LeaveCause.RECEIVED_DISCONNECT, announce=True)

    def _tell_end(self, ended: Ended) -> None:
        self._settle(ended)
        if self.dialect.condition_in_state and self.match.began and not ended.regular:
            self._tell_shown(Shown(ended.number, ended.at, self.match.position.ply, True))
        assert self.result is not None
        if not (ended.cancelled and self.dialect.on_cancel is OnCancel.NO_RESULT):
            self._to_all(self._encoded(self.result))
        self._closed(self)
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
            return Cause.LEFT, LeaveCause.UNKNOWN.name
        return Cause.DISORDER, self._refusal

    def _count_end(self, ended: Ended) -> None:
        how = "cancelled" if ended.cancelled else "regular"
        for fault in ended.faults:
            how = how if fault is None else fault.kind.value
        self._resources.metrics.count("ended", how)
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
        """Dismiss all clients: most seasons keep the connection, some close it."""
        for seat in self.seats:
            client, seat.client = seat.client, None
            if client is None:
                continue
            client.rooms.remove(self)
            fault = ended.faults[seat.number]
            if fault is not None and fault.kind is Kind.ILLEGAL and self.dialect.violation_closes:
                seat.client = client
                self._dismiss(seat)
            elif self.dialect.closes_after_game:
                client.close(LeaveCause.RECEIVED_DISCONNECT)
        for client in self.observers:
            client.watched.remove(self)
            if self.dialect.closes_after_game and not client.is_admin:
                client.close(LeaveCause.RECEIVED_DISCONNECT)
        self.observers = []

    # ----------------------------------------------------------------------------------- states

    def state(self, result: Result | None = None, *, hints: bool = False) -> Markup:
        """The present state, as the season writes it."""
        shown = self.last.hints if hints and self.last is not None else ()
        return self.wire.state(
            self.match.position, self.last, self.match.names, result=result, hints=shown
        )

    def _memento(self) -> bytes:
        """The present state, for players."""
        if self.result is not None:  # it may stand in the state
            return encode(Memento(self.id, self.state(self.result)), self.dialect)
        told = self.wire.streamed(self.match.position, self.last, self.match.names)
        return encode_streamed(self._escaped_id, told)

    def _with_hints(self, state: bytes) -> bytes:
        if not self.dialect.passes_hints or self.last is None or not self.last.hints:
            return state
        return encode(Memento(self.id, self.state(self.result, hints=True)), self.dialect)

    # ---------------------------------------------------------------------------------- sending

    def _encoded(self, message: Message) -> bytes:
        return encode(message, self.dialect)

    def _to_observers(self, data: bytes) -> None:
        for client in self.observers:
            client.send(data)

    def _to_all(self, data: bytes) -> None:
        for seat in self.seats:
            seat.send(data)
        self._to_observers(data)
