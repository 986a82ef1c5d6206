"""Reads and writes the course server's log files (`course.py` has their texts)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from spielleiter.errors import TextError
from spielleiter.games.reversi import EDITIONS, Position, course, maps
from spielleiter.match import Consequence, Fault, Frame, GameRecord, Kind, Opened
from spielleiter.match.record import RecordBuilder

SUFFIX = ".log"
"""How the name of such a file ends."""
MOST_TURNS = 2_000
_PORT = 7777
_HEAD = re.compile(r"(Starting game with map .*)\nServer is listening on port [0-9]+\n\n")
_PLAYER = re.compile(r"^Player ([1-4]) is group (.{0,100})$", re.MULTILINE)
_GROUP = "group "
_LINE = re.compile(
    r"move [0-9]+: player ([1-4]) moved \(([0-9]+),([0-9]+),0\)\..*"
    r"|disqualified player ([1-4]) \((.*)\)"
)


# ---------------------------------------------------------------------------------------- reading


def recognises(text: str) -> bool:
    """Whether this begins as a log of the course's server does."""
    return _HEAD.match(text) is not None


def read(text: str) -> GameRecord:
    """The record of the game in a log; raises TextError with what is wrong and where."""
    head = _HEAD.match(text)
    if head is None:
        raise TextError("this is not a log of a game", text[:40])
    end = text.find("\n\n", head.end())
    board = maps.read(text[head.end() : end])
    position = Position.parse(board.position(), EDITIONS[0].name)
    names = list(_names(text[end : text.find("\n\n", end + 2)], position.seats))
    builder = RecordBuilder(position, names, consequence=Consequence.DISQUALIFIES)
    faults: list[Fault | None] = [None] * position.seats
    for number, line in enumerate(_LINE.finditer(text, end), 1):
        if number > MOST_TURNS:
            raise TextError(f"more than {MOST_TURNS} turns")
        if line[4]:
            seat = int(line[4]) - 1
            faults[seat] = fault = Fault(Kind.REPORTED, line[5])
            builder.violated(seat, fault)
            position.disqualify(seat)
        else:
            _play(position, line, builder)
    if (outcome := position.outcome()) is not None:
        builder.ended(outcome, faults)
    return builder.record()


def _names(head: str, seats: int) -> Iterator[str]:
    """Who played: the course's server has numbers of groups, our logs have names."""
    groups = dict(_PLAYER.findall(head))
    for seat in range(seats):
        group = groups.get(str(seat + 1), "").strip()
        yield f"{_GROUP}{group}" if group.isdecimal() else group


def _play(position: Position, line: re.Match[str], builder: RecordBuilder) -> None:
    seat = int(line[1]) - 1
    if position.outcome() is not None or position.to_move() != seat:
        raise TextError(f"it was not the turn of player {line[1]}", line.string, line.start())
    move = position.move(f"{line[2]},{line[3]}")
    position.play(move)
    builder.played(seat, move.text())


# ---------------------------------------------------------------------------------------- writing


def write(frames: Sequence[Frame]) -> str | None:
    """The log of a game; None if it does not begin as a map sets it up."""
    start = frames[0].position
    board = maps.Map(start.seats, tuple(course.rows(start)))
    if board.position() != start.text():
        return None
    opened = frames[0].turn.event
    names = opened.names if isinstance(opened, Opened) else ("",) * start.seats
    groups = [_group(name) for name in names]
    text = course.log_head("game", _PORT, board.text().encode(), groups, None, 0)
    out = [False] * start.seats
    for number, (before, frame) in enumerate(itertools.pairwise(frames), 1):
        seat = frame.turn.seat
        assert seat is not None, "every turn but the first is somebody's"
        if frame.turn.move is None:
            out[seat] = True
            text += course.log_disqualified(seat, _reason(frame), frame.position)
        else:
            assert frame.last is not None, "a turn with a move"
            y, x = divmod(before.position.action(frame.last), start.planes[2])
            text += course.log_move(number, seat, f"({x},{y},0)", 0)
    return text + course.log_end(frames[-1].position.scores(), out)


def _group(name: str) -> str:
    """A player's name in the place of the group's number; on one line."""
    return " ".join(name.removeprefix(_GROUP).split())


def _reason(frame: Frame) -> str:
    fault = frame.turn.fault
    reported = fault is not None and fault.kind is Kind.REPORTED
    return fault.detail if fault is not None and reported else "disqualified"
