"""A contest on one page: HTML with drawings inside, for browsers, mail and print.

The page needs nothing from outside: no script, no font, no picture.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from html import escape

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
_ROW, _LEFT, _WIDTH, _RIGHT = 26, 170, 460, 120
_INK, _BAR, _GRID = "#1c2430", "#2f6fb5", "#c9d1dc"


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


def page(title: str, tables: Sequence[Table], results: Iterable[Result]) -> str:
    """The whole report; it is the same for the same results in any order."""
    results = sorted(results, key=lambda result: result.pairing.key)
    ratings = rate(results)
    order = [rating.player for rating in ratings]
    parts = [f"<h1>{escape(title)}</h1>", f'<p class="note">{len(results)} games</p>']
    parts += [_standings(table) for table in tables]
    if ratings:
        parts += ["<h2>Ratings</h2>", rating_chart(ratings), "<h2>Crosstable</h2>"]
        parts += ['<p class="note">wins–draws–losses of the row against the column</p>']
        parts += [_crosstable(order, crosstable(results)), "<h2>Time and failures</h2>"]
        parts += [_conduct(order, results)]
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    body = "\n".join(parts)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


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
    span = max(high - low, 1.0)

    def x(elo: float) -> float:
        return _LEFT + _WIDTH * (elo - low) / span

    height = _ROW * (len(ratings) + 1)
    rows = [_rating_row(each, _ROW * (at + 0.5), x) for at, each in enumerate(ratings)]
    zero = f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="0" y2="{height - _ROW}" stroke="{_GRID}"/>'
    label = f'<text x="{x(0):.1f}" y="{height - 8}" text-anchor="middle">mean</text>'
    size = f'width="{_LEFT + _WIDTH + _RIGHT}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="ratings" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{_INK}">'
        f"{zero}{''.join(rows)}{label}</svg>"
    )


def _rating_row(rating: Rating, y: float, x: Callable[[float], float]) -> str:
    left, right = x(rating.elo - rating.margin), x(rating.elo + rating.margin)
    return (
        f'<text x="{_LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(rating.player)}</text>'
        f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_BAR}" '
        f'stroke-width="2"/><circle cx="{x(rating.elo):.1f}" cy="{y:.1f}" r="4" fill="{_BAR}"/>'
        f'<text x="{_LEFT + _WIDTH + 12}" y="{y + 4:.1f}">'
        f"{rating.elo:+.0f} ± {rating.margin:.0f}</text>"
    )


def _standings(table: Table) -> str:
    heads = ["", "team", *table.criteria, "decided by"]
    rows = [
        [f"{row.rank}.", row.player, *map(_number, row.values), row.decided] for row in table.rows
    ]
    note = "" if table.final else ' <span class="note">(not finished)</span>'
    return f"<h2>{escape(table.title)}{note}</h2>{_html_table(heads, rows)}"


def _crosstable(order: Sequence[PlayerId], met: dict[tuple[PlayerId, PlayerId], Meeting]) -> str:
    rows = []
    for at, one in enumerate(order, 1):
        cells = [
            _SELF if one == other else met[one, other].text if (one, other) in met else ""
            for other in order
        ]
        rows.append([f"{at}.", one, *cells])
    return _html_table(["", "team", *(str(at) for at in range(1, len(order) + 1))], rows)


def _conduct(order: Sequence[PlayerId], results: Sequence[Result]) -> str:
    games, points, spent = Counter[str](), Counter[str](), defaultdict[str, float](float)
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for result in results:
        for seat, player in enumerate(result.pairing.players):
            games[player] += 1
            points[player] += result.win_points(seat)
            spent[player] += result.spent[seat] if result.spent else 0.0
            if (fault := result.faults[seat]) is not None:
                kinds[player][fault] += 1
    rows = [
        [
            str(at),
            player,
            str(games[player]),
            f"{points[player] / (WIN * games[player]):.1%}",
            f"{1000 * spent[player] / games[player]:.1f}",
            ", ".join(f"{count} × {kind}" for kind, count in sorted(kinds[player].items())) or "–",
        ]
        for at, player in enumerate(order, 1)
    ]
    heads = ["", "team", "games", "win points", "thought per game (ms)", "failures"]
    return _html_table(heads, rows)


def _html_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(_cell("th", head, head) for head in heads)
    lines = [
        "<tr>" + "".join(map(_cell, ["td"] * len(heads), heads, row)) + "</tr>" for row in rows
    ]
    return f"<table><tr>{top}</tr>\n" + "\n".join(lines) + "</table>"


def _cell(tag: str, head: str, text: str) -> str:
    kind = ' class="text"' if head in _TEXTS else ' class="self"' if text == _SELF else ""
    return f"<{tag}{kind}>{'' if text == _SELF else escape(text)}</{tag}>"


def _number(value: int | Fraction) -> str:
    return f"{float(value):.3f}" if isinstance(value, Fraction) else str(value)
