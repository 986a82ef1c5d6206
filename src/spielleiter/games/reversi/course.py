"""The course server's own texts: boards, lines of the log (`replay.py` reads it) and of the result.

Everything here turns positions and numbers into text; other modules decide when it is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from spielleiter.game import Outcome, Position
from spielleiter.games.reversi import maps

_NOTHING = "overrides: 0 0 0 0 0 0 0 0\nbombs:     0 0 0 0 0 0 0 0 (power 0)\n"
"""What the players have of the full game's things."""


# ----------------------------------------------------------------------------------------- boards


def rows(position: Position) -> list[str]:
    """The board from the top, one character per cell."""
    found: list[str] = position.text().split(" ")[0].split("/")
    return found


def targets(position: Position) -> set[tuple[int, int]]:
    """The cells where the player to move may place a stone, as (x, y)."""
    width = position.planes[2]
    found = (divmod(position.action(move), width) for move in position.legal_moves())
    return {(x, y) for y, x in found}


def board(position: Position, marks: bool = True) -> str:
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


def simple_board(position: Position) -> str:
    """The board for programs."""
    return "\n".join(["Board:", *rows(position)]) + "\n"


def scores(points: Sequence[int], out: Sequence[bool]) -> str:
    """The scores of all players who are not disqualified."""
    lines = [
        f"Player {seat + 1}: {'disqualified' if fallen else f'{score} points'}\n"
        for seat, (score, fallen) in enumerate(zip(points, out, strict=True))
    ]
    return "Scores:\n" + "".join(lines)


def ranks(outcome: Outcome, groups: Sequence[str], faults: Sequence[object | None]) -> str:
    """Who is first, second, …, as the task sheet ranks players; equal points share a rank."""
    order = sorted(range(len(groups)), key=lambda seat: (outcome.ranks[seat], seat))
    return "Ranks:\n" + "".join(
        f"{outcome.ranks[seat]}. player {seat + 1}, group {groups[seat]}: "
        + (f"{outcome.scores[seat]} points\n" if faults[seat] is None else "disqualified\n")
        for seat in order
    )


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


def log_disqualified(seat: int, reason: str, position: Position) -> str:
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
