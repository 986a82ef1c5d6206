"""Replays in the official XML form: written when a game has ended, read to start from any turn."""

from __future__ import annotations

import functools
import gzip
import itertools
import os
import re
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from spielleiter.errors import SpielleiterError, StoreError, TextError
from spielleiter.game import Position
from spielleiter.match import Ended, Fault, Frame, GameRecord, Kind, Opened, PerMove
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import Error, Memento, Message, Result
from spielleiter.protocol.wire import Cause, End, Sent
from spielleiter.protocol.xml import Connection, Side, XmlError, encode
from spielleiter.server.served_game import ServedGame, Start
from spielleiter.server.speaker import XmlSpeaker

_UNFIT = re.compile(r'[\s/\\:*?"<>|\x00-\x1f]')
_LONGEST_NAME = 60
State = tuple[Any, Sent | None]
"""A position, and the last move as its player sent it."""


# ---------------------------------------------------------------------------------------- writing


@dataclass(frozen=True, slots=True)
class XmlReplay:
    """A game as an official server writes it down."""

    room: str
    table: ServedGame
    names: tuple[str, ...]
    states: Callable[[], Iterator[State]]
    error: Error | None = None
    result: Result | None = None

    @classmethod
    def of(cls, room: XmlSpeaker) -> XmlReplay:
        """The replay of a room that has ended."""
        states = functools.partial(_played, room.start, tuple(room.sent))
        return cls(room.id, room.served, room.match.names, states, room.error, room.result)

    @classmethod
    def of_record(cls, room: str, table: ServedGame, record: GameRecord) -> XmlReplay:
        """The replay of a recorded game; without a result if the record has no end."""
        frames = list(record.counted.frames(table.game))
        states = functools.partial(_recorded, table, frames)
        if (ended := record.ended) is None:
            return cls(room, table, record.names, states)
        position = frames[-1].position
        end = _end(table, position, record.opened, ended)
        result = table.wire.result(room, position, record.names, end)
        return cls(room, table, record.names, states, None, result)

    def document(self) -> str:
        """The whole file."""
        return "<protocol>\n" + "".join(map(self._encoded, self._messages())) + "</protocol>"

    def _encoded(self, message: Message) -> str:
        """At indentation 0, where a stream has one level."""
        text = encode(message, self.table.wire.dialect).decode()
        return text.replace("\n  ", "\n")[1:] + "\n"

    def _messages(self) -> Iterator[Message]:
        for position, last in self.states():
            yield Memento(self.room, self.table.wire.state(position, last, self.names))
        if self.error is not None:
            yield self.error
        if self.result is not None:
            yield self.result


def _played(start: Start, moves: Sequence[Sent]) -> Iterator[State]:
    position = start.position.copy()
    yield position, start.last
    for sent in moves:
        assert sent.move is not None, "it was played"
        position.play(sent.move)
        yield position, sent


def _recorded(table: ServedGame, frames: Sequence[Frame]) -> Iterator[State]:
    yield frames[0].position, None
    last = None
    for before, frame in itertools.pairwise(frames):
        if frame.last is not None:
            last = table.wire.sent(before.position, frame.last, frame.turn.hints)
        yield frame.position, last


CAUSES = {
    Kind.ILLEGAL: Cause.RULE_VIOLATION,
    Kind.LATE: Cause.SOFT_TIMEOUT,
    Kind.SILENT: Cause.HARD_TIMEOUT,
    Kind.LEFT: Cause.LEFT,
    Kind.OUT_OF_TURN: Cause.DISORDER,
    Kind.UNREQUESTED: Cause.DISORDER,
}
"""What the referee calls a fault → what a result calls it."""


def _end(table: ServedGame, position: Position, opened: Opened, ended: Ended) -> End:
    faults = [
        (seat, each) for seat, each in enumerate(ended.faults) if each and each.kind in CAUSES
    ]
    if not faults:
        cancelled = ended.cancelled or position.outcome() is None
        return End(Cause.CANCELLED if cancelled else Cause.REGULAR)
    fault = faults[0][1]
    clock = opened.clock if isinstance(opened.clock, PerMove) else PerMove()
    offenders = tuple(seat for seat, _ in faults)
    detail = _refusal(table, position, fault) if fault.kind is Kind.ILLEGAL else fault.detail
    return End(CAUSES[fault.kind], offenders, detail, clock.soft or 0.0, clock.hard or 0.0)


def _refusal(table: ServedGame, position: Position, fault: Fault) -> str:
    """Why a move was refused, in the season's words if its text can be read again."""
    try:
        sent = table.wire.sent(position, position.move(fault.move))
    except (SpielleiterError, ValueError):
        return fault.detail
    refusal = table.wire.why_refused(position, sent)
    return fault.detail if refusal is None else refusal.reason


def write(replay: XmlReplay, folder: Path, at: datetime, *, compressed: bool) -> Path:
    """Write a replay atomically; never overwrites another one."""
    data = replay.document().encode()
    suffix = ".xml.gz" if compressed else ".xml"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = _free(folder, _name(replay, at), suffix)
        _write_atomically(path, gzip.compress(data, mtime=0) if compressed else data)
    except OSError as problem:
        raise StoreError(f"the replay cannot be written: {problem}") from problem
    return path


def _name(replay: XmlReplay, at: datetime) -> str:
    names = "_".join(_UNFIT.sub("_", name)[:_LONGEST_NAME] for name in replay.names)
    wire = replay.table.wire
    if wire.dialect.replay_time_last:
        return f"replay_{wire.game_type}_{names}_{at:%Y.%m.%d_%H_%M_%S}"
    return f"replay_{wire.game_type}_{at:%Y-%m-%d_%H-%M-%S}_{names}"


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
        raise TextError(f"this is not a replay: {fault}") from fault
    for message in messages:
        if isinstance(message, Memento) and isinstance(message.state, Element):
            yield message.state
