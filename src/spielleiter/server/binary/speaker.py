"""The binary speaker: sends events of a table to its players in the course's protocol.

The match is stepwise: a move or a disqualification is first sent to all players, so that lost
connections are found before the next request or the end.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import assert_never

from spielleiter.errors import PeerError
from spielleiter.game import Seat
from spielleiter.match import (
    Began,
    Consequence,
    Ended,
    Event,
    Leave,
    Match,
    MoveSent,
    Opened,
    PauseChanged,
    Played,
    Seated,
    Shown,
    TakenBack,
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
from spielleiter.server.binary.connection import BinaryConnection, NoConnection
from spielleiter.server.binary.notices import Notice, SendFailed, Unreadable
from spielleiter.server.binary.settings import Arranged, BinarySettings, Board
from spielleiter.server.log import say
from spielleiter.server.table import Sink, Table
from spielleiter.server.timekeeper import Timekeeper

RECEIVE_FAILED = "receive failed"
INVALID_MESSAGE = "invalid message"
SEND_FAILED = "send failed"
"""Why a player left, in the words of the course's server."""


class BinarySpeaker:
    """One game: a table and the connections of its players, in seat order."""

    def __init__(
        self,
        name: str,
        board: Board,
        clients: Sequence[BinaryConnection | NoConnection],
        settings: BinarySettings,
        *,
        time: Timekeeper,
        sinks: Sequence[Sink] = (),
        notify: Callable[[Notice], None] = lambda notice: None,
        ended: Callable[[BinarySpeaker], None] = lambda room: None,
        arranged: Arranged | None = None,
    ) -> None:
        self.id, self.board, self.clients = name, board, list(clients)
        self._settings, self._time = settings, time
        self._notify, self._ended = notify, ended
        self._pause: asyncio.TimerHandle | None = None
        self.match = Match(
            board.start(),
            at=time.now(),
            clock=settings.clock(len(self.clients)),
            names=arranged.names if arranged else [str(each.group) for each in self.clients],
            timed=arranged.timed if arranged else [each.group != HUMAN for each in self.clients],
            paused=arranged is not None and arranged.paused,
            consequence=Consequence.DISQUALIFIES,
            stepwise=True,
        )
        self.table = Table(name, self.match, time=time, sinks=sinks)
        self.table.speaker = self

    # ----------------------------------------------------------------------------------- inputs

    def begin(self) -> None:
        """All seats are taken."""
        for seat in range(len(self.clients)):
            self.table.join(seat)

    def take(self, client: BinaryConnection) -> None:
        """A client takes the first seat that is free."""
        seat = next(seat for seat in range(len(self.clients)) if seat not in self.match.present)
        self.clients[seat] = client
        self.table.join(seat)

    def heard(self, client: BinaryConnection, at: float) -> None:
        """Input or the end of a player's stream; read only if the player was asked."""
        seat = self.match.pending
        if seat is not None and self.clients[seat] is client:
            self._take(seat, at)

    def _take(self, seat: Seat, at: float) -> None:
        """Read the answer of the player who was asked, as far as it has arrived."""
        client = self.clients[seat]
        try:
            message = client.next()
        except BadFrame as problem:
            self._unreadable(seat, problem, RECEIVE_FAILED)
        except Unexpected as problem:
            self._unreadable(seat, problem, INVALID_MESSAGE)
        else:
            if message is not None:
                assert isinstance(message, Move), "nothing else may come from who was asked"
                self._answer(seat, message, at)
            elif client.ended:
                self._unreadable(seat, PeerError("the connection was closed"), RECEIVE_FAILED)

    def _unreadable(self, seat: Seat, problem: PeerError, cause: str) -> None:
        self._notify(Unreadable(self.id, seat, problem))
        self.table.leave(seat, cause)

    def _answer(self, seat: Seat, message: Move, at: float) -> None:
        time, client = self._time, self.clients[seat]
        read = self.board.wire.read_move(self.match.position, message)
        self.table.put(
            MoveSent(
                at,
                seat,
                read.move,
                first_byte=client.first,
                judged=time.now(),
                lag=time.lag(at, client.socket),
                text=read.text,
                mistake=read.mistake,
            )
        )

    # ---------------------------------------------------------------------------------- speaking

    def judging(self, sent: MoveSent) -> None:
        """Nothing to do: a move is sent as it was played."""

    def tell(self, events: Sequence[Event]) -> None:
        """Tell the players what followed from one input."""
        for event in events:
            self._tell(event)

    def flush(self) -> None:
        """Nothing waits: every message is written at once."""

    def _tell(self, event: Event) -> None:
        match event:
            case Began():
                self._tell_began()
            case TurnBegan():
                self._tell_turn(event)
            case Played():
                self._tell_played(event)
            case Violated():
                self._tell_violation(event)
            case Ended():
                self._tell_end(event)
            case Opened() | Seated() | Shown() | PauseChanged() | TakenBack():
                pass
            case _:
                assert_never(event)

    def _tell_began(self) -> None:
        told = [
            client.say(Map(self.board.text)) and client.say(Player(seat + 1))
            for seat, client in enumerate(self.clients)
        ]
        for seat in (seat for seat, was_told in enumerate(told) if not was_told):
            self._lost(seat, "game data")
        self._proceed_after(self._settings.before_game)

    def _tell_turn(self, turn: TurnBegan) -> None:
        allowed = self.match.clock.allowed(turn.seat)
        if not self.clients[turn.seat].say(request(allowed, self._settings.depth)):
            self._lost(turn.seat, "move request")
            return
        self.table.asked()
        self._take(turn.seat, self._time.now())

    def _tell_played(self, played: Played) -> None:
        assert self.match.last_move is not None, "a move was played"
        sent = self.board.wire.write_move(self.match.position, self.match.last_move)
        self._broadcast(Moved(sent.x, sent.y, sent.choice, played.seat + 1), "move")
        self._proceed_after(self._settings.after_move)

    def _tell_violation(self, violated: Violated) -> None:
        fault, offender = violated.fault, self.clients[violated.seat]
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
        self._proceed_after(0.0 if self._is_decided() else self._settings.after_move)

    def _tell_end(self, ended: Ended) -> None:
        if not (self._is_decided() or ended.cancelled):
            self._say_to_remaining(EndOfPhase1())
        self._say_to_remaining(EndOfGame())
        for client in self.clients:
            client.hang_up()
        self._ended(self)

    def _say_to_remaining(self, message: Message) -> None:
        for seat in self._remaining():
            self.clients[seat].say(message)

    def _broadcast(self, message: Message, what: str) -> None:
        """Send to all remaining players; an unreachable one is out. Stop if that decides it."""
        for seat in self._remaining():
            if self.match.faults[seat] is not None:
                continue
            if not self.clients[seat].say(message):
                self._lost(seat, what)
                if self._is_decided():
                    return

    def _lost(self, seat: Seat, what: str) -> None:
        self._notify(SendFailed(self.id, seat, what))
        self.table.handle_now(Leave(self._time.now(), seat, SEND_FAILED))

    def _remaining(self) -> list[Seat]:
        return [seat for seat, fault in enumerate(self.match.faults) if fault is None]

    def _is_decided(self) -> bool:
        """Whether disqualifications have left one player, or none."""
        return len(self._remaining()) < 2

    # ----------------------------------------------------------------------------------- pauses

    def _proceed_after(self, pause: float) -> None:
        if self._pause is not None:
            return
        if pause:
            self._pause = asyncio.get_running_loop().call_later(pause, self._rested)
        else:
            self.table.proceed()

    def _rested(self) -> None:
        self._pause = None
        self.table.proceed()
