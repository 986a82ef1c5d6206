"""The referee of one game: the only place that combines rules and clock.

`Match.handle` takes an input and gives the events that follow from it. It does no IO, reads no
clock and uses no random numbers, so every match can be replayed. A move is judged in this order:
whose turn is it, was it in time, is it legal.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Self, assert_never

from spielleiter.errors import IllegalMove, UsageError
from spielleiter.game import Move, Outcome, Position, Seat, can_disqualify
from spielleiter.match.clock import MatchClock, PerMove
from spielleiter.match.events import (
    Began,
    Ended,
    Event,
    Fault,
    Kind,
    Opened,
    PauseChanged,
    Played,
    PositionStated,
    Receipt,
    RecordedEvent,
    Seated,
    Shown,
    TakenBack,
    TurnBegan,
    Violated,
)
from spielleiter.match.inputs import (
    Asked,
    Cancel,
    Input,
    Join,
    Leave,
    MoveSent,
    Pause,
    Proceed,
    Step,
    TakeBack,
    TimeUp,
)

NOT_CONNECTED = "NOT_CONNECTED"
RESIGNED = "RESIGNED"
"""Why a seat is empty, besides what a connection can say."""


class Consequence(enum.Enum):
    """What a violation leads to."""

    ENDS_GAME = "the game ends, the others win"
    DISQUALIFIES = "the seat is out, the game goes on"


class Match:
    """The referee of one game.

    `names` and `timed` have one entry per seat; a seat that is not timed may think as long as it
    likes. A position of a game whose consequence is DISQUALIFIES has the verb `disqualify(seat)`. A
    `stepwise` match waits for `Proceed` before it asks for the next move or ends, so that a server
    can first send the move to all clients and see who has left.
    """

    __slots__ = (
        "_asked",
        "_held",
        "_next",
        "_pending",
        "clock",
        "consequence",
        "ended",
        "faults",
        "last_move",
        "names",
        "opened",
        "paused",
        "position",
        "present",
        "stepwise",
        "timed",
    )

    def __init__(
        self,
        position: Position,
        *,
        at: float = 0.0,
        clock: MatchClock | None = None,
        names: Sequence[str] = (),
        timed: Sequence[bool] = (),
        paused: bool = False,
        consequence: Consequence = Consequence.ENDS_GAME,
        stepwise: bool = False,
    ) -> None:
        seats = position.seats
        self.position = position
        self.clock: MatchClock = clock or PerMove()
        self.names = tuple(names) or ("",) * seats
        self.timed = tuple(timed) or (True,) * seats
        if len(self.names) != seats or len(self.timed) != seats:
            raise UsageError(f"this position has {seats} seats: name and time every one of them")
        self.paused = paused
        self.consequence = consequence
        self.stepwise = stepwise
        self.present: set[Seat] = set()
        self.faults: list[Fault | None] = [None] * seats
        self.last_move: Move | None = None
        self.ended: Ended | None = None
        self._pending: Seat | None = None  # the seat that owes an answer
        self._asked: float | None = None  # when its request was written
        self._held = False  # a stepwise match that waits for Proceed
        self._next = 1
        self.opened = Opened(
            0,
            at,
            position.edition,
            position.authority,
            position.text(),
            self.names,
            self.timed,
            self.clock,
            paused,
            consequence.name,
        )

    # ---------------------------------------------------------------------------------- questions

    @property
    def began(self) -> bool:
        """Whether all seats have been taken."""
        return len(self.present) == len(self.names)

    @property
    def pending(self) -> Seat | None:
        """The seat that owes an answer, if any."""
        return self._pending

    @property
    def asked(self) -> float | None:
        """When the pending request was written; None: no clock is running."""
        return self._asked

    def expired(self, spent: float) -> bool:
        """Whether an answer to the pending request would be too late after that time."""
        seat = self._pending
        return seat is not None and self.timed[seat] and self.clock.expired(seat, spent)

    @property
    def deadline(self) -> float | None:
        """When the referee stops waiting for the pending answer; None: it does not wait."""
        if self._pending is None or self._asked is None or not self.timed[self._pending]:
            return None
        patience = self.clock.patience(self._pending)
        return None if patience is None else self._asked + patience

    # ------------------------------------------------------------------------------------ inputs

    def handle(self, happened: Input) -> list[Event]:
        """Handle an input; returns the events that follow, none after the end."""
        if self.ended is not None:
            return []
        match happened:
            case MoveSent():
                return self._judge(happened)
            case Asked():
                return self._note_asked(happened)
            case TimeUp():
                return self._time_up(happened)
            case Proceed():
                return self._proceed_now(happened)
            case Join():
                return self._join(happened)
            case Pause():
                return self._pause(happened)
            case Step():
                return self._step(happened)
            case Leave():
                return self._leave(happened)
            case TakeBack():
                return self._take_back(happened)
            case Cancel():
                return self._cancel(happened)
        assert_never(happened)

    def answer(self, seat: Seat, move: Move, asked: float, at: float) -> list[Event]:
        """Fast path for a player in this process: request and answer in one call.

        The state afterwards is as if `Asked` and `MoveSent` had been handled. The events differ in
        one point: there is none for an accepted move while the game goes on, since the caller knows
        it.
        """
        if self._pending != seat or self.paused:
            return [*self.handle(Asked(asked, seat)), *self.handle(MoveSent(at, seat, move))]
        self._asked, spent = asked, at - asked
        clock, position = self.clock, self.position
        if self.timed[seat] and clock.expired(seat, spent):
            return self.handle(MoveSent(at, seat, move))
        try:
            position.play(move)
        except IllegalMove:
            return self.handle(MoveSent(at, seat, move))
        self.last_move = move
        outcome = position.outcome()
        if outcome is None and type(clock) is PerMove:  # nothing is saved up: nothing to charge
            self._pending, self._asked = position.to_move(), None
            self._next += (
                3  # the move, the position and the request have their numbers, told or not
            )
            return []
        self._answered(seat, max(0.0, spent))
        self._next += 1
        if outcome is not None:
            return [self._show(at, True), self._end(at, self._with_faults(outcome))]
        following = position.to_move()
        self.clock, self._pending = self.clock.asked(following), following
        self._next += 2
        return []

    def answered(self, sent: MoveSent, asked: float, events: list[Event]) -> list[Event]:
        """All events of a move that `answer` has just accepted and returned `events` for.

        They are those that `handle` would have returned for it.
        """
        first = sent.at if sent.first_byte is None else sent.first_byte
        judged = sent.at if sent.judged is None else sent.judged
        receipt = Receipt(asked, first, sent.at, judged, sent.lag, sent.gap)
        number = events[0].number - 1 if events else self._next - 3
        move, seat = _move(sent).text(), self._pending
        played = Played(number, sent.at, sent.seat, move, receipt.spent, receipt, sent.hints)
        if seat is None:
            return [played, *(replace(each, at=sent.at) for each in events)]
        allowed = self.clock.allowed(seat) if self.timed[seat] else None
        return [
            played,
            Shown(number + 1, sent.at, self.position.ply, True),
            TurnBegan(number + 2, sent.at, seat, self.position.ply, allowed),
        ]

    def _join(self, joined: Join) -> list[Event]:
        if joined.seat in self.present:
            raise UsageError(f"seat {joined.seat} is taken")
        self.present.add(joined.seat)
        events: list[Event] = [Seated(self._number(), joined.at, joined.seat)]
        if self.began:
            events.append(Began(self._number(), joined.at))
            events += self._advance(joined.at, ask=not self.paused)
        return events

    def note_asked(self, at: float) -> None:
        """The request to the pending seat has left: as `handle(Asked(…))` for that seat."""
        if self.ended is None and self._pending is not None:
            self._asked = at

    def _note_asked(self, asked: Asked) -> list[Event]:
        if asked.seat == self._pending:
            self._asked = asked.at
        return []

    def _judge(self, sent: MoveSent) -> list[Event]:
        fault = self._turn_fault(sent) or self._time_fault(sent) or self._rules_fault(sent)
        receipt = self._receipt(sent)
        if fault is not None:
            return self._violated(sent.at, sent.seat, fault, receipt)
        return self._play(sent, receipt)

    def _turn_fault(self, sent: MoveSent) -> Fault | None:
        if self._pending == sent.seat:
            return None
        if self.began and self.position.to_move() != sent.seat:
            return Fault(Kind.OUT_OF_TURN, move=_text(sent))
        return Fault(Kind.UNREQUESTED, move=_text(sent))

    def _time_fault(self, sent: MoveSent) -> Fault | None:
        if not self.timed[sent.seat] or self._asked is None:
            return None
        if self.clock.expired(sent.seat, sent.at - sent.lag - sent.gap - self._asked):
            return Fault(Kind.LATE, move=_text(sent))
        return None

    def _rules_fault(self, sent: MoveSent) -> Fault | None:
        if sent.mistake is not None:
            return Fault(Kind.ILLEGAL, sent.mistake, _text(sent))
        mistake = self.position.why_illegal(_move(sent))
        return None if mistake is None else Fault(Kind.ILLEGAL, mistake.name, _text(sent))

    def _receipt(self, sent: MoveSent) -> Receipt:
        first = sent.at if sent.first_byte is None else sent.first_byte
        judged = sent.at if sent.judged is None else sent.judged
        asked = self._asked if self._pending == sent.seat else None
        return Receipt(asked, first, sent.at, judged, sent.lag, sent.gap)

    def _play(self, sent: MoveSent, receipt: Receipt) -> list[Event]:
        move, spent = _move(sent), receipt.spent
        self.position.play(move)
        self.last_move = move
        self._answered(sent.seat, spent)
        played = Played(self._number(), sent.at, sent.seat, move.text(), spent, receipt, sent.hints)
        return [played, *self._advance(sent.at, ask=not self.paused)]

    def _time_up(self, up: TimeUp) -> list[Event]:
        deadline = self.deadline
        if deadline is None or up.at - up.gap < deadline:
            return []
        assert self._pending is not None
        receipt = Receipt(self._asked, up.at, up.at, up.at, 0.0, up.gap)
        return self._violated(up.at, self._pending, Fault(Kind.SILENT), receipt)

    def _pause(self, pause: Pause) -> list[Event]:
        if pause.paused == self.paused:
            return []
        self.paused = pause.paused
        events: list[Event] = [PauseChanged(self._number(), pause.at, pause.paused)]
        if pause.paused or self._pending is not None:
            return events
        if not self.began:
            return [*events, self._show(pause.at, True), *self._abandon(pause.at)]
        return events if self._held else events + self._proceed(pause.at, ask=True)

    def _step(self, step: Step) -> list[Event]:
        if not self.began:
            return self._abandon(step.at) if step.forced else []
        return self._proceed(step.at, ask=True) if self.paused and not self._held else []

    def _proceed_now(self, proceed: Proceed) -> list[Event]:
        if not self._held:
            return []
        self._held = False
        return self._proceed(proceed.at, ask=not self.paused)

    def _cancel(self, cancel: Cancel) -> list[Event]:
        if not self.began:
            return self._abandon(cancel.at)
        return [self._end(cancel.at, self._ranked_by_score(), cancelled=True)]

    def _leave(self, leave: Leave) -> list[Event]:
        fault = Fault(Kind.LEFT, leave.cause)
        if self.began:
            return self._violated(leave.at, leave.seat, fault, None)
        self.faults[leave.seat] = fault
        return [self._violation(leave.at, leave.seat, fault, None), *self._abandon(leave.at)]

    def _take_back(self, back: TakeBack) -> list[Event]:
        if not self.began:
            return []
        self.stand(back.position)
        text = back.position.text()
        taken = TakenBack(self._number(), back.at, back.seat, back.turn, text)
        return [taken, *self._proceed(back.at, ask=not self.paused)]

    def stand(self, position: Position) -> None:
        """Continue from another position; pending requests are void."""
        self.position, self.last_move = position.copy(), None
        self._pending = self._asked = None

    # ------------------------------------------------------------------------------ consequences

    def _advance(self, at: float, *, ask: bool) -> list[Event]:
        self._held = self.stepwise
        return [] if self.stepwise else self._proceed(at, ask=ask)

    def _proceed(self, at: float, *, ask: bool) -> list[Event]:
        """Show the position; end the game if it is over, else ask for the next move if allowed."""
        shown = self._show(at, ask)
        outcome = self.position.outcome()
        if outcome is not None:
            return [shown, self._end(at, self._with_faults(outcome))]
        return [shown, self._ask(at)] if ask else [shown]

    def _show(self, at: float, to_players: bool) -> Shown:
        return Shown(self._number(), at, self.position.ply, to_players)

    def _ask(self, at: float) -> TurnBegan:
        seat = self.position.to_move()
        if self._pending != seat:
            self.clock = self.clock.asked(seat)
        self._pending, self._asked = seat, None
        allowed = self.clock.allowed(seat) if self.timed[seat] else None
        return TurnBegan(self._number(), at, seat, self.position.ply, allowed)

    def _answered(self, seat: Seat, spent: float) -> None:
        self.clock = self.clock.charged(seat, spent)
        self._pending = self._asked = None

    def _violated(
        self, at: float, seat: Seat, fault: Fault, receipt: Receipt | None
    ) -> list[Event]:
        if self.faults[seat] is not None:
            return []  # a seat that is out cannot do anything wrong any more
        violation = self._violation(at, seat, fault, receipt)
        self.faults[seat] = fault
        if self.consequence is Consequence.ENDS_GAME:
            return [violation, self._end(at, self._with_faults(self._ranked_by_score()))]
        return [violation, *self._disqualify(at, seat)]

    def _violation(self, at: float, seat: Seat, fault: Fault, receipt: Receipt | None) -> Violated:
        return Violated(self._number(), at, seat, fault, self.position.to_move(), receipt)

    def _disqualify(self, at: float, seat: Seat) -> list[Event]:
        assert can_disqualify(self.position), "the consequence of a fault fits the game"
        self.position.disqualify(seat)
        if self._pending is not None and self._pending != seat:
            outcome = self.position.outcome()
            return [] if outcome is None else [self._end(at, outcome)]
        self._pending = self._asked = None
        return self._advance(at, ask=not self.paused)

    def _abandon(self, at: float) -> list[Event]:
        """End a match that never had all its players."""
        for seat in range(len(self.names)):
            if seat not in self.present:
                self.faults[seat] = Fault(Kind.LEFT, NOT_CONNECTED)
        return [self._end(at, self._behind(self._ranked_by_score()))]

    def _end(self, at: float, outcome: Outcome, *, cancelled: bool = False) -> Ended:
        self._pending = self._asked = None
        self.ended = Ended(self._number(), at, outcome, tuple(self.faults), cancelled)
        return self.ended

    def _ranked_by_score(self) -> Outcome:
        scores = tuple(self.position.scores())
        ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
        return Outcome(ranks, scores, "")

    def _with_faults(self, outcome: Outcome) -> Outcome:
        """The outcome with faults applied; a game that disqualifies has done so itself."""
        if self.consequence is Consequence.DISQUALIFIES or not any(self.faults):
            return outcome
        return self._behind(outcome)

    def _behind(self, outcome: Outcome) -> Outcome:
        """Rank seats with a fault behind those without."""
        guilty = [fault is not None for fault in self.faults]
        behind = tuple(zip(guilty, outcome.ranks, strict=True))
        if all(guilty) or sum(guilty) == len(guilty) - 1:
            behind = tuple((each, 0) for each in guilty)
        ranks = tuple(1 + sum(other < each for other in behind) for each in behind)
        return Outcome(ranks, outcome.scores, outcome.reason)

    def _number(self) -> int:
        number, self._next = self._next, self._next + 1
        return number

    # ------------------------------------------------------------------------------------ replay

    @classmethod
    def restored(cls, events: Iterable[Event], parse: Callable[[str], Position]) -> Self:
        """Restore a match from stored events, as it was after the last of them.

        `parse` turns the text of the first position into a position. Sending a request is not an
        event, so the clock of a pending request starts with the next `Asked`.
        """
        stream = iter(events)
        opened = next(stream, None)
        if not isinstance(opened, Opened):
            raise UsageError("the events of a match begin with its opening")
        match = cls(
            parse(opened.position),
            at=opened.at,
            clock=opened.clock,
            names=opened.names,
            timed=opened.timed,
            paused=opened.paused,
            consequence=Consequence[opened.consequence],
        )
        for event in stream:
            match.recall(event)
            if isinstance(event, TakenBack):
                match.stand(parse(event.position))
        return match

    def recall(self, event: RecordedEvent) -> None:
        """Apply one more stored event, to follow a match without refereeing it."""
        if event.number != self._next:
            raise UsageError(f"event {self._next} of the match is missing")
        self._next += 1
        match event:
            case Played():
                self._recall_move(event)
            case TurnBegan():
                self._recall_turn(event)
            case Seated():
                self._recall_seat(event)
            case PauseChanged():
                self._recall_pause(event)
            case Violated():
                self._recall_violation(event)
            case Ended():
                self._recall_end(event)
            case Opened() | Began() | Shown() | TakenBack() | PositionStated():
                pass
            case _:
                assert_never(event)

    def _recall_seat(self, event: Seated) -> None:
        self.present.add(event.seat)

    def _recall_turn(self, event: TurnBegan) -> None:
        if self._pending != event.seat:
            self.clock = self.clock.asked(event.seat)
        self._pending = event.seat

    def _recall_move(self, event: Played) -> None:
        move = self.position.move(event.move)
        self.position.play(move)
        self.last_move = move
        self._answered(event.seat, event.spent)

    def _recall_pause(self, event: PauseChanged) -> None:
        self.paused = event.paused

    def _recall_violation(self, event: Violated) -> None:
        self.faults[event.seat] = event.fault
        if self.consequence is Consequence.DISQUALIFIES and self.began:
            assert can_disqualify(self.position), "the consequence of a fault fits the game"
            self.position.disqualify(event.seat)
            if self._pending == event.seat:
                self._pending = None

    def _recall_end(self, event: Ended) -> None:
        self.faults = list(event.faults)
        self._pending = self._asked = None
        self.ended = event


def _text(sent: MoveSent) -> str:
    return _move(sent).text() if sent.text is None else sent.text


def _move(sent: MoveSent) -> Move:
    assert sent.move is not None, "what no move can say has a text and a mistake"
    return sent.move
