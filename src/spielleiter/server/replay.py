"""Replays in the official XML form: written when a game has ended, read to start from any turn."""

from __future__ import annotations

import gzip
import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from spielleiter.errors import SpielleiterError, StoreError, TextError, UsageError
from spielleiter.match import Ended, Event, Fault, Kind, Opened, PerMove, Played
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import Error, Memento, Message, Result
from spielleiter.protocol.wire import Cause, End, Sent
from spielleiter.protocol.xml import Connection, Side, XmlError, encode
from spielleiter.server.served_game import ServedGame, Start
from spielleiter.server.speaker import XmlSpeaker

_UNFIT = re.compile(r'[\s/\\:*?"<>|\x00-\x1f]')
_LONGEST_NAME = 60


# ---------------------------------------------------------------------------------------- writing


@dataclass(frozen=True, slots=True)
class Replay:
    """A game that has ended: all that its replay needs."""

    room: str
    table: ServedGame
    start: Start
    moves: tuple[Sent, ...]
    names: tuple[str, ...]
    error: Error | None
    result: Result

    @classmethod
    def of(cls, room: XmlSpeaker) -> Replay:
        """The replay of a room that has ended."""
        assert room.result is not None
        moves, names = tuple(room.sent), room.match.names
        return cls(room.id, room.served, room.start, moves, names, room.error, room.result)

    @classmethod
    def told(cls, room: str, table: ServedGame, events: Sequence[Event]) -> Replay:
        """The replay of a match that ended, from its events alone."""
        opened, ended = events[0], events[-1]
        if not isinstance(opened, Opened) or not isinstance(ended, Ended):
            raise UsageError("only a match that has ended has a replay")
        start = table.game.parse(opened.position)
        position, moves = start.copy(), []
        for event in events:
            if isinstance(event, Played):
                moves.append(table.wire.sent(position, position.move(event.move), event.hints))
                position.play(moves[-1].move)
        end = _end(table, position, opened, ended)
        result = table.wire.result(room, position, opened.names, end)
        return cls(room, table, Start(start), tuple(moves), opened.names, None, result)

    def document(self) -> str:
        """The whole file."""
        return "<protocol>\n" + "".join(map(self._told, self._messages())) + "</protocol>"

    def _told(self, message: Message) -> str:
        """At indentation 0, where a stream has one level."""
        text = encode(message, self.table.wire.dialect).decode()
        return text.replace("\n  ", "\n")[1:] + "\n"

    def _messages(self) -> Iterator[Message]:
        position, last = self.start.position.copy(), self.start.last
        yield self._memento(position, last)
        for sent in self.moves:
            position.play(sent.move)
            yield self._memento(position, sent)
        if self.error is not None:
            yield self.error
        yield self.result

    def _memento(self, position: Any, last: Sent | None) -> Memento:
        return Memento(self.room, self.table.wire.state(position, last, self.names))


CAUSES = {
    Kind.ILLEGAL: Cause.RULE_VIOLATION,
    Kind.LATE: Cause.SOFT_TIMEOUT,
    Kind.SILENT: Cause.HARD_TIMEOUT,
    Kind.LEFT: Cause.LEFT,
    Kind.OUT_OF_TURN: Cause.DISORDER,
    Kind.UNREQUESTED: Cause.DISORDER,
}
"""What the referee calls a fault → what a result calls it."""


def _end(table: ServedGame, position: Any, opened: Opened, ended: Ended) -> End:
    faults = [(seat, fault) for seat, fault in enumerate(ended.faults) if fault is not None]
    if not faults:
        return End(Cause.CANCELLED if ended.cancelled else Cause.REGULAR)
    fault = faults[0][1]
    clock = opened.clock if isinstance(opened.clock, PerMove) else PerMove()
    offenders = tuple(seat for seat, _ in faults)
    detail = _refusal(table, position, fault) if fault.kind is Kind.ILLEGAL else fault.detail
    return End(CAUSES[fault.kind], offenders, detail, clock.soft or 0.0, clock.hard or 0.0)


def _refusal(table: ServedGame, position: Any, fault: Fault) -> str:
    """Why a move was refused, in the season's words if its text can be read again."""
    try:
        sent = table.wire.sent(position, position.move(fault.move))
    except (SpielleiterError, ValueError):
        return fault.detail
    refusal = table.wire.why_refused(position, sent)
    return fault.detail if refusal is None else refusal.reason


def write(replay: Replay, folder: Path, at: datetime, *, compressed: bool) -> Path:
    """Write a replay; it is there whole or not at all, and never in the place of another."""
    data = replay.document().encode()
    suffix = ".xml.gz" if compressed else ".xml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = _free(folder, _name(replay, at), suffix)
        _write_atomically(path, gzip.compress(data, mtime=0) if compressed else data)
    except OSError as problem:
        raise StoreError(f"the replay cannot be written: {problem}") from problem
    return path


def _name(replay: Replay, at: datetime) -> str:
    names = "_".join(_UNFIT.sub("_", name)[:_LONGEST_NAME] for name in replay.names)
    return f"replay_{replay.table.wire.game_type}_{at:%Y-%m-%d_%H-%M-%S}_{names}"


def _free(folder: Path, name: str, suffix: str) -> Path:
    path, number = folder / (name + suffix), 1
    while path.exists():
        number += 1
        path = folder / f"{name}_{number}{suffix}"
    return path


def _write_atomically(path: Path, data: bytes) -> None:
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


# ---------------------------------------------------------------------------------------- reading


def load(path: Path, turn: int, tables: Sequence[ServedGame]) -> tuple[ServedGame, Start]:
    """The first state of a replay with that turn or a later one, and the game it belongs to."""
    states = _states(_bytes(path))
    for state in states:
        table = next((table for table in tables if table.wire.recognises(state)), None)
        if table is None:
            raise TextError(f"{path} is a replay of a game that this server does not offer")
        seen = table.wire.read_state(state)
        position = table.game.parse(seen.position)
        if position.ply >= turn:
            last = None if seen.last is None else Sent(None, seen.last, "")
            return table, Start(position, last)
    raise TextError(f"{path} has no state with turn {turn} or later")


def _bytes(path: Path) -> bytes:
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except OSError as problem:
        raise StoreError(f"the replay cannot be read: {problem}") from problem


def _states(data: bytes) -> Iterator[Element]:
    try:
        messages = Connection(Side.CLIENT).receive(data)
    except XmlError as fault:
        raise TextError(f"this is no replay: {fault}") from fault
    for message in messages:
        if isinstance(message, Memento) and isinstance(message.state, Element):
            yield message.state
