"""Replays of the Software-Challenge read as a whole, whoever wrote them: official servers or ours.

Also what an observer received may be read: it is made of the same messages. The positions are those
of the file, not what our rules make of its moves; where the two differ a note says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from spielleiter.errors import IllegalMove, TextError
from spielleiter.game import AUTHORITIES, Outcome
from spielleiter.match.tale import Tale, Turn
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
class Bounds:
    """How much a file may ask of us."""

    turns: int = 2_000
    seconds: float = 10.0


@dataclass(slots=True)
class _Read:
    """What a file says, as far as it was read."""

    states: list[Seen] = field(default_factory=list)
    error: str = ""
    result: Result | None = None
    whole: bool = False


def retell(
    data: bytes,
    tables: Sequence[ServedGame],
    bounds: Bounds | None = None,
    now: Callable[[], float] = time.monotonic,
) -> Tale:
    """The game that a file tells of; raises TextError with what is wrong and where."""
    bounds = bounds or Bounds()
    reader = _Reader(data, tables, bounds, now)
    read = reader.read()
    if reader.table is None:
        raise TextError("this file holds no state of a game")
    tales = [_told(table, read) for table in _judges(reader.table)]
    tale = next((each for each in tales if not each.notes), tales[0])
    return replace(tale, notes=(*tale.notes, *(() if read.whole else (_CUT,))))


class _Reader:
    """Goes through a file piece by piece, never longer than it may."""

    def __init__(
        self, data: bytes, tables: Sequence[ServedGame], bounds: Bounds, now: Callable[[], float]
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
                raise TextError(f"this is no replay: {self._located(fault)}") from fault

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


# ---------------------------------------------------------------------------------------- tale


def _judges(table: ServedGame) -> Iterator[ServedGame]:
    """The edition under every authority, the official servers first."""
    for authority in reversed(AUTHORITIES):
        yield ServedGame.of(table.game.under(authority))


def _told(table: ServedGame, read: _Read) -> Tale:
    turns: list[Turn] = []
    odd: list[str] = []
    for number, seen in enumerate(read.states):
        position = _parsed(table, seen, number)
        if turns and position.text() == turns[-1].position.text():
            continue  # told twice, as observers are after a pause
        turn = _turn(table, turns[-1], position, seen) if turns else Turn(position)
        if turns and not _follows(turns[-1].position, turn):
            odd.append(str(len(turns)))
        turns.append(turn)
    notes = (f"not what our rules make of the move before: turn {', '.join(odd)}",) if odd else ()
    tale = Tale(table.game, _names(read), tuple(turns), notes=notes)
    return tale if read.result is None else _ended(tale, read, read.result)


def _parsed(table: ServedGame, seen: Seen, number: int) -> Any:
    try:
        return table.game.parse(seen.position)
    except TextError as fault:
        raise TextError(f"state {number + 1}: {fault.problem}") from fault


def _turn(table: ServedGame, before: Turn, position: Any, seen: Seen) -> Turn:
    seat = before.position.to_move() if before.position.outcome() is None else None
    move = None if seen.last is None else table.wire.last_move(before.position, seen.last)
    words = "" if move is None else move.text()
    return Turn(position, move, seat, words, None, seen.hints)


def _follows(before: Any, turn: Turn) -> bool:
    if turn.last is None:
        return False
    position = before.copy()
    try:
        position.play(turn.last)
    except IllegalMove:
        return False
    return bool(position.text() == turn.position.text())


def _names(read: _Read) -> tuple[str, ...]:
    """As the result has them, or the states of older seasons."""
    scores = read.result.scores if read.result is not None else ()
    told = tuple(score.name or "" for score in scores)
    if any(told):
        return told
    return tuple(name or "" for name in read.states[-1].names)


def _ended(tale: Tale, read: _Read, result: Result) -> Tale:
    first = [score.parts[0] if score.parts else 0 for score in result.scores]
    ranks = tuple(1 + sum(other > own for other in first) for own in first)
    second = tuple(round(score.parts[1]) if len(score.parts) > 1 else 0 for score in result.scores)
    faults: tuple[str | None, ...] = tuple(map(_fault, result.scores))
    if not any(faults) and not _regular(result) and len(set(ranks)) > 1:
        faults = tuple(None if rank == 1 else _reason(read, result) for rank in ranks)
    return replace(tale, outcome=Outcome(ranks, second, _reason(read, result)), faults=faults)


def _fault(score: Score) -> str | None:
    regular = score.cause in (None, "REGULAR")
    return None if regular else f"{score.cause} {score.reason or ''}".strip()


def _regular(result: Result) -> bool:
    return all(winner.regular for winner in result.winners)


def _reason(read: _Read, result: Result) -> str:
    reasons = [winner.reason for winner in result.winners]
    reasons += [score.reason for score in result.scores]
    return next((reason for reason in reasons if reason), read.error)
