"""A report as one SVG drawing, for slides, chats and walls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import accumulate

from spielleiter.tournament.charts import CHART_WIDTH, EM, FONT, GRID, INK, SOFT, svg_text
from spielleiter.tournament.report import SELF, TEXTS, Chart, ContestReport, Sheet

_EDGE, _LINE, _GAP = 28, 24, 18
_PAPER, _SHADE = "#ffffff", "#eef1f5"


def picture(report: ContestReport) -> str:
    """The whole report as a drawing; it is the same for the same results in any order."""
    parts = [_heading(report.title, 24), *map(_remark, report.remarks)]
    for part in report.parts():
        parts += _chart(part) if isinstance(part, Chart) else _drawn_sheet(part)
    return _stacked(report.title, parts)


def _chart(chart: Chart) -> Iterator[_Part]:
    yield _heading(f"{chart.title} ({chart.note})" if chart.note else chart.title)
    height = float(chart.svg.partition('height="')[2].partition('"')[0])
    yield _Part(CHART_WIDTH, height, chart.svg)


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the drawing, below the previous one."""

    width: float
    height: float
    body: str


def _stacked(title: str, parts: Sequence[_Part]) -> str:
    width = max(part.width for part in parts) + 2 * _EDGE
    height = sum(part.height for part in parts) + 2 * _EDGE
    tops = accumulate((part.height for part in parts), initial=float(_EDGE))
    drawn = "\n".join(
        f'<g transform="translate({_EDGE} {top:.1f})">{part.body}</g>'
        for top, part in zip(tops, parts, strict=False)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'role="img" font-family="{FONT}" font-size="{EM}" fill="{INK}">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="{_PAPER}"/>\n{drawn}\n</svg>\n'
    )


def _heading(text: str, size: int = 17) -> _Part:
    body = f'<text y="{1.6 * size:.1f}" font-size="{size}" font-weight="600">{escape(text)}</text>'
    return _Part(0.62 * size * len(text), 2.2 * size, body)


def _remark(text: str) -> _Part:
    return _Part(_wide(text), 1.6 * EM, svg_text(0, EM, text, ink=SOFT))


def _drawn_sheet(sheet: Sheet) -> list[_Part]:
    parts = [_heading(sheet.title)] + ([_remark(sheet.note)] if sheet.note else [])
    columns = list(zip(sheet.heads, *sheet.rows, strict=True))
    widths = [max(map(_wide, column)) + _GAP for column in columns]
    lefts = list(accumulate(widths, initial=0.0))
    lines = [_drawn_row(sheet.heads, sheet.heads, lefts, 0, 600)]
    lines += [_drawn_row(sheet.heads, row, lefts, at) for at, row in enumerate(sheet.rows, 1)]
    rules = [
        f'<line x1="0" x2="{lefts[-1]:.1f}" y1="{_LINE * at}" y2="{_LINE * at}" '
        f'stroke="{INK if at == 1 else GRID}"/>'
        for at in range(1, len(sheet.rows) + 1)
    ]
    body = "".join(rules + lines)
    return [*parts, _Part(lefts[-1], _LINE * (len(sheet.rows) + 1) + EM, body)]


def _drawn_row(
    heads: Sequence[str], row: Sequence[str], lefts: Sequence[float], at: int, weight: int = 400
) -> str:
    y = _LINE * (at + 0.68)
    cells = []
    for column, (head, text) in enumerate(zip(heads, row, strict=True)):
        left, right = lefts[column], lefts[column + 1]
        if text == SELF:
            size = f'width="{right - left:.1f}" height="{_LINE}"'
            cells.append(f'<rect x="{left:.1f}" y="{_LINE * at}" {size} fill="{_SHADE}"/>')
        elif head in TEXTS:
            cells.append(svg_text(left + _GAP / 2, y, text, weight=weight))
        else:
            cells.append(svg_text(right - _GAP / 2, y, text, "end", weight=weight))
    return "".join(cells)


def _wide(text: str) -> float:
    """An upper estimate of the width of a text, since fonts differ."""
    return 0.63 * EM * len(text)
