"""Scenes as text: 24-bit colours for the eye, and still readable when they are stripped.

A cell is one separator and the text of a token, so with texts of one character it is two columns
wide and one line high, which looks square. The separators carry brackets round marked cells.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from spielleiter.draw.colours import (
    Rgb,
    colour,
    contrast,
    mark_colour,
    mix,
    readable_on,
)
from spielleiter.game import Cell, Mark, Scene, Token, Tray

BRACKETS: Final = {"last": "[]", "legal": "<>", "hint": "{}", "group": "()"}
"""Marks round a cell, the most important first; an empty cell that is `legal` shows a cross."""
LEGAL: Final = "+"
EMPTY: Final = "·"
RESET: Final = "\x1b[0m"


def render(scene: Scene, colour: bool = True, width: int = 100, *, legend: bool = True) -> str:
    """The picture of a scene as lines of text, at most about `width` columns wide.

    The legend explains brackets, in English.
    """
    canvas = _canvas(scene, width, legend)
    return "\n".join(_line(pieces, colour).rstrip() for pieces in canvas)


@dataclass(frozen=True, slots=True)
class Ink:
    """How a piece of text is painted; None leaves it to the terminal."""

    fore: Rgb | None = None
    back: Rgb | None = None
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """A text in one ink."""

    text: str
    ink: Ink = Ink()


Line = list[Piece]


def _canvas(scene: Scene, width: int, legend: bool) -> list[Line]:
    board = [*_board(scene)]
    beside = max((_columns_of(line) for line in board), default=0) + 3
    trays = [line for tray in scene.trays for line in _tray(scene, tray, width - beside)]
    title = [[Piece(scene.title, Ink(bold=True))]] if scene.title else []
    status: list[Line] = [[Piece(line)] for line in scene.status]
    below = _legend(scene) if legend else []
    return [*title, *_side_by_side(board, trays, beside), *below, *status]


def _side_by_side(left: list[Line], right: list[Line], at: int) -> Iterator[Line]:
    for number in range(max(len(left), len(right))):
        line = left[number] if number < len(left) else []
        if number < len(right):
            line = [*line, Piece(" " * (at - _columns_of(line))), *right[number]]
        yield line


# ------------------------------------------------------------------------------------------- board


def _board(scene: Scene) -> Iterator[Line]:
    """The rows as seen, with the names of columns at the edge where counting begins."""
    cells = _Cells(scene)
    margin = max((_columns(label) for label in scene.grid.row_labels), default=0)
    names = [_column_names(scene, cells.width, margin)] if scene.grid.column_labels else []
    rows = range(scene.grid.rows)
    yield from () if scene.grid.upwards else names
    for row in reversed(rows) if scene.grid.upwards else rows:
        label = scene.grid.row_labels[row] if scene.grid.row_labels else ""
        yield [Piece(_pad(label, margin), Ink(colour(scene, "plain"))), *cells.row(row)]
    yield from names if scene.grid.upwards else ()


def _column_names(scene: Scene, width: int, margin: int) -> Line:
    labels = scene.grid.column_labels
    longest = max(_columns(label) for label in labels)
    step = 1 if longest < width else 2 if longest < 2 * width else 5
    shown = (label if at % step == 0 else "" for at, label in enumerate(labels))
    names = _spread(shown, width)
    return [Piece(" " * margin + names, Ink(colour(scene, "plain")))]


def _spread(labels: Iterable[str], width: int) -> str:
    """Labels that begin above their cells' texts; a long one runs on over the next empty ones."""
    line = ""
    for at, label in enumerate(labels):
        line = _pad_right(line, at * width + 1) + label if label else line
    return line


class _Cells:
    """Every cell of the board as text and ink."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._tokens = {cell: token for token in scene.tokens for cell in token.cells}
        self._holes = set(scene.holes)
        self._legal = _first_marks([mark for mark in scene.marks if mark.kind == "legal"])
        free = self._legal.keys() - self._tokens.keys()
        self._brackets = _first_marks(scene.marks, without_legal=free)
        texts = (_columns(token.text.strip()) for token in scene.tokens)
        self.width = 1 + max(texts, default=1)

    def row(self, row: int) -> Line:
        """Separator and text of each cell, and a last separator."""
        line: Line = []
        for column in range(self._scene.grid.columns):
            line += [self._separator((column, row)), self._text((column, row))]
        return [*line, self._separator((self._scene.grid.columns, row))]

    def _separator(self, cell: Cell) -> Piece:
        """What stands before a cell: a run of cells with the same mark shares its brackets."""
        left = (cell[0] - 1, cell[1])
        before, here = self._brackets.get(left), self._brackets.get(cell)
        closes = before is not None and not _opens(before, here) and not self._solid(cell)
        back = self._back(left if closes and not self._solid(left) else cell)
        fore = mix(back, readable_on(back), 0.55) if back else None
        return Piece(_separated(before, here), Ink(fore, back))

    def _solid(self, cell: Cell) -> bool:
        return cell in self._tokens and _is_solid(self._tokens[cell])

    def _text(self, cell: Cell) -> Piece:
        token = self._tokens.get(cell)
        if token:
            text = _pad_right(_shown(token), self.width - 1)
            return Piece(text, self._token_ink(token, cell))
        return self._nothing(cell)

    def _nothing(self, cell: Cell) -> Piece:
        back = self._back(cell)
        if cell in self._holes or back is None:
            return Piece(" " * (self.width - 1))
        if mark := self._legal.get(cell):
            tint = mix(mark_colour(self._scene, mark), (0, 0, 0), 0.2)
            return Piece(_pad_right(LEGAL, self.width - 1), Ink(tint, back, bold=True))
        faint = mix(back, readable_on(back), 0.3)
        return Piece(_pad_right(EMPTY, self.width - 1), Ink(faint, back))

    def _token_ink(self, token: Token, cell: Cell) -> Ink:
        fill, back = colour(self._scene, token.colour), self._back(cell)
        if _is_solid(token) or back is None or contrast(fill, back) < 1.8:
            return Ink(readable_on(fill), fill, bold=True)
        return Ink(fill, back, bold=True)

    def _back(self, cell: Cell) -> Rgb | None:
        """What lies behind a text: a token that fills its cell, a mark, the board; or nothing."""
        if self._solid(cell):
            return colour(self._scene, self._tokens[cell].colour)
        if cell in self._holes or cell[0] >= self._scene.grid.columns:
            return self._behind_edge(cell)
        board, mark = colour(self._scene, "board"), self._brackets.get(cell)
        if mark is None:
            return board
        tint = mark_colour(self._scene, mark)
        return mix(board, tint, 0.5 if mark.kind == "last" else 0.3)

    def _behind_edge(self, cell: Cell) -> Rgb | None:
        """The board ends half a cell after its last text."""
        inside = cell[0] == self._scene.grid.columns and (cell[0] - 1, cell[1]) not in self._holes
        return colour(self._scene, "board") if inside else None


def _shown(token: Token) -> str:
    return token.text.strip() or ("●" if token.glyph == "disc" else "■")


def _is_solid(token: Token) -> bool:
    return token.glyph in ("square", "disc")


def _first_marks(marks: Sequence[Mark], without_legal: Set[Cell] = frozenset()) -> dict[Cell, Mark]:
    """The most important mark of each cell."""
    found: dict[Cell, Mark] = {}
    for mark in sorted(marks, key=_place, reverse=True):
        cells = [c for c in mark.cells if mark.kind != "legal" or c not in without_legal]
        found |= dict.fromkeys(cells, mark)
    return found


def _separated(before: Mark | None, here: Mark | None) -> str:
    if before is here:
        return " "
    if here is not None and _opens(before, here):
        return _pair(here.kind)[0]
    return _pair(before.kind)[1] if before else " "


def _opens(before: Mark | None, here: Mark | None) -> bool:
    """Whether the one character between two cells opens the second rather than closes the first."""
    return here is not None and (before is None or _place(here) <= _place(before))


def _pair(kind: str) -> str:
    """Brackets of a kind; an unknown one is a hint."""
    return BRACKETS.get(kind, BRACKETS["hint"])


def _place(mark: Mark) -> int:
    """0 is the most important."""
    return list(BRACKETS.values()).index(_pair(mark.kind))


def _legend(scene: Scene) -> list[Line]:
    marks = sorted((mark for mark in scene.marks if mark.cells), key=_place)
    parts = [_explained(kind) for kind in dict.fromkeys(mark.kind for mark in marks)]
    return [[Piece("   ".join(parts), Ink(colour(scene, "plain")))]] if parts else []


def _explained(kind: str) -> str:
    if kind == "legal":
        return f"{LEGAL} legal"
    return f"{' '.join(_pair(kind))} {'last move' if kind == 'last' else kind}"


# ------------------------------------------------------------------------------------------- trays


def _tray(scene: Scene, tray: Tray, width: int) -> Iterator[Line]:
    """The title, then the tokens side by side; pieces of several cells as little pictures."""
    ink = Ink(_legible(colour(scene, tray.colour)))
    yield [Piece("■ ", ink), Piece(tray.title, Ink(bold=True))]
    blocks = [_block(token) for token in tray.tokens]
    gap = 1 if all(len(block) == 1 == len(block[0]) for block in blocks) else 2
    for line in _flow(blocks, gap, max(20, width)):
        yield [Piece(line, ink)]


def _block(token: Token) -> list[str]:
    """A token as lines: its text, or a picture whose cells are half blocks, which look square."""
    if len(token.cells) == 1 and token.glyph != "square":
        return [_shown(token)]
    cells = set(token.cells)
    columns, rows = 1 + max(c for c, _ in cells), 1 + max(r for _, r in cells)
    return [
        "".join(
            _half(((column, row) in cells, (column, row + 1) in cells)) for column in range(columns)
        )
        for row in range(0, rows, 2)
    ]


def _half(filled: tuple[bool, bool]) -> str:
    return {(True, True): "█", (True, False): "▀", (False, True): "▄", (False, False): " "}[filled]


def _flow(blocks: list[list[str]], gap: int, width: int) -> Iterator[str]:
    """Blocks in lines, as words on a page."""
    line: list[list[str]] = []
    used = 0
    for block in blocks:
        wide = max(map(_columns, block)) + gap
        if line and used + wide > width:
            yield from _joined(line, gap)
            line, used = [], 0
        line.append(block)
        used += wide
    yield from _joined(line, gap)


def _joined(blocks: list[list[str]], gap: int) -> Iterator[str]:
    for number in range(max(map(len, blocks), default=0)):
        parts = (_part(block, number) for block in blocks)
        yield (" " * gap).join(parts).rstrip()


def _part(block: list[str], number: int) -> str:
    width = max(map(_columns, block))
    return _pad_right(block[number] if number < len(block) else "", width)


def _legible(shade: Rgb) -> Rgb:
    """A colour that is seen on dark and on light terminals."""
    if contrast(shade, (0, 0, 0)) < 2.5:
        return mix(shade, (255, 255, 255), 0.4)
    return mix(shade, (0, 0, 0), 0.25) if contrast(shade, (255, 255, 255)) < 1.3 else shade


# -------------------------------------------------------------------------------------------- text


def _line(pieces: Line, coloured: bool) -> str:
    """Pieces joined; neighbours in the same ink share one code."""
    if not coloured:
        return "".join(piece.text for piece in pieces)
    runs = groupby(pieces, key=lambda piece: piece.ink)
    return "".join(_painted("".join(piece.text for piece in run), ink) for ink, run in runs)


def _painted(text: str, ink: Ink) -> str:
    codes = ["1"] if ink.bold else []
    codes += ["38;2;{};{};{}".format(*ink.fore)] if ink.fore else []
    codes += ["48;2;{};{};{}".format(*ink.back)] if ink.back else []
    return f"\x1b[{';'.join(codes)}m{text}{RESET}" if codes else text


def _columns_of(line: Line) -> int:
    return sum(_columns(piece.text) for piece in line)


def _columns(text: str) -> int:
    """Columns that a text takes: wide characters take two, combining ones none."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(bool(unicodedata.combining(letter)) for letter in text)


def _pad(text: str, width: int) -> str:
    return " " * (width - _columns(text)) + text


def _pad_right(text: str, width: int) -> str:
    return text + " " * (width - _columns(text))
