"""A contest on one page: HTML with drawings inside, or one drawing, for browsers, mail and walls.

The page needs nothing from outside: no script, no font, no picture.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from html import escape
from itertools import accumulate

from spielleiter.tournament.pairing import WIN, PlayerId, Result
from spielleiter.tournament.ratings import Rating, rate
from spielleiter.tournament.standings import Table

_STYLE = """
body { font: 15px/1.45 system-ui, sans-serif; color: #1c2430; max-width: 60rem; margin: 2rem auto;
  padding: 0 1rem }
h1 { font-size: 1.6rem } h2 { font-size: 1.15rem; margin-top: 2rem }
table { border-collapse: collapse } th, td { padding: .25rem .7rem; text-align: right }
th { border-bottom: 2px solid #1c2430; font-weight: 600 }
tr + tr td { border-top: 1px solid #dde2ea }
.text { text-align: left } td.self { background: #eef1f5 } .note { color: #5a6675 }
"""
_TEXTS, _SELF = ("team", "decided by", "failures"), "■"
_FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"
_EM, _ROW, _LEFT, _WIDTH, _RIGHT = 13, 26, 170, 460, 120
_EDGE, _LINE, _GAP, _ROOM = 28, 24, 18, 22
_INK, _SOFT, _BAR, _GRID = "#1c2430", "#5a6675", "#2f6fb5", "#dde2ea"
_PAPER, _SHADE = "#ffffff", "#eef1f5"
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


@dataclass(frozen=True, slots=True)
class Meeting:
    """What a player took of another in all games they met."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def text(self) -> str:
        """Wins, draws, losses."""
        return f"{self.won}–{self.drawn}–{self.lost}"


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table with a title, ready to be written anywhere."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""


def page(title: str, tables: Sequence[Table], results: Iterable[Result]) -> str:
    """The whole report as HTML; it is the same for the same results in any order."""
    results = _sorted(results)
    ratings = rate(results)
    parts = [f"<h1>{escape(title)}</h1>", f'<p class="note">{_games(results)}</p>']
    parts += [_html_sheet(_standings(table)) for table in tables]
    if ratings:
        order = [rating.player for rating in ratings]
        parts += ["<h2>Ratings</h2>", rating_chart(ratings)]
        parts += [_html_sheet(_crosstable(order, crosstable(results)))]
        parts += [
            "<h2>Time</h2>",
            time_chart(order, results),
            _html_sheet(_conduct(order, results)),
        ]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def picture(title: str, tables: Sequence[Table], results: Iterable[Result]) -> str:
    """The whole report as one SVG drawing, for slides, chats and walls."""
    results = _sorted(results)
    ratings = rate(results)
    parts = [_heading(title, 24), _remark(_games(results))]
    for table in tables:
        parts += _drawn_sheet(_standings(table))
    if ratings:
        order = [rating.player for rating in ratings]
        parts += [_heading("Ratings"), _inner(rating_chart(ratings))]
        parts += _drawn_sheet(_crosstable(order, crosstable(results)))
        parts += [_heading("Time"), _inner(time_chart(order, results))]
        parts += _drawn_sheet(_conduct(order, results))
    return _stacked(title, parts)


def _sorted(results: Iterable[Result]) -> list[Result]:
    return sorted(results, key=lambda result: result.pairing.key)


def _games(results: Sequence[Result]) -> str:
    return f"{len(results)} games" if len(results) != 1 else "1 game"


def crosstable(results: Iterable[Result]) -> dict[tuple[PlayerId, PlayerId], Meeting]:
    """Every player against every other: who stood ahead of whom, in games of any size."""
    counts: defaultdict[tuple[PlayerId, PlayerId], list[int]] = defaultdict(lambda: [0, 0, 0])
    for result in results:
        seated = list(zip(result.pairing.players, result.ranks, strict=True))
        for one, rank in seated:
            for other, behind in seated:
                if one != other:
                    counts[one, other][0 if rank < behind else 1 if rank == behind else 2] += 1
    return {pair: Meeting(*count) for pair, count in counts.items()}


def rating_chart(ratings: Sequence[Rating]) -> str:
    """Ratings as an SVG drawing: a dot for each, and a line for its 95 % interval."""
    low = min(each.elo - each.margin for each in ratings)
    high = max(each.elo + each.margin for each in ratings)
    x = _scale(low, high)
    height = _ROW * (len(ratings) + 1)
    ticks = "".join(
        _tick(x(elo), height, "mean" if elo == 0 else f"{elo:+}") for elo in _ticks(low, high)
    )
    rows = "".join(_rating_row(each, _ROW * (at + 0.5), x) for at, each in enumerate(ratings))
    return _chart("ratings", height, ticks + rows)


def time_chart(order: Sequence[PlayerId], results: Sequence[Result]) -> str:
    """How long each player thought per game, as bars."""
    conduct = _conducts(results)
    spent = {player: conduct[player].spent / conduct[player].games for player in order}
    x = _scale(0.0, max(spent.values()) or 1.0)
    rows = [
        _time_row(player, spent[player], _ROW * (at + 0.5), x) for at, player in enumerate(order)
    ]
    return _chart("seconds of thought per game", _ROW * len(order), "".join(rows))


def _chart(label: str, height: float, body: str) -> str:
    size = f'width="{_LEFT + _WIDTH + _RIGHT}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}" '
        f'font-family="{_FONT}" font-size="{_EM}" fill="{_INK}">{body}</svg>'
    )


def _scale(low: float, high: float) -> Callable[[float], float]:
    span = max(high - low, 1e-9)
    return lambda value: _LEFT + _WIDTH * (value - low) / span


def _ticks(low: float, high: float) -> list[int]:
    """Round numbers, about six of them, the mean among them."""
    rough = max(high - low, 1.0) / 6
    step = next(step for step in _STEPS if step >= rough or step == _STEPS[-1])
    return [at * step for at in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _tick(x: float, height: float, label: str) -> str:
    line = f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height - _ROW}" stroke="{_GRID}"/>'
    return line + _text(x, height - 8, label, "middle", _SOFT)


def _rating_row(rating: Rating, y: float, x: Callable[[float], float]) -> str:
    left, right = x(rating.elo - rating.margin), x(rating.elo + rating.margin)
    ends = "".join(
        f'<line x1="{end:.1f}" x2="{end:.1f}" y1="{y - 4:.1f}" y2="{y + 4:.1f}" stroke="{_BAR}" '
        f'stroke-width="2"/>'
        for end in (left, right)
    )
    return (
        _text(_LEFT - 12, y + 4, _short(rating.player), "end")
        + f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_BAR}" '
        f'stroke-width="2"/>{ends}'
        f'<circle cx="{x(rating.elo):.1f}" cy="{y:.1f}" r="4" fill="{_BAR}"/>'
        + _text(_LEFT + _WIDTH + 12, y + 4, f"{rating.elo:+.0f} ± {rating.margin:.0f}")
    )


def _time_row(player: PlayerId, seconds: float, y: float, x: Callable[[float], float]) -> str:
    width = max(1.0, x(seconds) - _LEFT)
    bar = (
        f'<rect x="{_LEFT}" y="{y - 7:.1f}" width="{width:.1f}" height="14" rx="2" fill="{_BAR}"/>'
    )
    amount = f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"
    name = _text(_LEFT - 12, y + 4, _short(player), "end")
    return name + bar + _text(_LEFT + width + 8, y + 4, amount)


def _short(name: str) -> str:
    """As much of a name as there is room for beside a chart."""
    return name if len(name) <= _ROOM else name[: _ROOM - 1] + "…"


# ------------------------------------------------------------------------------------------- sheets


@dataclass(slots=True)
class _Conduct:
    """What a player did in all its games."""

    games: int = 0
    points: int = 0
    spent: float = 0.0
    longest: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)


def _conducts(results: Iterable[Result]) -> defaultdict[PlayerId, _Conduct]:
    found: defaultdict[PlayerId, _Conduct] = defaultdict(_Conduct)
    for result in results:
        for seat, player in enumerate(result.pairing.players):
            each, spent = found[player], result.spent[seat] if result.spent else 0.0
            each.games += 1
            each.points += result.win_points(seat)
            each.spent += spent
            each.longest = max(each.longest, spent)
            if (fault := result.faults[seat]) is not None:
                each.kinds[fault] += 1
    return found


def _standings(table: Table) -> Sheet:
    rows = tuple(
        (f"{row.rank}.", row.player, *map(_number, row.values), row.decided) for row in table.rows
    )
    heads = ("", "team", *table.criteria, "decided by")
    return Sheet(table.title, heads, rows, "" if table.final else "not finished")


def _crosstable(order: Sequence[PlayerId], met: dict[tuple[PlayerId, PlayerId], Meeting]) -> Sheet:
    rows = []
    for at, one in enumerate(order, 1):
        cells = [
            _SELF if one == other else met[one, other].text if (one, other) in met else ""
            for other in order
        ]
        rows.append((f"{at}.", one, *cells))
    heads = ("", "team", *(str(at) for at in range(1, len(order) + 1)))
    note = "wins–draws–losses of the row against the column"
    return Sheet("Crosstable", heads, tuple(rows), note)


def _conduct(order: Sequence[PlayerId], results: Sequence[Result]) -> Sheet:
    conduct = _conducts(results)
    rows = [
        (
            f"{at}.",
            player,
            str(each.games),
            f"{each.points / (WIN * each.games):.1%}",
            f"{1000 * each.spent / each.games:.1f}",
            f"{1000 * each.longest:.1f}",
            ", ".join(f"{count} × {kind}" for kind, count in sorted(each.kinds.items())) or "–",
        )
        for at, (player, each) in enumerate(((name, conduct[name]) for name in order), 1)
    ]
    heads = ("", "team", "games", "win points", "ms per game", "longest game (ms)", "failures")
    return Sheet("Conduct", heads, tuple(rows))


def _number(value: int | Fraction) -> str:
    return f"{float(value):.3f}" if isinstance(value, Fraction) else str(value)


# ------------------------------------------------------------------------------------------ as HTML


def _html_sheet(sheet: Sheet) -> str:
    top = "".join(_cell("th", head, head) for head in sheet.heads)
    lines = [
        "<tr>" + "".join(map(_cell, ["td"] * len(sheet.heads), sheet.heads, row)) + "</tr>"
        for row in sheet.rows
    ]
    note = f' <span class="note">({escape(sheet.note)})</span>' if sheet.note else ""
    table = f"<table><tr>{top}</tr>\n" + "\n".join(lines) + "</table>"
    return f"<h2>{escape(sheet.title)}{note}</h2>{table}"


def _cell(tag: str, head: str, text: str) -> str:
    kind = ' class="text"' if head in _TEXTS else ' class="self"' if text == _SELF else ""
    return f"<{tag}{kind}>{'' if text == _SELF else escape(text)}</{tag}>"


# --------------------------------------------------------------------------------------- as drawing


@dataclass(frozen=True, slots=True)
class _Part:
    """Something to be drawn below the part before it."""

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
        f'role="img" font-family="{_FONT}" font-size="{_EM}" fill="{_INK}">'
        f"<title>{escape(title)}</title>"
        f'<rect width="{width:.0f}" height="{height:.0f}" fill="{_PAPER}"/>\n{drawn}\n</svg>\n'
    )


def _heading(text: str, size: int = 17) -> _Part:
    body = f'<text y="{1.6 * size:.1f}" font-size="{size}" font-weight="600">{escape(text)}</text>'
    return _Part(0.62 * size * len(text), 2.2 * size, body)


def _remark(text: str) -> _Part:
    return _Part(_wide(text), 1.6 * _EM, _text(0, _EM, text, ink=_SOFT))


def _inner(chart: str) -> _Part:
    height = float(chart.partition('height="')[2].partition('"')[0])
    return _Part(_LEFT + _WIDTH + _RIGHT, height, chart)


def _drawn_sheet(sheet: Sheet) -> list[_Part]:
    parts = [_heading(sheet.title)] + ([_remark(sheet.note)] if sheet.note else [])
    columns = list(zip(sheet.heads, *sheet.rows, strict=True))
    widths = [max(map(_wide, column)) + _GAP for column in columns]
    lefts = list(accumulate(widths, initial=0.0))
    lines = [_drawn_row(sheet.heads, sheet.heads, lefts, 0, 600)]
    lines += [_drawn_row(sheet.heads, row, lefts, at) for at, row in enumerate(sheet.rows, 1)]
    rules = [
        f'<line x1="0" x2="{lefts[-1]:.1f}" y1="{_LINE * at}" y2="{_LINE * at}" '
        f'stroke="{_INK if at == 1 else _GRID}"/>'
        for at in range(1, len(sheet.rows) + 1)
    ]
    body = "".join(rules + lines)
    return [*parts, _Part(lefts[-1], _LINE * (len(sheet.rows) + 1) + _EM, body)]


def _drawn_row(
    heads: Sequence[str], row: Sequence[str], lefts: Sequence[float], at: int, weight: int = 400
) -> str:
    y = _LINE * (at + 0.68)
    cells = []
    for column, (head, text) in enumerate(zip(heads, row, strict=True)):
        left, right = lefts[column], lefts[column + 1]
        if text == _SELF:
            size = f'width="{right - left:.1f}" height="{_LINE}"'
            cells.append(f'<rect x="{left:.1f}" y="{_LINE * at}" {size} fill="{_SHADE}"/>')
        elif head in _TEXTS:
            cells.append(_text(left + _GAP / 2, y, text, weight=weight))
        else:
            cells.append(_text(right - _GAP / 2, y, text, "end", weight=weight))
    return "".join(cells)


def _text(
    x: float, y: float, text: str, anchor: str = "start", ink: str = _INK, weight: int = 400
) -> str:
    extra = ("" if anchor == "start" else f' text-anchor="{anchor}"') + (
        "" if ink == _INK else f' fill="{ink}"'
    )
    extra += "" if weight == 400 else f' font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{extra}>{escape(text)}</text>'


def _wide(text: str) -> float:
    """About how wide a text is; fonts differ, so a little too much."""
    return 0.63 * _EM * len(text)
