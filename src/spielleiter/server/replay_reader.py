"""Reads replays of the Software-Challenge, written by official servers or ours.

It also reads what an observer received, which has the same messages. Positions are those of the
file, not computed from its moves; if the two differ, a note says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from spielleiter.errors import IllegalMove, TextError
from spielleiter.game import AUTHORITIES, Move, Outcome, Position
from spielleiter.match import Fault, GameRecord, Kind
from spielleiter.match.record import RecordBuilder
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import (
    EndOfDocument,
    Error,
    Memento,
    Message,
    Result,
    Score,
    Unknown,
)
from spielleiter.protocol.wire import Seen
from spielleiter.protocol.xml import Connection, Side, XmlError
from spielleiter.server.served_game import ServedGame

_CHUNK = 64 * 1024
_CUT = "the file ends before the game does"


@dataclass(frozen=True, slots=True)
class ReplayLimits:
    """Limits for reading a file."""

    turns: int = 2_000
    seconds: float = 10.0


@dataclass(slots=True)
class _Read:
    """The content of a file, as far as it was read."""

    states: list[Seen] = field(default_factory=list)
    error: str = ""
    result: Result | None = None
    whole: bool = False


def read_replay(
    data: bytes,
    tables: Sequence[ServedGame],
    bounds: ReplayLimits | None = None,
    now: Callable[[], float] = time.monotonic,
) -> GameRecord:
    """The record of the game in a file; raises TextError with what is wrong and where."""
    bounds = bounds or ReplayLimits()
    reader = _Reader(data, tables, bounds, now)
    read = reader.read()
    if reader.table is None:
        raise TextError("this file holds no state of a game")
    records = [_Record(table, read).record() for table in _judges(reader.table)]
    record = next((each for each in records if not each.notes), records[0])
    return replace(record, notes=(*record.notes, *(() if read.whole else (_CUT,))))


class _Reader:
    """Parses a file chunk by chunk within its limits."""

    def __init__(
        self,
        data: bytes,
        tables: Sequence[ServedGame],
        bounds: ReplayLimits,
        now: Callable[[], float],
    ) -> None:
        self._data, self._tables, self._bounds, self._now = data, tables, bounds, now
        self._until = now() + bounds.seconds
        self.table: ServedGame | None = None

    def read(self) -> _Read:
        read = _Read()
        for message in self._messages():
            if (state := _state(message)) is not None:
                read.states.append(self._seen(state, len(read.states)))
            elif isinstance(message, Error):
                read.error = message.message
            elif isinstance(message, Result):
                read.result, read.whole = message, True
                return read  # what follows is another game
            elif isinstance(message, EndOfDocument):
                read.whole = True
        return read

    def _messages(self) -> Iterator[Message]:
        connection = Connection(Side.CLIENT)
        for begin in range(0, len(self._data), _CHUNK):
            if self._now() > self._until:
                raise TextError(f"reading takes longer than {self._bounds.seconds:g} seconds")
            try:
                yield from connection.receive(self._data[begin : begin + _CHUNK])
            except XmlError as fault:
                raise TextError(f"this is not a replay: {self._located(fault)}") from fault

    def _located(self, fault: XmlError) -> str:
        if fault.at is None:
            return fault.problem
        line = self._data.count(b"\n", 0, fault.at) + 1
        return f"{fault.problem} (line {line}, byte {fault.at})"

    def _seen(self, state: Element, number: int) -> Seen:
        if number >= self._bounds.turns:
            raise TextError(f"more than {self._bounds.turns} states")
        if self.table is None:
            self.table = self._recognised(state)
        try:
            return self.table.wire.read_state(state)
        except XmlError as fault:
            raise TextError(f"state {number + 1}: {fault.problem}") from fault

    def _recognised(self, state: Element) -> ServedGame:
        for table in self._tables:
            if table.wire.recognises(state):
                return table
        raise TextError(f"no game that we know has a state like this: {_outline(state)}")


def _state(message: Message) -> Element | None:
    """The state in a message; older files have it bare."""
    if isinstance(message, Memento) and isinstance(message.state, Element):
        return message.state
    if isinstance(message, Unknown) and message.element.name == "state":
        return message.element
    return None


def _outline(state: Element) -> str:
    attributes = "".join(f" {name}" for name in list(state.attributes)[:6])
    children = ", ".join(dict.fromkeys(child.name for child in state.children[:20]))
    return f"<state{attributes}> with {children or 'nothing in it'}"[:160]


# ----------------------------------------------------------------------------------------- record


def _judges(table: ServedGame) -> Iterator[ServedGame]:
    """The edition under every authority, the official servers first."""
    for authority in reversed(AUTHORITIES):
        yield ServedGame.of(table.game.under(authority))


class _Record:
    """Turns the states of a file into the events of a game."""

    def __init__(self, table: ServedGame, read: _Read) -> None:
        self._table, self._read = table, read
        self._position: Position = _parsed(table, read.states[0], 0)
        self._turn = 0
        self._odd: list[str] = []
        names = (*_names(read), *[""] * self._position.seats)[: self._position.seats]
        self._builder = RecordBuilder(self._position, names)

    def record(self) -> GameRecord:
        """The record of all states and the result."""
        for number, seen in enumerate(self._read.states[1:], 1):
            position = _parsed(self._table, seen, number)
            if position.text() != self._position.text():  # observers hear twice after a pause
                self._add(seen, position)
        if self._read.result is not None:
            self._end(self._read.result)
        odd = ", ".join(self._odd)
        notes = (f"not what our rules make of the move before: turn {odd}",) if odd else ()
        return self._builder.record(notes)

    def _add(self, seen: Seen, position: Position) -> None:
        before, self._position, self._turn = self._position, position, self._turn + 1
        seat = before.to_move() if before.outcome() is None else None
        move = None if seen.last is None else self._table.wire.last_move(before, seen.last)
        text = None if move is None else move.text()
        if seat is None or text is None or move is None or not _follows(before, move, position):
            self._odd.append(str(self._turn))
            self._builder.stated(position.text(), seat, text, seen.hints)
        else:
            self._builder.played(seat, text, seen.hints)

    def _end(self, result: Result) -> None:
        faults = tuple(map(_fault, result.scores))
        reason = result.reason or self._read.error
        if not any(faults) and not _regular(result) and len(set(result.ranks)) > 1:
            reported = Fault(Kind.REPORTED, reason)
            faults = tuple(None if rank == 1 else reported for rank in result.ranks)
        self._builder.ended(Outcome(result.ranks, result.points, reason), faults)


def _parsed(table: ServedGame, seen: Seen, number: int) -> Position:
    try:
        return table.game.parse(seen.position)
    except TextError as fault:
        raise TextError(f"state {number + 1}: {fault.problem}") from fault


def _follows(before: Position, move: Move, position: Position) -> bool:
    after = before.copy()
    try:
        after.play(move)
    except IllegalMove:
        return False
    return bool(after.text() == position.text())


def _names(read: _Read) -> tuple[str, ...]:
    """The names in the result, or in the states of older seasons."""
    scores = read.result.scores if read.result is not None else ()
    told = tuple(score.name or "" for score in scores)
    if any(told):
        return told
    return tuple(name or "" for name in read.states[-1].names)


def _fault(score: Score) -> Fault | None:
    if score.cause in (None, "REGULAR"):
        return None
    return Fault(Kind.REPORTED, f"{score.cause} {score.reason or ''}".strip())


def _regular(result: Result) -> bool:
    return all(winner.regular for winner in result.winners)
