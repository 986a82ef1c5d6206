"""What a position looks like: discs on a board with holes, the last and the legal moves."""

from __future__ import annotations

from functools import reduce

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
    cells = {(x, y): mark for y, row in enumerate(rows) for x, mark in enumerate(row)}
    return Scene(
        title=messages("title"),
        grid=_grid(columns=len(rows[0]), rows=len(rows)),
        tokens=tuple(_stone(cell, mark) for cell, mark in cells.items() if mark in "1234"),
        holes=tuple(cell for cell, mark in cells.items() if mark == "-"),
        marks=_marks(position, last),
        status=_status(position, "".join(rows)),
        palette=PALETTE,
    )


def _grid(columns: int, rows: int) -> Grid:
    return Grid(
        columns=columns,
        rows=rows,
        column_labels=tuple(chr(ord("a") + x) for x in range(columns)),
        row_labels=tuple(str(y + 1) for y in range(rows)),
    )


def _stone(cell: Cell, player: str) -> Token:
    x, y = cell
    return Token(
        id=f"{x},{y}",
        cells=(cell,),
        glyph="disc",
        colour=f"player {player}",
        text=player,
        label=messages("stone", number=player, cell=f"{chr(ord('a') + x)}{y + 1}"),
    )


def _marks(position: Position, last: Move | None) -> tuple[Mark, ...]:
    marks = []
    if last is not None:
        marks.append(Mark("last", (cell_of(position, last),)))
    if legal := tuple(cell_of(position, move) for move in position.legal_moves()):
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
