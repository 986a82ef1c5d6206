"""What lies where in the aquarium: fish, octopuses, swarms, the last move.

Works from the text of a position and its public verbs, so any implementation of them can be drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from importlib import resources
from typing import Final

from spielleiter.game import (
    Cell,
    Grid,
    Mark,
    Move,
    Outcome,
    Position,
    Scene,
    Token,
    Tray,
    reason_text,
)
from spielleiter.text import Messages, Text

SEATS: Final = {
    "piranhas-2019-draft": ("white", "black"),
    "piranhas-2019": ("red", "blue"),
    "piranhas-2026": ("red", "blue"),
}
WEIGHTED: Final = "piranhas-2026"
WEIGHT: Final = {"a": 1, "b": 2, "c": 3}
SIZES: Final = {"a": "small", "b": "medium", "c": "large"}
FISH_EACH: Final = 16
COLUMNS: Final = "ABCDEFGHIJ"
messages: Final = Messages(__package__)

PALETTE: Final = {
    "red": "#d55e00",
    "blue": "#0072b2",
    "white": "#ffffff",
    "black": "#3c464f",
    "octopus": "#7d5ba6",
    "board": "#d9edf3",
    "board-alt": "#c9e3ec",
    "line": "#7fa9b8",
}
GRID: Final = Grid(
    10, 10, upwards=True, column_labels=tuple(COLUMNS), row_labels=tuple("0123456789")
)


def scene(position: Position, last_move: Move | None) -> Scene:
    """The scene of a position; `last_move` is the move that led to it, or None."""
    board = _board(position.text())
    names = SEATS[position.edition]
    last = cells_of_move(last_move)
    return Scene(
        grid=GRID,
        tokens=tuple(_tokens(board, names, last, position.edition == WEIGHTED)),
        marks=(*_swarm_marks(board, names), *_last_mark(last)),
        trays=tuple(_tray(board, seat, names[seat]) for seat in (0, 1)),
        status=tuple(_status(position, names)),
        palette=PALETTE,
        glyphs=GLYPHS,
        title=_title(position.edition),
    )


def _title(edition: str) -> Text:
    season, _, draft = edition.removeprefix("piranhas-").partition("-")
    return messages("scene-draft" if draft else "scene", season=season)


def _board(text: str) -> dict[Cell, str]:
    """The first word of a position text: rows from y = 0, joined by slashes."""
    rows = text.split()[0].split("/")
    return {
        (x, y): piece for y, row in enumerate(rows) for x, piece in enumerate(row) if piece != "."
    }


def _seat(piece: str) -> int:
    return int(piece.isupper())


# ------------------------------------------------------------------------------------------ tokens


def _tokens(
    board: dict[Cell, str], names: tuple[str, str], last: tuple[Cell, ...], weighted: bool
) -> Iterator[Token]:
    moved = {last[1]: last[0]} if last else {}
    for cell, piece in board.items():
        if piece == "#":
            yield _octopus(cell)
        else:
            yield _fish(cell, piece, names[_seat(piece)], moved.get(cell, cell), weighted)


@cache
def _octopus(cell: Cell) -> Token:
    return Token(
        f"octopus-{name_of(cell)}", (cell,), "octopus", "octopus", "#", messages("octopus")
    )


@lru_cache(maxsize=8_192)
def _fish(cell: Cell, piece: str, colour: str, was_on: Cell, weighted: bool) -> Token:
    """A fish is called by its field before the last move, so it keeps its name while it swims.

    In the next scene it is called by the field where it then lies still, and so on: a text does not
    tell where a fish came from, but between two scenes every fish that moves keeps its name.
    """
    size = SIZES[piece.lower()]
    glyph = f"piranha-{size}" if weighted else "piranha"
    facing = f"{glyph}-left" if _seat(piece) else glyph
    label = _label(size if weighted else None, colour)
    return Token(fish_id(was_on), (cell,), facing, colour, piece, label)


@cache
def _label(size: str | None, colour: str) -> Text:
    of = messages(f"of.{colour}")
    if size is None:
        return messages("fish", colour=of)
    return messages("fish-of-size", size=messages(f"size.{size}"), colour=of)


def _tray(board: dict[Cell, str], seat: int, colour: str) -> Tray:
    """The fish that are gone; a text does not tell which, so bones stand for them."""
    left = sum(piece != "#" and _seat(piece) == seat for piece in board.values())
    gone = max(0, FISH_EACH - left)
    title = messages("tray", colour=messages(f"seat.{colour}"), left=left, gone=gone)
    return Tray(title, tuple(_bones(colour, number) for number in range(gone)), colour)


@cache
def _bones(colour: str, number: int) -> Token:
    label = messages("eaten", colour=messages(f"of.{colour}"))
    return Token(f"eaten-{colour}-{number}", ((0, 0),), "bones", colour, "x", label)


def fish_id(cell: Cell) -> str:
    """What a fish is called that lay there before the last move."""
    return f"fish-{name_of(cell)}"


def name_of(cell: Cell) -> str:
    """A4 is column 0, row 4."""
    return f"{COLUMNS[cell[0]]}{cell[1]}"


# ------------------------------------------------------------------------------------------- marks


def cells_of_move(move: Move | None) -> tuple[Cell, ...]:
    """Start and target of a move written as `A4-C4`; nothing for no move."""
    found = re.fullmatch(r"([A-J])(\d)-([A-J])(\d)", move.text()) if move is not None else None
    if not found:
        return ()
    x1, y1, x2, y2 = found.groups()
    return (COLUMNS.index(x1), int(y1)), (COLUMNS.index(x2), int(y2))


def _last_mark(last: tuple[Cell, ...]) -> tuple[Mark, ...]:
    return (Mark("last", last),) if last else ()


def _swarm_marks(board: dict[Cell, str], names: tuple[str, str]) -> Iterator[Mark]:
    for seat in (0, 1):
        fish = {cell: p for cell, p in board.items() if p != "#" and _seat(p) == seat}
        if fish:
            yield Mark("group", _best_swarm(fish), names[seat])


def _best_swarm(fish: dict[Cell, str]) -> tuple[Cell, ...]:
    """The heaviest swarm, of equal ones the first from the bottom left."""

    def weight(swarm: tuple[Cell, ...]) -> int:
        return sum(WEIGHT[fish[cell].lower()] for cell in swarm)

    return max(_swarms(set(fish)), key=weight)


def _swarms(cells: set[Cell]) -> Iterator[tuple[Cell, ...]]:
    for start in sorted(cells, key=lambda cell: cell[::-1]):
        if start in cells:
            swarm = _flood(start, cells)
            cells -= swarm
            yield tuple(sorted(swarm))


def _flood(start: Cell, cells: set[Cell]) -> set[Cell]:
    swarm, edge = {start}, [start]
    while edge:
        x, y = edge.pop()
        near = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & cells - swarm
        swarm |= near
        edge += near
    return swarm


# ------------------------------------------------------------------------------------------ status


def _status(position: Position, names: tuple[str, str]) -> Iterator[Text]:
    yield messages("ply", ply=position.ply, round=min(30, position.ply // 2 + 1))
    yield _turn(position, names)
    yield _scores(position, names)
    credit = position.text().split()[2]
    if credit != "-":
        yield messages("first-union", colour=messages(f"seat.{names[int(credit)]}"))


def _turn(position: Position, names: tuple[str, str]) -> Text:
    outcome: Outcome | None = position.outcome()
    if outcome is None:
        return messages("to-move", name=messages(f"name.{names[position.to_move()]}"))
    reason = reason_text(outcome.reason)
    if outcome.winner is None:
        return messages("draw", reason=reason)
    return messages("wins", name=messages(f"name.{names[outcome.winner]}"), reason=reason)


def _scores(position: Position, names: tuple[str, str]) -> Text:
    first, second = (messages(f"seat.{name}") for name in names)
    first_score, second_score = position.scores()
    return messages(
        "heaviest-swarms" if position.edition == WEIGHTED else "largest-swarms",
        first=first,
        first_score=first_score,
        second=second,
        second_score=second_score,
    )


# ------------------------------------------------------------------------------------------ glyphs


def _drawings() -> dict[str, str]:
    """The symbols of glyphs.svg; the second player's fish look to the left."""
    svg = resources.files(__package__).joinpath("glyphs.svg").read_text("utf-8")
    symbols = re.findall(r'<symbol id="([\w-]+)"[^>]*>\s*(.*?)\s*</symbol>', svg, re.DOTALL)
    right = {name: re.sub(r">\s+<", "><", drawing) for name, drawing in symbols}
    left = {f"{name}-left": _mirrored(right[name]) for name in right if name.startswith("piranha")}
    return right | left


def _mirrored(drawing: str) -> str:
    return f'<g transform="translate(100 0) scale(-1 1)">{drawing}</g>'


GLYPHS: Final = _drawings()
