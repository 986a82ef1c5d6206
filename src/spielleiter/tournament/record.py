"""A game of a contest as it is stored: the pairing and the record."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any

from spielleiter.annotation import Annotation, PackedAnnotation, annotation
from spielleiter.errors import IllegalMove, StoreError, TextError, UsageError
from spielleiter.game import Outcome, Position, Seat
from spielleiter.match import (
    Consequence,
    Event,
    Fault,
    GameRecord,
    Join,
    Kind,
    Leave,
    Match,
    MatchClock,
    MoveSent,
    Opened,
    PackedEvents,
)
from spielleiter.match.clock import clock_from_json, clock_to_json
from spielleiter.match.record import NEVER_BEGAN, Annotations, Failure
from spielleiter.tournament.pairing import NO_SANDBOX, GameResult, Opening, Pairing

_NO_CLOCK = {"kind": "per move", "soft": None, "hard": None}
"""Entries written before 17 November 2026 do not say how long a move could take."""


@dataclass(frozen=True, slots=True)
class ContestEntry:
    """A game that was played for a contest or a match."""

    pairing: Pairing
    events: PackedEvents
    log: str = ""
    """What the players printed."""
    sandbox: str = NO_SANDBOX
    """The isolation level of the players."""
    annotations: Annotations = field(default_factory=dict)
    """What the players showed beside the game."""

    @classmethod
    def of(
        cls, pairing: Pairing, events: Iterable[Event], log: str = "", sandbox: str = NO_SANDBOX
    ) -> ContestEntry:
        """The entry of a game, from the referee's events; raises UsageError if it did not end."""
        try:
            return cls(pairing, PackedEvents.of(events), log, sandbox)
        except UsageError as problem:
            raise UsageError(f"{pairing.key}: {problem}") from problem

    @property
    def record(self) -> GameRecord:
        """The record of the game."""
        return GameRecord(self.events, self.log, annotations=self.annotations)

    @property
    def failures(self) -> tuple[Failure | None, ...]:
        """The failure of each seat, if any."""
        found: list[Failure | None] = [None] * len(self.pairing.players)
        for failure in self.events.failures:
            found[failure.seat] = failure
        return tuple(found)

    def with_log(
        self, log: str, sandbox: str, annotations: Annotations | None = None
    ) -> ContestEntry:
        """The same game with output, annotations and the isolation level."""
        shown = {**self.annotations, **(annotations or {})}
        return replace(self, log=self.log + log, sandbox=sandbox, annotations=shown)

    def result(self) -> GameResult:
        """What tables and statistics need of it."""
        events = self.events
        spent = [0.0] * len(self.pairing.players)
        for seat, seconds in zip(events.seats, events.spent, strict=True):
            spent[seat] += seconds
        faults: list[str | None] = [None] * len(spent)
        absent = [False] * len(spent)
        for failure in events.failures:
            faults[failure.seat] = kind_of(failure.fault)
            gone = failure.fault.kind is Kind.LEFT
            absent[failure.seat] = gone and failure.seat not in events.seats
        ranks, scores = events.outcome.ranks, events.outcome.scores
        times = tuple([round(each, 6) for each in spent])
        return GameResult(
            self.pairing, ranks, scores, tuple(faults), times, self.sandbox, tuple(absent)
        )


def kind_of(fault: Fault) -> str:
    """The kind of a fault in a word or two, for counting."""
    if fault.kind is Kind.LEFT:
        return fault.detail.partition(":")[0].lower().replace("_", " ")
    return str(fault.kind.value)


# ----------------------------------------------------------------------------------------- storing


def to_text(entry: ContestEntry) -> str:
    """An entry as one line of JSON."""
    opening, events = entry.pairing.opening, entry.events
    opened, outcome = events.opened, events.outcome
    data = {
        "key": entry.pairing.key,
        "players": entry.pairing.players,
        "seed": opening.seed,
        "options": opening.options,
        "edition": opened.edition,
        "authority": opened.authority,
        "start": opened.position,
        "clock": clock_to_json(opened.clock),
        "moves": events.moves,
        "spent": events.spent,
        "seats": events.seats,
        "ranks": outcome.ranks,
        "scores": outcome.scores,
        "reason": outcome.reason,
        "faults": [_failure_data(each) for each in events.failures],
        "consequence": opened.consequence,
        "log": entry.log,
        "sandbox": entry.sandbox,
    }
    if events.hints:
        data["hints"] = events.hints
    if entry.annotations:
        data["annotations"] = [
            [seat, move, _annotation_data(each)] for (seat, move), each in entry.annotations.items()
        ]
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def from_text(text: str) -> ContestEntry:
    """The entry that a line of JSON holds; raises StoreError if it holds none."""
    try:
        data = json.loads(text)
        options = tuple((name, value) for name, value in data["options"])
        pairing = Pairing(data["key"], tuple(data["players"]), Opening(data["seed"], options))
        log, sandbox = data["log"], data.get("sandbox", NO_SANDBOX)
        annotations = _annotations(data.get("annotations", ()))
        return ContestEntry(pairing, _events(pairing, data), log, sandbox, annotations)
    except (AttributeError, KeyError, TypeError, ValueError, UsageError) as problem:
        raise StoreError(f"this is not a record of a game: {problem!r}") from problem


def _events(pairing: Pairing, data: dict[str, Any]) -> PackedEvents:
    return PackedEvents(
        _opened(pairing, data, clock_from_json(data.get("clock", _NO_CLOCK))),
        tuple(data["moves"]),
        tuple(data["seats"]),
        tuple(data["spent"]),
        Outcome(tuple(data["ranks"]), tuple(data["scores"]), data["reason"]),
        tuple(map(_failure, data["faults"])) if "faults" in data else _failures(data["failures"]),
        tuple(map(tuple, data.get("hints", ()))),
    )


def _annotation_data(shown: Annotation | PackedAnnotation) -> dict[str, Any] | str:
    """Annotations as data; unparsed ones stay a string."""
    return shown.text if isinstance(shown, PackedAnnotation) else shown.plain()


def _annotations(data: Iterable[Any]) -> Annotations:
    return {(int(seat), int(move)): _annotation(shown) for seat, move, shown in data}


def _annotation(shown: Any) -> Annotation | PackedAnnotation:
    return PackedAnnotation(shown) if isinstance(shown, str) else annotation(**shown)


def _opened(pairing: Pairing, data: dict[str, Any], clock: MatchClock) -> Opened:
    names = pairing.players
    timed = (True,) * len(names)
    edition, authority, start = data["edition"], data["authority"], data["start"]
    return Opened(
        0, 0.0, edition, authority, start, names, timed, clock, False, data["consequence"]
    )


def _failure_data(failure: Failure) -> list[Any]:
    fault = failure.fault
    return [failure.seat, fault.kind.name, fault.detail, fault.move, failure.after]


def _failure(data: list[Any]) -> Failure:
    seat, kind, detail, move, after = data
    return Failure(seat, Fault(Kind[kind], detail, move), after)


def _failures(data: list[Any]) -> tuple[Failure, ...]:
    """One entry per seat, as entries had it before 17 November 2026."""
    found = [_failure([seat, *each]) for seat, each in enumerate(data) if each is not None]
    return tuple(sorted(found, key=lambda failure: failure.after))


# ---------------------------------------------------------------------------------------- checking


def check(entry: ContestEntry, start: Callable[[Opening], Position]) -> str | None:
    """Replay an entry by the rules; returns what is wrong, or None."""
    position = start(entry.pairing.opening)
    if position.text() != entry.events.opened.position:
        return "it does not begin as its lot says"
    try:
        played = _replayed(entry.events, position)
    except (IllegalMove, TextError) as problem:
        return str(problem)
    outcome = entry.events.outcome
    return None if played == outcome else f"by the rules it ends otherwise: {played}"


def _replayed(events: PackedEvents, position: Position) -> Outcome | None:
    if events.failures:
        return _judged_again(events, position)
    for seat, move in zip(events.seats, events.moves, strict=True):
        if position.to_move() != seat:
            raise TextError(f"{move}: seat {seat} was not to move")
        position.play(move)
    outcome: Outcome | None = position.outcome()
    return outcome


def _judged_again(events: PackedEvents, position: Position) -> Outcome | None:
    """Replay a game with faults: a seat is out from its fault on.

    Old entries do not have the order of faults between two moves, so all orders are tried.
    """
    found, problem = None, None
    for order in permutations(events.failures):
        try:
            found = _judged_in(order, events, position.copy())
        except TextError as error:
            problem = error
            continue
        if found == events.outcome:
            return found
    if found is None and problem is not None:
        raise problem
    return found


def _judged_in(
    failures: Sequence[Failure], events: PackedEvents, position: Position
) -> Outcome | None:
    match = Match(position, consequence=Consequence[events.opened.consequence])
    missing = [each.seat for each in failures if each.after == NEVER_BEGAN]
    for seat in range(position.seats):
        if seat not in missing:
            match.handle(Join(0.0, seat))
    for seat in missing:
        match.handle(Leave(0.0, seat))
    for at in range(len(events.moves) + 1):
        for each in failures:
            if each.after == at:
                match.handle(Leave(0.0, each.seat))
        if at < len(events.moves):
            _again(match, events.seats[at], events.moves[at])
    return match.ended.outcome if match.ended else None


def _again(match: Match, seat: Seat, text: str) -> None:
    move = match.position.move(text)
    if match.position.to_move() != seat or match.position.why_illegal(move) is not None:
        raise TextError(f"{text}: seat {seat} could not make this move")
    match.handle(MoveSent(0.0, seat, move))
