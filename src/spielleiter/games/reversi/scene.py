"""What a position looks like: discs on a board with holes, the last and the legal moves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache, reduce

from spielleiter.game import Cell, Grid, Mark, Move, Position, Scene, Token, reason_text
from spielleiter.text import Messages, Text, listed

messages = Messages(__package__)

PALETTE = {
    "player 1": "#d1495b",
    "player 2": "#2e6fb7",
    "player 3": "#3a9d5d",
    "player 4": "#d9a21b",
    "plain": "#888888",
}


def scene(position: Position, last: Move | None = None) -> Scene:
    """The board with row 1 at the top, as the text of a position has it."""
    rows = position.text().split(" ")[0].split("/")
    return Scene(
        title=messages("title"),
        grid=_grid(columns=len(rows[0]), rows=len(rows)),
        tokens=tuple(stone for y, row in enumerate(rows) for stone in _stones(y, row)),
        holes=_holes(rows),
        marks=_marks(position, last),
        status=_status(position, "".join(rows)),
        palette=PALETTE,
    )


@cache
def _grid(columns: int, rows: int) -> Grid:
    return Grid(
        columns=columns,
        rows=rows,
        column_labels=tuple(chr(ord("a") + x) for x in range(columns)),
        row_labels=tuple(str(y + 1) for y in range(rows)),
    )


def _holes(rows: Sequence[str]) -> tuple[Cell, ...]:
    if not any("-" in row for row in rows):
        return ()
    return tuple((x, y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "-")


@lru_cache(maxsize=8_192)
def _stones(y: int, row: str) -> tuple[Token, ...]:
    """What lies in a row; most rows stay as they are from turn to turn."""
    return tuple(_stone(x, y, mark) for x, mark in enumerate(row) if mark in "1234")


@cache
def _stone(x: int, y: int, player: str) -> Token:
    """One object for the same stone in all scenes: who keeps what was seen need not compare."""
    return Token(
        id=f"{x},{y}",
        cells=((x, y),),
        glyph="disc",
        colour=f"player {player}",
        text=player,
        label=messages("stone", number=player, cell=f"{chr(ord('a') + x)}{y + 1}"),
    )


def _marks(position: Position, last: Move | None) -> tuple[Mark, ...]:
    marks = []
    if last is not None:
        marks.append(Mark("last", (cell_of(position, last),)))
    columns = position.planes[2]
    numbers = (divmod(position.action(move), columns) for move in position.legal_moves())
    if legal := tuple((x, y) for y, x in numbers):
        marks.append(Mark("legal", legal, f"player {position.to_move() + 1}"))
    return tuple(marks)


def cell_of(position: Position, move: Move) -> Cell:
    """Where a move sets its stone."""
    y, x = divmod(position.action(move), position.planes[2])
    return x, y


def _status(position: Position, board: str) -> tuple[Text, Text]:
    fallen = position.text().split(" ")[3]
    counts = []
    for player in map(str, range(1, position.seats + 1)):
        id_ = "count-disqualified" if player in fallen else "count"
        counts.append(messages(id_, number=player, stones=board.count(player)))
    return _turn(position), messages("stones", counts=listed(messages, counts))


def _turn(position: Position) -> Text:
    outcome = position.outcome()
    if outcome is None:
        return messages("to-move", number=position.to_move() + 1)
    winners = [messages("seat", number=seat + 1) for seat in outcome.winners]
    who = reduce(lambda first, second: messages("and", first=first, second=second), winners)
    reason = reason_text(outcome.reason)
    return messages("win" if outcome.is_draw else "wins", winners=who, reason=reason)
