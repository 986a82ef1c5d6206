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
        tokens=_tokens("".join(rows), len(rows[0])),
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


def _tokens(board: str, columns: int) -> tuple[Token, ...]:
    known = zip(_stones(columns, len(board) // columns), board, strict=True)
    return tuple([stones[mark] for stones, mark in known if mark in stones])


@cache
def _stones(columns: int, rows: int) -> tuple[dict[str, Token], ...]:
    """The stones that may lie on each cell: one object for the same stone in all scenes, so that
    caches of scenes can compare by identity."""
    cells = _cells(columns, rows)
    return tuple({player: _stone(x, y, player) for player in "1234"} for x, y in cells)


@cache
def _cells(columns: int, rows: int) -> tuple[Cell, ...]:
    return tuple((x, y) for y in range(rows) for x in range(columns))


def _stone(x: int, y: int, player: str) -> Token:
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
    cells = _cells(*position.planes[:0:-1])
    if legal := tuple([cells[position.action(move)] for move in position.legal_moves()]):
        marks.append(Mark("legal", legal, f"player {position.to_move() + 1}"))
    return tuple(marks)


def cell_of(position: Position, move: Move) -> Cell:
    """Where a move sets its stone."""
    y, x = divmod(position.action(move), position.planes[2])
    return x, y


def _status(position: Position, board: str) -> tuple[Text, Text]:
    fallen = position.text().split(" ")[3]
    counts = [
        _count(player, board.count(player), player in fallen)
        for player in map(str, range(1, position.seats + 1))
    ]
    return _turn(position), messages("stones", counts=listed(messages, counts))


@lru_cache(maxsize=8_192)
def _count(player: str, stones: int, disqualified: bool) -> Text:
    id_ = "count-disqualified" if disqualified else "count"
    return messages(id_, number=player, stones=stones)


@cache
def _to_move(number: int) -> Text:
    return messages("to-move", number=number)


def _turn(position: Position) -> Text:
    outcome = position.outcome()
    if outcome is None:
        return _to_move(position.to_move() + 1)
    winners = [messages("seat", number=seat + 1) for seat in outcome.winners]
    who = reduce(lambda first, second: messages("and", first=first, second=second), winners)
    reason = reason_text(outcome.reason)
    return messages("win" if outcome.is_draw else "wins", winners=who, reason=reason)
