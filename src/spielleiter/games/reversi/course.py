"""The course server's own texts: boards, log and result lines, written and (the log) read again.

Everything here is text from positions and numbers; when it is said is decided elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spielleiter.errors import TextError
from spielleiter.games.reversi import EDITIONS, maps

_NOTHING = "overrides: 0 0 0 0 0 0 0 0\nbombs:     0 0 0 0 0 0 0 0 (power 0)\n"
"""What the players have of the full game's things."""


# ----------------------------------------------------------------------------------------- boards


def rows(position: Any) -> list[str]:
    """The board from the top, one character per cell."""
    found: list[str] = position.text().split(" ")[0].split("/")
    return found


def targets(position: Any) -> set[tuple[int, int]]:
    """Where the player to move may set, as (x, y)."""
    width = position.planes[2]
    found = (divmod(position.action(move), width) for move in position.legal_moves())
    return {(x, y) for y, x in found}


def board(position: Any, marks: bool = True) -> str:
    """The board with numbered rows and columns; an apostrophe right of each legal cell."""
    lines = rows(position)
    legal = targets(position) if marks else set()
    head = "     " + "".join(f"{x:2}" for x in range(len(lines[0])))
    text = [head, "    /" + "--" * len(lines[0])]
    for y, line in enumerate(lines):
        cells = (mark + ("'" if (x, y) in legal else " ") for x, mark in enumerate(line))
        text.append(f"{y:3} | " + "".join(cells))
    if marks:
        text.append(f"valid positions: {len(legal)}")
    return "\n".join(text) + "\n"


def simple_board(position: Any) -> str:
    """The board for programs."""
    return "\n".join(["Board:", *rows(position)]) + "\n"


def scores(points: Sequence[int], out: Sequence[bool]) -> str:
    """What everybody has, the disqualified excepted."""
    lines = [
        f"Player {seat + 1}: {'disqualified' if fallen else f'{score} points'}\n"
        for seat, (score, fallen) in enumerate(zip(points, out, strict=True))
    ]
    return "Scores:\n" + "".join(lines)


# -------------------------------------------------------------------------------- log and result


def log_head(
    name: str, port: int, text: bytes, groups: Iterable[str], limit: float | None, depth: int
) -> str:
    """The log up to the first move."""
    players = "".join(f"Player {seat} is group {group}\n" for seat, group in enumerate(groups, 1))
    return (
        f"Starting game with map {name}\nServer is listening on port {port}\n\n"
        f"{maps.read(text).text()}\n{players}\n"
        f"timelimit {limit or 0.0:.6f}, depthlimit {depth}\n\n"
    )


def log_move(number: int, seat: int, move: str, left: int) -> str:
    """A move; `move` is `(x,y,choice)`."""
    return f"move {number}: player {seat + 1} moved {move}. time left: {left} msecs\n"


def log_disqualified(seat: int, reason: str, position: Any) -> str:
    """A disqualification, with the board it happened on."""
    cells = "".join(" ".join(row) + "\n" for row in rows(position))
    return f"disqualified player {seat + 1} ({reason})\n\nCurrent map:\n\n{_NOTHING}{cells}\n"


def log_end(points: Sequence[int], out: Sequence[bool]) -> str:
    """The end of the log; if one player was left there was no terminal phase and no counting."""
    if out.count(False) < 2:
        return "reached final phase\n"
    counted = scores(points, out)
    return f"reached terminal phase\n\n{counted}\nreached final phase\n\n{counted}"


def result(name: str, lines: Iterable[tuple[str, int, int | None, bool]]) -> str:
    """The result file; per seat its group, score, account left (None: no limit), whether out."""
    text = [name]
    for group, score, left, out in lines:
        account = "inf" if left is None else f"{left} msecs"
        text.append(f"{group}\t{score}\t{account}\t{'disq.' if out else 'ok'}")
    return "\n".join(text) + "\n"


# ------------------------------------------------------------------------------------ reading logs

_LOG = re.compile(r"Starting game with map .*\nServer is listening on port [0-9]+\n\n")
_LINE = re.compile(
    r"move [0-9]+: player ([1-4]) moved \(([0-9]+),([0-9]+),0\)\..*"
    r"|disqualified player ([1-4]) \((.*)\)"
)


@dataclass(frozen=True, slots=True)
class Step:
    """One position of a game told again: what led to it, the move (or None) and the position."""

    title: str
    move: Any
    position: Any


def is_log(text: str) -> bool:
    """Whether this begins as a log of the course's server does."""
    return _LOG.match(text) is not None


def read_log(text: str) -> Iterator[Step]:
    """The game that a log tells of, position by position; raises TextError."""
    begin = _LOG.match(text)
    if begin is None:
        raise TextError("this is no log of a game", text[:40])
    end = text.find("\n\n", begin.end())
    head = text[begin.start() : begin.end()].splitlines()[0]
    position = EDITIONS[0].parse(maps.read(text[begin.end() : end]).position())
    yield Step(head, None, position.copy())
    for line in _LINE.finditer(text, end):
        move = _told_again(position, line)
        yield Step(line[0], move, position.copy())


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
