"""One game as it is kept: enough to show it, to count it and to play it again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from spielleiter.errors import IllegalMove, StoreError, TextError, UsageError
from spielleiter.game import Outcome, Seat
from spielleiter.match import (
    Began,
    Consequence,
    Ended,
    Event,
    Fault,
    Join,
    Kind,
    Leave,
    Match,
    MoveSent,
    Opened,
    Played,
    Violated,
)
from spielleiter.match.tale import Load, Tale, Teller
from spielleiter.tournament.pairing import NO_SANDBOX, Opening, Pairing, Result

NEVER_BEGAN = -1


@dataclass(frozen=True, slots=True)
class Failure:
    """A fault, and how many moves had been made before it (-1: the game never began)."""

    fault: Fault
    at: int

    @property
    def kind(self) -> str:
        """The kind in a word or two, for counting."""
        if self.fault.kind is Kind.LEFT:
            return self.fault.detail.partition(":")[0].lower().replace("_", " ")
        return str(self.fault.kind.value)


@dataclass(frozen=True, slots=True)
class Record:
    """A game that was played, move by move."""

    pairing: Pairing
    edition: str
    authority: str
    start: str
    """The first position as text."""
    moves: tuple[str, ...]
    spent: tuple[float, ...]
    """Seconds that each move took."""
    seats: tuple[Seat, ...]
    """Who made each move."""
    outcome: Outcome
    failures: tuple[Failure | None, ...]
    consequence: str
    log: str = ""
    """What the players printed."""
    sandbox: str = NO_SANDBOX
    """How tightly the players were held."""

    def with_log(self, log: str, sandbox: str) -> Record:
        """The same game, with what was printed and how tightly the players were held."""
        return replace(self, log=self.log + log, sandbox=sandbox)

    def result(self) -> Result:
        """What tables and statistics need of it."""
        spent = [0.0] * len(self.failures)
        for seat, seconds in zip(self.seats, self.spent, strict=True):
            spent[seat] += seconds
        faults = tuple(None if each is None else each.kind for each in self.failures)
        ranks, scores = self.outcome.ranks, self.outcome.scores
        times = tuple([round(each, 6) for each in spent])
        return Result(self.pairing, ranks, scores, faults, times, self.sandbox)


def of_events(
    pairing: Pairing, events: Iterable[Event], log: str = "", sandbox: str = NO_SANDBOX
) -> Record:
    """The record of a game that a referee told of, from its opening to its end."""
    opened, moves, failures, began = None, list[Played](), dict[Seat, Failure](), False
    for event in events:
        if isinstance(event, Opened):
            opened = event
        elif isinstance(event, Began):
            began = True
        elif isinstance(event, Played):
            moves.append(event)
        elif isinstance(event, Violated):
            failures[event.seat] = Failure(event.fault, len(moves) if began else NEVER_BEGAN)
        elif isinstance(event, Ended) and opened is not None:
            missing = {
                seat: Failure(fault, NEVER_BEGAN)
                for seat, fault in enumerate(event.faults)
                if fault is not None and seat not in failures
            }
            failures |= missing
            made = _recorded(pairing, opened, moves, failures, event.outcome)
            return made.with_log(log, sandbox)
    raise UsageError(f"{pairing.key}: a game that has not ended cannot be recorded")


def _recorded(
    pairing: Pairing,
    opened: Opened,
    moves: Sequence[Played],
    failures: Mapping[Seat, Failure],
    outcome: Outcome,
) -> Record:
    return Record(
        pairing,
        opened.edition,
        opened.authority,
        opened.position,
        tuple([move.move for move in moves]),
        tuple([round(move.spent, 6) for move in moves]),
        tuple([move.seat for move in moves]),
        outcome,
        tuple([failures.get(seat) for seat in range(len(opened.names))]),
        opened.consequence,
    )


def to_text(record: Record) -> str:
    """A record as one line of JSON."""
    opening, outcome = record.pairing.opening, record.outcome
    data = {
        "key": record.pairing.key,
        "players": record.pairing.players,
        "seed": opening.seed,
        "options": opening.options,
        "edition": record.edition,
        "authority": record.authority,
        "start": record.start,
        "moves": record.moves,
        "spent": record.spent,
        "seats": record.seats,
        "ranks": outcome.ranks,
        "scores": outcome.scores,
        "reason": outcome.reason,
        "failures": [each and _failure_data(each) for each in record.failures],
        "consequence": record.consequence,
        "log": record.log,
        "sandbox": record.sandbox,
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def from_text(text: str) -> Record:
    """The record that a line of JSON holds; raises StoreError if it holds none."""
    try:
        data = json.loads(text)
        options = tuple((name, value) for name, value in data["options"])
        pairing = Pairing(data["key"], tuple(data["players"]), Opening(data["seed"], options))
        return Record(
            pairing,
            data["edition"],
            data["authority"],
            data["start"],
            tuple(data["moves"]),
            tuple(data["spent"]),
            tuple(data["seats"]),
            Outcome(tuple(data["ranks"]), tuple(data["scores"]), data["reason"]),
            tuple(each and _failure(each) for each in data["failures"]),
            data["consequence"],
            data["log"],
            data.get("sandbox", NO_SANDBOX),
        )
    except (KeyError, TypeError, ValueError) as problem:
        raise StoreError(f"this is no record of a game: {problem!r}") from problem


def check(record: Record, start: Callable[[Opening], Any]) -> str | None:
    """What is wrong with a record if it is played again from the rules; None: nothing."""
    position = start(record.pairing.opening)
    if position.text() != record.start:
        return "it does not begin as its lot says"
    try:
        played = _replayed(record, position)
    except (IllegalMove, TextError) as problem:
        return str(problem)
    return None if played == record.outcome else f"by the rules it ends otherwise: {played}"


def _replayed(record: Record, position: Any) -> Outcome | None:
    if any(record.failures):
        return _judged_again(record, position)
    for seat, move in zip(record.seats, record.moves, strict=True):
        if position.to_move() != seat:
            raise TextError(f"{move}: seat {seat} was not to move")
        position.play(move)
    outcome: Outcome | None = position.outcome()
    return outcome


def _judged_again(record: Record, position: Any) -> Outcome | None:
    """A game with faults, by the referee: whatever the fault was, its seat is out from then on.

    Who failed first between two moves is not recorded: any order may lead to the outcome.
    """
    failed = [seat for seat, each in enumerate(record.failures) if each is not None]
    found, problem = None, None
    for order in permutations(failed):
        try:
            found = _judged_in(order, record, position.copy())
        except TextError as error:
            problem = error
            continue
        if found == record.outcome:
            return found
    if found is None and problem is not None:
        raise problem
    return found


def _judged_in(order: Sequence[Seat], record: Record, position: Any) -> Outcome | None:
    match = Match(position, consequence=Consequence[record.consequence])
    failures = [(seat, each.at) for seat in order if (each := record.failures[seat]) is not None]
    missing = [seat for seat, at in failures if at == NEVER_BEGAN]
    for seat in range(position.seats):
        if seat not in missing:
            match.handle(Join(0.0, seat))
    for seat in missing:
        match.handle(Leave(0.0, seat))
    for at in range(len(record.moves) + 1):
        for seat, when in failures:
            if when == at:
                match.handle(Leave(0.0, seat))
        if at < len(record.moves):
            _again(match, record.seats[at], record.moves[at])
    return match.ended.outcome if match.ended else None


def _again(match: Match, seat: Seat, text: str) -> None:
    move = match.position.move(text)
    if match.position.to_move() != seat or match.position.why_illegal(move) is not None:
        raise TextError(f"{text}: seat {seat} could not make this move")
    match.handle(MoveSent(0.0, seat, move))


def tale(record: Record, load: Load) -> Tale:
    """The game of a record, position by position."""
    game = load(record.edition, record.authority)
    teller = Teller(game, record.pairing.players, game.parse(record.start), record.consequence)
    for at in range(len(record.moves) + 1):
        for seat, each in enumerate(record.failures):
            if each is not None and max(each.at, 0) == at:
                teller.violated(seat, each.fault)
        if at < len(record.moves):
            teller.played(record.moves[at], record.spent[at])
    faults = [None if each is None else each.fault for each in record.failures]
    teller.ended(record.outcome, faults)
    return teller.tale(record.log)


def _failure_data(failure: Failure) -> list[Any]:
    fault = failure.fault
    return [fault.kind.name, fault.detail, fault.move, failure.at]


def _failure(data: list[Any]) -> Failure:
    kind, detail, move, at = data
    return Failure(Fault(Kind[kind], detail, move), at)
