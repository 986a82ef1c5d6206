"""Games told again from the course server's log files (`course.py` writes them)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any

from spielleiter.errors import TextError
from spielleiter.game import Step
from spielleiter.games.reversi import EDITIONS, course, maps

SUFFIX = ".log"
"""How the name of such a file ends."""
_PORT = 7777
_HEAD = re.compile(r"(Starting game with map .*)\nServer is listening on port [0-9]+\n\n")
_LINE = re.compile(
    r"move [0-9]+: player ([1-4]) moved \(([0-9]+),([0-9]+),0\)\..*"
    r"|disqualified player ([1-4]) \(.*\)"
)


def recognises(text: str) -> bool:
    """Whether this begins as a log of the course's server does."""
    return _HEAD.match(text) is not None


def steps(text: str) -> Iterator[Step]:
    """The game that a log tells of, position by position; raises TextError."""
    head = _HEAD.match(text)
    if head is None:
        raise TextError("this is no log of a game", text[:40])
    end = text.find("\n\n", head.end())
    position = EDITIONS[0].parse(maps.read(text[head.end() : end]).position())
    yield Step(head[1], position.copy())
    for line in _LINE.finditer(text, end):
        move = _told_again(position, line)
        yield Step(line[0], position.copy(), move)


def record(steps: Sequence[Step]) -> str | None:
    """The log of a game; None if it does not begin as a map sets it up."""
    start = steps[0].position
    board = maps.Map(start.seats, tuple(course.rows(start)))
    if board.position() != start.text():
        return None
    text = course.log_head("game", _PORT, board.text().encode(), [""] * start.seats, None, 0)
    out = [False] * start.seats
    for number, (before, step) in enumerate(itertools.pairwise(steps), 1):
        seat = before.position.to_move()
        if step.last is None:
            seat = _fallen(before.position, step.position)
            out[seat] = True
            text += course.log_disqualified(seat, "disqualified", step.position)
        else:
            y, x = divmod(before.position.action(step.last), start.planes[2])
            text += course.log_move(number, seat, f"({x},{y},0)", 0)
    return text + course.log_end(steps[-1].position.scores(), out)


def _fallen(before: Any, after: Any) -> int:
    """The seat that was put out between two positions."""
    for seat in range(before.seats):
        tried = before.copy()
        tried.disqualify(seat)
        if tried.text() == after.text():
            return seat
    raise TextError("this is neither a move nor a disqualification", after.text())


def _told_again(position: Any, line: re.Match[str]) -> Any:
    """Make the move, or the disqualification, of a line of the log."""
    if line[4]:
        position.disqualify(int(line[4]) - 1)
        return None
    if position.outcome() is not None or position.to_move() + 1 != int(line[1]):
        raise TextError(f"it was not the turn of player {line[1]}", line.string, line.start())
    move = position.move(f"{line[2]},{line[3]}")
    position.play(move)
    return move
