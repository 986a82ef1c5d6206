"""Games told again from the course server's log files (`course.py` writes them)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from spielleiter.errors import TextError
from spielleiter.game import Step
from spielleiter.games.reversi import EDITIONS, maps

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
