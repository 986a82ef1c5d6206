"""A table: one match with its inputs, and the receivers of its events.

    table = Table("1", match, time=Timekeeper(), sinks=[record.append])
    table.join(0); table.join(1)          # TurnBegan reaches the sinks
    table.play(0, move)                   # so does Played, and the next TurnBegan

All inputs pass through one inbox, the timer's too, so they have one order. The events that follow
go to the sinks first and then to the *speaker*, which sends them to the players: in XML, in the
course's binary protocol, or not at all if all players are local and listen as sinks.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol

from spielleiter.game import Move, Position, Seat
from spielleiter.match import (
    Cancel,
    Event,
    Input,
    Join,
    Leave,
    Match,
    MoveSent,
    Pause,
    Proceed,
    Step,
    TakeBack,
    TimeUp,
    TurnBegan,
)
from spielleiter.server.timekeeper import Timekeeper

Sink = Callable[[str, Event], None]
"""Receives every event of every table. It must not block: a slow one needs a queue."""


class Speaker(Protocol):
    """Sends events of one table to its players in their protocol.

    It calls `table.asked()` as soon as a request was sent.
    """

    def judging(self, sent: MoveSent) -> None:
        """This move is judged next."""
        ...

    def tell(self, events: Sequence[Event]) -> None:
        """Send the players what followed from one input."""
        ...

    def flush(self) -> None:
        """Write queued output: the inbox is empty."""
        ...


class TimeCredit(Protocol):
    """Measures delays while players think that are not their fault."""

    def asking(self, seat: Seat) -> None:
        """A request is about to leave."""
        ...

    def asked(self, seat: Seat) -> None:
        """A request has left."""
        ...

    def credit(self, seat: Seat) -> float:
        """Seconds since the request that are not charged."""
        ...


class LocalSpeaker:
    """The speaker of a table whose players are all local: the sinks inform them."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def judging(self, sent: MoveSent) -> None:
        """Nothing to do for a local move."""

    def tell(self, events: Sequence[Event]) -> None:
        """Start the clock: the sinks have passed on the request."""
        for event in events:
            if isinstance(event, TurnBegan):
                self._table.asked()

    def flush(self) -> None:
        """Nothing waits to be written."""


class Table:
    """One match with its inbox, its timer and its sinks."""

    __slots__ = (
        "_busy",
        "_failed",
        "_inbox",
        "_rings",
        "_sinks",
        "_timer",
        "id",
        "match",
        "sinks_may_wait",
        "speaker",
        "time",
        "time_credit",
    )

    def __init__(
        self,
        name: str,
        match: Match,
        *,
        time: Timekeeper,
        sinks: Sequence[Sink] = (),
        failed: Callable[[], None] = lambda: None,
    ) -> None:
        self.id, self.match, self.time = name, match, time
        self.speaker: Speaker = LocalSpeaker(self)
        self.time_credit: TimeCredit | None = None
        self.sinks_may_wait = False
        """Whether sinks are told of an ordinary move only after the players."""
        self._sinks, self._failed = tuple(sinks), failed
        self._inbox: deque[Input] = deque()
        self._busy = False
        self._timer: asyncio.TimerHandle | None = None
        self._rings = 0.0
        self._tell_sinks([match.opened])

    # ------------------------------------------------------------------------------------- verbs

    def join(self, seat: Seat) -> None:
        """A player takes a seat; the last one starts the game."""
        self.put(Join(self.time.now(), seat))

    def play(
        self, seat: Seat, move: Move, *, lag: float = 0.0, hints: tuple[str, ...] = ()
    ) -> None:
        """A local player moves; `lag` is how long the answer waited for us."""
        self.put(MoveSent(self.time.now(), seat, move, lag=lag, hints=hints))

    def leave(self, seat: Seat, cause: str) -> None:
        """A player is gone for good."""
        self.put(Leave(self.time.now(), seat, cause))

    def pause(self, paused: bool) -> None:
        """Pause or resume the game."""
        self.put(Pause(self.time.now(), paused))

    def take_back(self, seat: Seat, turn: int, position: Position) -> None:
        """All players agree that the game goes on from an earlier position."""
        self.put(TakeBack(self.time.now(), seat, turn, position))

    def step(self, *, forced: bool = False) -> None:
        """Play one move in a paused game; `forced` ends a game that lacks players."""
        self.put(Step(self.time.now(), forced))

    def proceed(self) -> None:
        """Continue a stepwise match: all clients were informed."""
        self.put(Proceed(self.time.now()))

    def cancel(self) -> None:
        """End the game now."""
        self.put(Cancel(self.time.now()))

    def check_time(self) -> None:
        """Let the referee look at the clock."""
        heard = self.time.heard_until()
        self.put(TimeUp(heard, self.time.gap(self.match.asked, heard)))

    def asked(self) -> None:
        """Start the clock of the seat on turn: the request was sent."""
        seat = self.match.pending
        if seat is not None:
            if self.time_credit is not None:
                self.time_credit.asked(seat)
            self.match.note_asked(self.time.now())
            self._watch_the_clock()

    # ------------------------------------------------------------------------------------- inbox

    def put(self, happened: Input) -> None:
        """Handle an input after those that came before it."""
        self._inbox.append(happened)
        if self._busy:
            return
        self._busy = True
        try:
            while self._inbox:
                self.handle_now(self._inbox.popleft())
        finally:
            self._busy = False
            self.speaker.flush()

    def play_at_once(self, seat: Seat, move: Move, came: float) -> list[Event] | None:
        """Fast path for an ordinary move; None: it is not ordinary, and nothing was done.

        Ordinary is a legal move in time by the seat that was asked, while no sink listens that must
        be told first. Then the match is as `put` would leave it. The caller sends the move, and
        either the next request or, if the game has ended, the events; and it calls `played_at_once`
        when sinks may be told.
        """
        match, asked = self.match, self.match.asked
        if asked is None or match.pending != seat or not self._is_usual():
            return None
        late = match.expired(came - asked) or self.time.gap(asked, came)
        if late or match.position.why_illegal(move) is not None:
            return None
        events = match.answer(seat, move, asked, came)
        if match.ended is not None:
            self._stop_watching()
        elif self.time_credit is not None and match.pending is not None:
            self.time_credit.asking(match.pending)
        return events

    def played_at_once(self, sent: MoveSent, asked: float, events: list[Event]) -> None:
        """Tell the sinks of a move for which `play_at_once` returned these events."""
        self._tell_sinks(self.match.answered(sent, asked, events))

    @property
    def is_heard(self) -> bool:
        """Whether there are sinks."""
        return bool(self._sinks)

    def _is_usual(self) -> bool:
        is_free = self.sinks_may_wait or not self._sinks
        return is_free and not (self._busy or self.match.paused or self.match.stepwise)

    def handle_now(self, happened: Input) -> None:
        """Handle an input before those that wait: for what a speaker notices while it sends."""
        if isinstance(happened, MoveSent):
            self.speaker.judging(happened)
            happened = self._credited(happened)
        events = self.match.handle(happened)
        if not events:
            return
        if self.match.ended is not None:
            self._stop_watching()
        self._tell_sinks(events)
        if self.time_credit is not None:
            for event in events:
                if isinstance(event, TurnBegan):
                    self.time_credit.asking(event.seat)
        self.speaker.tell(events)

    def _credited(self, sent: MoveSent) -> MoveSent:
        """The same move, with the time in which its player could not run."""
        asked, came = self.match.asked, sent.at - sent.lag
        if asked is None or self.match.pending != sent.seat:
            return sent
        gap = self.time.gap(asked, came)
        if self.time_credit is not None and self.match.expired(came - gap - asked):
            gap += self.time_credit.credit(sent.seat)
        return replace(sent, gap=gap) if gap else sent

    def _tell_sinks(self, events: Sequence[Event]) -> None:
        for sink in self._sinks:
            try:
                for event in events:
                    sink(self.id, event)
            except Exception:  # a sink that fails must not disturb the game
                logging.getLogger("spielleiter.server").exception("a sink failed")
                self._failed()

    # ------------------------------------------------------------------------------------- timer

    def _watch_the_clock(self) -> None:
        """Set the timer to the deadline, unless it rings earlier anyway."""
        earliest = self.match.deadline
        if earliest is None or (self._timer is not None and self._rings <= earliest):
            return
        deadline = earliest + self.time.gap(self.match.asked, self.time.now())
        self._stop_watching()
        delay = max(0.0, deadline - self.time.now())
        self._timer = asyncio.get_running_loop().call_later(delay, self._rang)
        self._rings = deadline

    def _deadline(self) -> float | None:
        """When the referee stops waiting, extended by our own stalls."""
        deadline, asked = self.match.deadline, self.match.asked
        return None if deadline is None else deadline + self.time.gap(asked, self.time.now())

    def _rang(self) -> None:
        self._timer = None
        deadline = self._deadline()
        if deadline is not None and self.time.heard_until() >= deadline:
            self.check_time()
        else:
            self._watch_the_clock()

    def _stop_watching(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
