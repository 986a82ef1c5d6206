"""Scenes as SVG: one self-contained picture without script, readable with any colour vision.

One cell of the board is 100 units wide. What is drawn later lies on top: paper, board, soft marks,
tokens, sharp marks; then trays and texts beside and below.
"""

from __future__ import annotations

import html
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from spielleiter.draw.colours import (
    Rgb,
    colour,
    contrast,
    hexed,
    mark_colour,
    mix,
    readable_on,
)
from spielleiter.game import Cell, Mark, Scene, Token, Tray

UNIT: Final = 100.0
FONT: Final = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"


def render(scene: Scene, size: int = 720) -> str:
    """The picture of a scene, `size` pixels wide."""
    plan = Plan.of(scene)
    height = round(size * plan.height / plan.width)
    body = "\n".join(_body(scene, plan))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{size}" height="{height}" '
        f'viewBox="0 0 {_n(plan.width)} {_n(plan.height)}" font-family="{FONT}">\n{body}\n</svg>\n'
    )


def _body(scene: Scene, plan: Plan) -> Iterator[str]:
    yield f"<title>{escape(scene.title or 'A board')}</title>"
    yield f"<desc>{escape(_description(scene))}</desc>"
    yield from _glyphs(scene)
    yield _rect(0, 0, plan.width, plan.height, colour(scene, "paper"), round_by=plan.em / 2)
    yield from _heading(scene, plan)
    yield from _board(scene, plan)
    yield from _labels(scene, plan)
    yield from (_soft_mark(scene, plan, mark) for mark in scene.marks)
    yield from (_token_on_board(scene, plan, token) for token in scene.tokens)
    yield from (_sharp_mark(scene, plan, mark) for mark in scene.marks)
    for tray in plan.trays:
        yield from _tray(scene, plan, tray)
    yield from _status(scene, plan)


def _description(scene: Scene) -> str:
    """A description for people who cannot see the picture."""
    things = [f"{token.label} on {_places(scene, token)}" for token in scene.tokens if token.label]
    return ". ".join([*scene.status, *(["; ".join(things)] if things else [])])


def _places(scene: Scene, token: Token) -> str:
    return " ".join(_place(scene, cell) for cell in token.cells)


def _place(scene: Scene, cell: Cell) -> str:
    columns, rows = scene.grid.column_labels, scene.grid.row_labels
    if columns and rows:
        return f"{columns[cell[0]]}{rows[cell[1]]}"
    return f"{cell[0]},{cell[1]}"


def escape(text: str) -> str:
    """A text inside an element; characters that XML cannot hold are replaced."""
    known = re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "\ufffd", text)
    return html.escape(known, quote=False)


# -------------------------------------------------------------------------------------------- plan


@dataclass(frozen=True, slots=True)
class Placed:
    """A token of a tray and where its own little grid begins."""

    token: Token
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class PlacedTray:
    """A tray with its frame, its cell width and its tokens."""

    tray: Tray
    x: float
    y: float
    width: float
    height: float
    unit: float
    tokens: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """Where everything goes."""

    em: float
    """Height of a text."""
    left: float
    top: float
    """Upper left corner of the board."""
    width: float
    height: float
    status: float
    """Where the texts under the board begin."""
    trays: tuple[PlacedTray, ...]

    @classmethod
    def of(cls, scene: Scene) -> Plan:
        """Sizes and places for a scene: board, labels, trays, lines of status."""
        grid = scene.grid
        em = max(30.0, 3.6 * max(grid.columns, grid.rows))
        left = 1.2 * em + (1.1 * em if grid.row_labels else 0)
        top = 1.2 * em + (2 * em if scene.title else 0)
        top += 1.1 * em if grid.column_labels and not grid.upwards else 0
        right, bottom = left + UNIT * grid.columns, top + UNIT * grid.rows
        bottom += 1.1 * em if grid.column_labels and grid.upwards else 0
        trays = _place_trays(scene, em, (left, top, right, bottom))
        ends = [tray.x + tray.width for tray in trays], [tray.y + tray.height for tray in trays]
        status = max(bottom, *ends[1]) if trays else bottom
        text = max((_text_width(line, em) for line in (scene.title, *scene.status)), default=0)
        width = max(right, left + text, *ends[0]) + 1.2 * em
        height = status + 1.45 * em * len(scene.status) + (1.2 * em)
        return cls(em, left, top, width, height, status, trays)

    def corner(self, scene: Scene, cell: Cell) -> tuple[float, float]:
        """Upper left corner of a cell."""
        column, row = cell
        down = scene.grid.rows - 1 - row if scene.grid.upwards else row
        return self.left + UNIT * column, self.top + UNIT * down

    def centre(self, scene: Scene, cell: Cell) -> tuple[float, float]:
        """The middle of a cell."""
        x, y = self.corner(scene, cell)
        return x + UNIT / 2, y + UNIT / 2


def _text_width(text: str, em: float) -> float:
    """About how wide a text is; fonts differ, so a little too much."""
    return 0.56 * em * len(text)


def _place_trays(
    scene: Scene, em: float, board: tuple[float, float, float, float]
) -> tuple[PlacedTray, ...]:
    """To the right of the board, as large as fits its height."""
    left, top, right, bottom = board
    titles = max((_text_width(tray.title, em) + 2 * em for tray in scene.trays), default=0)
    width = max(0.55 * (right - left), titles, 10 * em)
    for unit in range(60, 10, -4):
        trays = _stack(scene.trays, em, (right + em, top), width, float(unit))
        if not trays or trays[-1].y + trays[-1].height <= bottom:
            break
    return trays


def _stack(
    trays: Iterable[Tray], em: float, at: tuple[float, float], width: float, unit: float
) -> tuple[PlacedTray, ...]:
    x, y = at
    placed: list[PlacedTray] = []
    for tray in trays:
        tokens, height = _flow(tray, (x + 0.6 * em, y + 1.9 * em), width - 1.2 * em, unit)
        placed.append(PlacedTray(tray, x, y, width, height + 2.5 * em, unit, tokens))
        y += placed[-1].height + 0.5 * em
    return tuple(placed)


def _flow(
    tray: Tray, at: tuple[float, float], width: float, unit: float
) -> tuple[tuple[Placed, ...], float]:
    """Tokens side by side, line after line, as words on a page; and how high they are."""
    x, y, tallest, gap = 0.0, 0.0, 0.0, 0.8 * unit
    placed = []
    for token in tray.tokens:
        wide, high = (unit * extent for extent in _extent(token))
        if x > 0 and x + wide > width:
            x, y, tallest = 0.0, y + tallest + gap, 0.0
        placed.append(Placed(token, at[0] + x, at[1] + y))
        x, tallest = x + wide + gap, max(tallest, high)
    return tuple(placed), y + tallest


def _extent(token: Token) -> tuple[int, int]:
    """Columns and rows of a token's own grid."""
    return 1 + max(cell[0] for cell in token.cells), 1 + max(cell[1] for cell in token.cells)


# ------------------------------------------------------------------------------------------- board


def _board(scene: Scene, plan: Plan) -> Iterator[str]:
    holes = set(scene.holes)
    cells = [
        (column, row)
        for row in range(scene.grid.rows)
        for column in range(scene.grid.columns)
        if (column, row) not in holes
    ]
    even = colour(scene, "board") == colour(scene, "board-alt")
    lines = f' stroke="{hexed(colour(scene, "line"))}" stroke-width="2"' if even else ""
    for shade, parity in (("board", 0), ("board-alt", 1)):
        squares = [_square(scene, plan, cell) for cell in cells if sum(cell) % 2 == parity]
        yield f'<path d="{"".join(squares)}" fill="{hexed(colour(scene, shade))}"{lines}/>'
    edge = _outline(plan.corner(scene, cell) for cell in cells)
    line = hexed(mix(colour(scene, "line"), colour(scene, "ink"), 0.25))
    yield f'<path d="{edge}" fill="none" stroke="{line}" stroke-width="5" stroke-linecap="round"/>'


def _square(scene: Scene, plan: Plan, cell: Cell) -> str:
    x, y = plan.corner(scene, cell)
    return f"M{_n(x)} {_n(y)}h100v100h-100z"


def _outline(corners: Iterable[tuple[float, float]], unit: float = UNIT) -> str:
    """The border of a set of cells: every side that only one of them has."""
    sides: dict[tuple[float, float, bool], int] = {}
    for x, y in corners:
        for side in ((x, y, True), (x, y + unit, True), (x, y, False), (x + unit, y, False)):
            key = (round(side[0], 3), round(side[1], 3), side[2])
            sides[key] = sides.get(key, 0) + 1
    single = (side for side, times in sides.items() if times == 1)
    return "".join(f"M{_n(x)} {_n(y)}{'h' if flat else 'v'}{_n(unit)}" for x, y, flat in single)


def _labels(scene: Scene, plan: Plan) -> Iterator[str]:
    grid, em = scene.grid, plan.em
    below = plan.top + UNIT * grid.rows + 0.95 * em
    y = below if grid.upwards else plan.top - 0.45 * em
    widest = max((_text_width(label, em) for label in grid.column_labels), default=0)
    for column, label in _every(grid.column_labels, widest + 0.4 * em):
        x = plan.left + UNIT * (column + 0.5)
        yield _text(label, x, y, 0.82 * em, colour(scene, "plain"), anchor="middle")
    for row, label in _every(grid.row_labels, 1.2 * em):
        y = plan.centre(scene, (0, row))[1] + 0.3 * em
        x = plan.left - 0.5 * em
        yield _text(label, x, y, 0.82 * em, colour(scene, "plain"), anchor="end")


def _every(labels: tuple[str, ...], room: float) -> Iterator[tuple[int, str]]:
    """As many labels as there is room for: all, or every second, fifth, tenth one."""
    step = next((step for step in (1, 2, 5) if room <= UNIT * step), 10)
    return ((at, label) for at, label in enumerate(labels) if at % step == 0)


# ------------------------------------------------------------------------------------------- marks


def _soft_mark(scene: Scene, plan: Plan, mark: Mark) -> str:
    """What lies under the tokens: the last move as a glow, a group as one soft body."""
    shade = mark_colour(scene, mark)
    tint = hexed(shade)
    if mark.kind == "last":
        squares = "".join(_square(scene, plan, cell) for cell in mark.cells)
        return f'<path d="{squares}" fill="{tint}" opacity="0.38"/>'
    if mark.kind == "group":
        opacity = 0.28 if contrast(shade, colour(scene, "board")) > 1.6 else 0.7
        return _group(scene, plan, mark, f'stroke="{tint}" opacity="{opacity}"')
    return ""


def _group(scene: Scene, plan: Plan, mark: Mark, paint: str) -> str:
    """Discs on the cells and bars between neighbours, melted together."""
    dots = [plan.centre(scene, cell) for cell in mark.cells]
    bars = [
        (plan.centre(scene, one), plan.centre(scene, other))
        for one, other in combinations(mark.cells, 2)
        if max(abs(one[0] - other[0]), abs(one[1] - other[1])) == 1
    ]
    path = "".join(f"M{_n(x)} {_n(y)}h0" for x, y in dots)
    path += "".join(f"M{_n(a[0])} {_n(a[1])}L{_n(b[0])} {_n(b[1])}" for a, b in bars)
    return f'<path d="{path}" fill="none" stroke-width="92" stroke-linecap="round" {paint}/>'


def _sharp_mark(scene: Scene, plan: Plan, mark: Mark) -> str:
    """What lies over the tokens: outlines and dots."""
    tint = hexed(mark_colour(scene, mark))
    if mark.kind == "group":
        return ""
    if mark.kind == "legal":
        return "".join(_dot(*plan.centre(scene, cell), tint) for cell in mark.cells)
    edge = _outline(plan.corner(scene, cell) for cell in mark.cells)
    dashes = "" if mark.kind == "last" else ' stroke-dasharray="14 12"'
    return (
        f'<path d="{edge}" fill="none" stroke="{tint}" stroke-width="7" '
        f'stroke-linecap="round"{dashes}/>'
    )


def _dot(x: float, y: float, tint: str) -> str:
    return (
        f'<circle cx="{_n(x)}" cy="{_n(y)}" r="14" fill="{tint}" fill-opacity="0.85" '
        f'stroke="#ffffff" stroke-opacity="0.7" stroke-width="4"/>'
    )


# ------------------------------------------------------------------------------------------ tokens


def _token_on_board(scene: Scene, plan: Plan, token: Token) -> str:
    corners = [plan.corner(scene, cell) for cell in token.cells]
    name = f"{token.label} {_places(scene, token)}" if token.label else ""
    return _token(scene, token, corners, UNIT, name)


def _token(
    scene: Scene, token: Token, corners: list[tuple[float, float]], unit: float, name: str
) -> str:
    fill = colour(scene, token.colour)
    if token.glyph in scene.glyphs:
        drawn = "".join(_use(scene, token.glyph, x, y, unit, fill) for x, y in corners)
    elif token.glyph == "square":
        drawn = _tiles(corners, unit, fill)
    else:
        drawn = "".join(_disc(x, y, unit, fill) for x, y in corners)
        drawn += "" if token.glyph == "disc" else _written(token, corners, unit, fill)
    return f"<g>{f'<title>{escape(name)}</title>' if name else ''}{drawn}</g>"


def _glyphs(scene: Scene) -> Iterator[str]:
    """The drawings that occur, each once."""
    trays = (token for tray in scene.trays for token in tray.tokens)
    used = {token.glyph for token in (*scene.tokens, *trays)} & scene.glyphs.keys()
    for name in sorted(used):
        markup = scene.glyphs[name]
        yield f'<symbol id="{_id(name, markup)}" viewBox="0 0 100 100">{markup}</symbol>'


def _id(name: str, markup: str) -> str:
    """The same drawing has the same name in all pictures of a page, another one has another."""
    return f"{name}-{zlib.crc32(markup.encode()):08x}"


def _use(scene: Scene, name: str, x: float, y: float, unit: float, fill: Rgb) -> str:
    return (
        f'<use href="#{_id(name, scene.glyphs[name])}" x="{_n(x)}" y="{_n(y)}" '
        f'width="{_n(unit)}" height="{_n(unit)}" color="{hexed(fill)}"/>'
    )


def _disc(x: float, y: float, unit: float, fill: Rgb) -> str:
    """A stone with a rim and a gleam."""
    rim, gleam = mix(fill, (0, 0, 0), 0.45), mix(fill, (255, 255, 255), 0.5)
    cx, cy = x + unit / 2, y + unit / 2
    return (
        f'<circle cx="{_n(cx)}" cy="{_n(cy)}" r="{_n(0.4 * unit)}" fill="{hexed(fill)}" '
        f'stroke="{hexed(rim)}" stroke-width="{_n(0.035 * unit)}"/>'
        f'<path d="M{_n(cx - 0.27 * unit)} {_n(cy - 0.08 * unit)}'
        f'a{_n(0.28 * unit)} {_n(0.28 * unit)} 0 0 1 {_n(0.19 * unit)} {_n(-0.19 * unit)}" '
        f'fill="none" stroke="{hexed(gleam)}" stroke-width="{_n(0.06 * unit)}" '
        f'stroke-linecap="round" opacity="0.8"/>'
    )


def _tiles(corners: list[tuple[float, float]], unit: float, fill: Rgb) -> str:
    """A piece of square tiles: one body, a soft bevel on each tile, one border round all."""
    body = "".join(f"M{_n(x)} {_n(y)}h{_n(unit)}v{_n(unit)}h{_n(-unit)}z" for x, y in corners)
    inset, side = 0.16 * unit, 0.68 * unit
    bevel = "".join(
        f"M{_n(x + inset)} {_n(y + inset)}h{_n(side)}v{_n(side)}h{_n(-side)}z" for x, y in corners
    )
    lighter, darker = mix(fill, (255, 255, 255), 0.22), mix(fill, (0, 0, 0), 0.5)
    return (
        f'<path d="{body}" fill="{hexed(fill)}"/>'
        f'<path d="{bevel}" fill="{hexed(lighter)}" stroke="{hexed(mix(fill, (0, 0, 0), 0.12))}" '
        f'stroke-width="{_n(0.02 * unit)}"/>'
        f'<path d="{_outline(corners, unit)}" fill="none" stroke="{hexed(darker)}" '
        f'stroke-width="{_n(0.05 * unit)}" stroke-linecap="round"/>'
    )


def _written(token: Token, corners: list[tuple[float, float]], unit: float, fill: Rgb) -> str:
    """The terminal text of a token whose drawing is not known."""
    ink, text = readable_on(fill), token.text.strip()
    places = [(x + unit / 2, y + 0.66 * unit) for x, y in corners]
    return "".join(_text(text, x, y, 0.46 * unit, ink, anchor="middle") for x, y in places)


# ------------------------------------------------------------------------------------ trays, texts


def _tray(scene: Scene, plan: Plan, tray: PlacedTray) -> Iterator[str]:
    em, shade = plan.em, colour(scene, tray.tray.colour)
    yield _rect(tray.x, tray.y, tray.width, tray.height, colour(scene, "board"), round_by=em / 2)
    side = 0.7 * em
    rim = mix(shade, (0, 0, 0), 0.35)
    yield _rect(tray.x + 0.6 * em, tray.y + 0.55 * em, side, side, shade, em / 6, rim)
    x, y = tray.x + 1.7 * em, tray.y + 1.18 * em
    yield _text(tray.tray.title, x, y, 0.85 * em, colour(scene, "ink"), weight=600)
    for placed in tray.tokens:
        cells = placed.token.cells
        corners = [(placed.x + tray.unit * cx, placed.y + tray.unit * cy) for cx, cy in cells]
        yield _token(scene, placed.token, corners, tray.unit, placed.token.label)


def _heading(scene: Scene, plan: Plan) -> Iterator[str]:
    if scene.title:
        y = 1.2 * plan.em + 0.9 * plan.em
        yield _text(scene.title, plan.left, y, 1.15 * plan.em, colour(scene, "ink"), weight=700)


def _status(scene: Scene, plan: Plan) -> Iterator[str]:
    for number, line in enumerate(scene.status):
        y = plan.status + plan.em * (1.5 + 1.45 * number)
        yield _text(line, plan.left, y, plan.em, colour(scene, "ink"))


def _text(
    text: str,
    x: float,
    y: float,
    size: float,
    ink: Rgb,
    *,
    anchor: str = "start",
    weight: int = 400,
) -> str:
    extra = ("" if anchor == "start" else f' text-anchor="{anchor}"') + (
        "" if weight == 400 else f' font-weight="{weight}"'
    )
    return (
        f'<text x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}" fill="{hexed(ink)}"{extra}>'
        f"{escape(text)}</text>"
    )


def _rect(
    x: float,
    y: float,
    width: float,
    height: float,
    fill: Rgb,
    round_by: float = 0,
    rim: Rgb | None = None,
) -> str:
    stroke = f' stroke="{hexed(rim)}" stroke-width="{_n(round_by / 2)}"' if rim else ""
    return (
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}" '
        f'rx="{_n(round_by)}" fill="{hexed(fill)}"{stroke}/>'
    )


def _n(number: float) -> str:
    """A number without needless digits."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
