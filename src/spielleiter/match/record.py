"""The record of a game: its events, and the positions they lead through.

There is one record, wherever a game comes from: a referee, a store or a file. Pages, contest
entries, replay files and logs are views of it.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import overload

from spielleiter.annotation import Annotation, PackedAnnotation, unpacked
from spielleiter.errors import TextError, UsageError
from spielleiter.game import Game, Move, Outcome, Position, Seat
from spielleiter.match.clock import PerMove
from spielleiter.match.events import (
    Began,
    Ended,
    Event,
    Fault,
    Opened,
    Played,
    PositionStated,
    Receipt,
    RecordedEvent,
    Seated,
    TakenBack,
    Violated,
)
from spielleiter.match.match import Consequence, Match

Load = Callable[[str, str], Game]
"""Edition and authority → the game."""
Annotations = Mapping[tuple[Seat, int], Annotation | PackedAnnotation]
"""A seat and the number of its move, from 1 → what its player showed before it."""
NEVER_BEGAN = -1
_UNTIMED = Receipt(None, 0.0, 0.0, 0.0, 0.0)


# ----------------------------------------------------------------------------------------- turns


TurnEvent = Opened | Played | Violated | TakenBack | PositionStated
"""Events that lead to a position; the opening leads to the first one."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A position's place in a game: turn 0 is the start, every later one has its event."""

    number: int
    ply: int
    event: TurnEvent

    @property
    def seat(self) -> Seat | None:
        """Who moved, took a move back, or was disqualified."""
        return None if isinstance(self.event, Opened) else self.event.seat

    @property
    def move(self) -> str | None:
        """The move as text, if there was one."""
        return self.event.move if isinstance(self.event, Played | PositionStated) else None

    @property
    def spent(self) -> float | None:
        """Seconds that the move took, if that is known."""
        played = self.event if isinstance(self.event, Played) else None
        return None if played is None or played.receipt.asked is None else played.spent

    @property
    def hints(self) -> tuple[str, ...]:
        """What the player wanted observers to read."""
        return self.event.hints if isinstance(self.event, Played | PositionStated) else ()

    @property
    def fault(self) -> Fault | None:
        """Why a seat was disqualified here."""
        return self.event.fault if isinstance(self.event, Violated) else None


@dataclass(frozen=True, slots=True)
class Frame:
    """A turn with the position after it."""

    turn: Turn
    position: Position
    last: Move | None = None
    """The last move so far."""


class Follower:
    """Follows a game event by event: the referee's state, and the turns so far."""

    def __init__(self, opened: Opened, game: Game) -> None:
        self.game, self.opened = game, opened
        self.match = Match.restored([opened], game.parse)
        self.turn = Turn(0, self.match.position.ply, opened)

    def follow(self, event: RecordedEvent) -> Turn | None:
        """Apply the next event; returns the turn it makes, if any."""
        began = self.match.began
        self.match.recall(event)
        if isinstance(event, PositionStated):
            self._state(event)
        elif isinstance(event, TakenBack):
            self.match.stand(self.game.parse(event.position))
        elif not isinstance(event, Played) and not self._is_disqualification(event, began):
            return None
        assert isinstance(event, Played | Violated | TakenBack | PositionStated)
        self.turn = Turn(self.turn.number + 1, self.match.position.ply, event)
        return self.turn

    def frame(self) -> Frame:
        """The position as it is now."""
        return Frame(self.turn, self.match.position.copy(), self.match.last_move)

    def _is_disqualification(self, event: RecordedEvent, began: bool) -> bool:
        return began and is_disqualification(self.opened, event)

    def _state(self, event: PositionStated) -> None:
        before, self.match.position = self.match.position, self.game.parse(event.position)
        self.match.last_move = None if event.move is None else before.move(event.move)


def is_disqualification(opened: Opened, event: RecordedEvent) -> bool:
    """Whether an event of a game that has begun puts a seat out, while the game goes on."""
    disqualifies = opened.consequence == Consequence.DISQUALIFIES.name
    return disqualifies and isinstance(event, Violated)


# ---------------------------------------------------------------------------------------- records


@dataclass(frozen=True, slots=True)
class GameRecord:
    """One game: its events from the opening on, and what else its source says."""

    events: Sequence[RecordedEvent]
    log: str = ""
    """What the players printed."""
    notes: tuple[str, ...] = ()
    """Remarks on the source for a reader."""
    annotations: Annotations = field(default_factory=dict)
    """What the players showed beside the game."""

    @property
    def opened(self) -> Opened:
        """The opening event; raises TextError if the record does not begin with one."""
        first = self.events[0] if self.events else None
        if not isinstance(first, Opened):
            raise TextError("this game has no beginning")
        return first

    @property
    def ended(self) -> Ended | None:
        """The final event; None if the record has none."""
        last = self.events[-1] if self.events else None
        return last if isinstance(last, Ended) else None

    @property
    def names(self) -> tuple[str, ...]:
        """Who played, by seat."""
        return self.opened.names

    def renamed(self, names: tuple[str, ...]) -> GameRecord:
        """The same game with other names for its players."""
        events = (replace(self.opened, names=names), *itertools.islice(self.events, 1, None))
        return replace(self, events=events)

    @property
    def counted(self) -> GameRecord:
        """The same game without moves that were taken back, for programs that know no take-back."""
        if not any(isinstance(event, TakenBack) for event in self.events):
            return self
        kept: list[RecordedEvent] = []
        turns, began = [1], False
        """How many events are kept at each turn."""
        for event in self.events:
            began = began or isinstance(event, Began)
            if isinstance(event, TakenBack):
                del kept[turns[event.turn] :]
                turns.append(len(kept))
                continue
            kept.append(replace(event, number=len(kept)))
            played = isinstance(event, Played | PositionStated)
            if played or (began and is_disqualification(self.opened, event)):
                turns.append(len(kept))
        return replace(self, events=tuple(kept))

    def game(self, load: Load) -> Game:
        """The edition that was played, under the authority that judged it."""
        return load(self.opened.edition, self.opened.authority)

    def frames(self, game: Game) -> Iterator[Frame]:
        """Every position of the game, with what led to it: the one way to replay a record."""
        follower = Follower(self.opened, game)
        yield follower.frame()
        for event in itertools.islice(self.events, 1, None):
            if follower.follow(event) is not None:
                yield follower.frame()

    def frame(self, game: Game, number: int) -> Frame:
        """The position after a turn; -1 is the last one. Raises UsageError if there is none."""
        found = None
        for found in self.frames(game):
            if found.turn.number == number:
                return found
        if found is None or number != -1:
            last = 0 if found is None else found.turn.number
            raise UsageError(f"this game has the turns 0 to {last}, not {number}")
        return found

    def shown(self) -> dict[int, Annotation]:
        """What the players showed, by the numbers of the turns it belongs to."""
        disqualifies = self.opened.consequence == Consequence.DISQUALIFIES.name
        found, moves, turn = dict[int, Annotation](), Counter[Seat](), 0
        began = False
        for event in self.events if self.annotations else ():
            began = began or isinstance(event, Began | Played)
            if isinstance(event, Played | PositionStated) and event.seat is not None:
                moves[event.seat] += 1
                kept = self.annotations.get((event.seat, moves[event.seat]))
                if kept is not None and (shown := unpacked(kept)) is not None:
                    found[turn + 1] = shown
            is_out = isinstance(event, Violated) and disqualifies and began
            turn += is_out or isinstance(event, Played | PositionStated)
        return found


class RecordBuilder:
    """Builds a record from a file; the game begins with all seats taken."""

    def __init__(
        self,
        start: Position,
        names: Sequence[str] = (),
        consequence: Consequence = Consequence.ENDS_GAME,
    ) -> None:
        clock = PerMove(None, None)
        self.opened = Match(start, names=names, clock=clock, consequence=consequence).opened
        self._events: list[RecordedEvent] = [self.opened]
        for seat in range(len(self.opened.names)):
            self._events.append(Seated(len(self._events), 0.0, seat))
        self._events.append(Began(len(self._events), 0.0))

    def played(self, seat: Seat, move: str, hints: tuple[str, ...] = ()) -> None:
        """Add a move without its time."""
        self._events.append(Played(len(self._events), 0.0, seat, move, 0.0, _UNTIMED, hints))

    def stated(
        self, position: str, seat: Seat | None, move: str | None, hints: tuple[str, ...] = ()
    ) -> None:
        """Add a position as the source states it."""
        number = len(self._events)
        self._events.append(PositionStated(number, 0.0, position, seat, move, hints))

    def violated(self, seat: Seat, fault: Fault) -> None:
        """Add a fault."""
        self._events.append(Violated(len(self._events), 0.0, seat, fault, seat))

    def ended(self, outcome: Outcome, faults: Sequence[Fault | None] = ()) -> None:
        """Add the end."""
        wrong = tuple(faults) or (None,) * len(self.opened.names)
        self._events.append(Ended(len(self._events), 0.0, outcome, wrong))

    def record(self, notes: tuple[str, ...] = ()) -> GameRecord:
        """The finished record."""
        return GameRecord(tuple(self._events), notes=notes)


# ----------------------------------------------------------------------------------- packed events


@dataclass(frozen=True, slots=True)
class Failure:
    """A fault, and how many moves had been made before it (`NEVER_BEGAN`: no game began)."""

    seat: Seat
    fault: Fault
    after: int


@dataclass(frozen=True, slots=True)
class PackedEvents(Sequence[Event]):
    """The events of a finished game in columns: small to store and quick to make.

    It keeps moves, their seats and times, faults and the outcome. Events are created on access;
    their times are left out (they are 0.0).
    """

    opened: Opened
    moves: tuple[str, ...]
    seats: tuple[Seat, ...]
    spent: tuple[float, ...]
    outcome: Outcome
    failures: tuple[Failure, ...] = ()
    """In the order they happened."""
    hints: tuple[tuple[str, ...], ...] = field(default=())
    """One entry per move, or none at all."""

    @classmethod
    def of(cls, events: Iterable[Event]) -> PackedEvents:
        """The events of a game from its opening to its end, packed."""
        if isinstance(events, PackedEvents):
            return events
        opened, played, failures, began = None, list[Played](), list[Failure](), False
        for event in events:
            if isinstance(event, Opened):
                opened = event
            elif isinstance(event, Began):
                began = True
            elif isinstance(event, Played):
                played.append(event)
            elif isinstance(event, Violated):
                after = len(played) if began else NEVER_BEGAN
                failures.append(Failure(event.seat, event.fault, after))
            elif isinstance(event, Ended) and opened is not None:
                return _packed(opened, played, failures, event)
        raise UsageError("only a game that has ended can be packed")

    @property
    def faults(self) -> tuple[Fault | None, ...]:
        """For each seat what it did wrong, if anything."""
        found: list[Fault | None] = [None] * len(self.opened.names)
        for failure in self.failures:
            found[failure.seat] = failure.fault
        return tuple(found)

    @property
    def absent(self) -> frozenset[Seat]:
        """The seats that were empty, so that no game began."""
        return frozenset(each.seat for each in self.failures if each.after == NEVER_BEGAN)

    @property
    def ended(self) -> Ended:
        """The last event."""
        return Ended(len(self) - 1, 0.0, self.outcome, self.faults)

    def __iter__(self) -> Iterator[Event]:
        absent, numbers = self.absent, itertools.count(1)
        yield self.opened
        for seat in range(len(self.opened.names)):
            if seat not in absent:
                yield Seated(next(numbers), 0.0, seat)
        if not absent:
            yield Began(next(numbers), 0.0)
        yield from self._course(numbers)
        yield self.ended

    def _course(self, numbers: Iterator[int]) -> Iterator[Event]:
        for at in range(len(self.moves) + 1):
            for each in self.failures:
                if each.after == at:
                    yield Violated(next(numbers), 0.0, each.seat, each.fault, each.seat)
            if at < len(self.moves):
                yield self._played(next(numbers), at)

    def _played(self, number: int, at: int) -> Played:
        spent, hints = self.spent[at], self.hints[at] if self.hints else ()
        receipt = Receipt(0.0, spent, spent, spent, 0.0)
        return Played(number, 0.0, self.seats[at], self.moves[at], spent, receipt, hints)

    def __len__(self) -> int:
        absent = len(self.absent)
        seated = len(self.opened.names) - absent + (not absent)
        return 2 + seated + len(self.moves) + len(self.failures) - absent

    @overload
    def __getitem__(self, at: int) -> Event: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Event]: ...
    def __getitem__(self, at: int | slice) -> Event | Sequence[Event]:
        if at == 0:
            return self.opened
        return self.ended if at == -1 else tuple(self)[at]


def _packed(
    opened: Opened, played: Sequence[Played], failures: Sequence[Failure], ended: Ended
) -> PackedEvents:
    known = {failure.seat for failure in failures}
    absent = [
        Failure(seat, fault, NEVER_BEGAN)
        for seat, fault in enumerate(ended.faults)
        if fault is not None and seat not in known
    ]
    return PackedEvents(
        opened,
        tuple([event.move for event in played]),
        tuple([event.seat for event in played]),
        tuple([round(event.spent, 6) for event in played]),
        ended.outcome,
        (*failures, *absent),
        tuple([event.hints for event in played]) if any(e.hints for e in played) else (),
    )


def described(fault: Fault) -> str:
    """A fault in a few words: `illegal: BLOCKED (A1-B2)`."""
    detail = f": {fault.detail}" if fault.detail else ""
    move = f" ({fault.move})" if fault.move else ""
    return f"{fault.kind.value}{detail}{move}"
