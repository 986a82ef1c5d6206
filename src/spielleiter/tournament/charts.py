"""Charts of a contest as SVG drawings: ratings with their intervals, time per game."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from spielleiter.tournament.conduct import conduct_of
from spielleiter.tournament.pairing import GameResult, PlayerId
from spielleiter.tournament.ratings import Rating

FONT = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', sans-serif"
EM, INK, SOFT, GRID = 13, "#1c2430", "#5a6675", "#dde2ea"
_BAR, _ROOM = "#2f6fb5", 22
_ROW, _LEFT, _WIDTH, _RIGHT = 26, 170, 460, 120
CHART_WIDTH = _LEFT + _WIDTH + _RIGHT
_STEPS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


def rating_chart(ratings: Sequence[Rating]) -> str:
    """Ratings as an SVG drawing, the mean being 0: a dot for each, and its 95 % interval."""
    low = min(each.elo - each.margin for each in ratings)
    high = max(each.elo + each.margin for each in ratings)
    x = _scale(low, high)
    height = _ROW * (len(ratings) + 1)
    ticks = "".join(
        _tick(x(elo), height, "0" if elo == 0 else f"{elo:+}") for elo in _ticks(low, high)
    )
    rows = "".join(_rating_row(each, _ROW * (at + 0.5), x) for at, each in enumerate(ratings))
    return _chart("ratings", height, ticks + rows)


def time_chart(order: Sequence[PlayerId], results: Sequence[GameResult]) -> str:
    """How long each player thought per game, as bars."""
    conduct = conduct_of(results)
    spent = {player: conduct[player].spent / conduct[player].games for player in order}
    x = _scale(0.0, max(spent.values()) or 1.0)
    rows = [
        _time_row(player, spent[player], _ROW * (at + 0.5), x) for at, player in enumerate(order)
    ]
    return _chart("seconds of thought per game", _ROW * len(order), "".join(rows))


def _chart(label: str, height: float, body: str) -> str:
    size = f'width="{CHART_WIDTH}" height="{height}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="{label}" '
        f'font-family="{FONT}" font-size="{EM}" fill="{INK}">{body}</svg>'
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
    line = f'<line x1="{x:.1f}" x2="{x:.1f}" y1="0" y2="{height - _ROW}" stroke="{GRID}"/>'
    return line + svg_text(x, height - 8, label, "middle", SOFT)


def _rating_row(rating: Rating, y: float, x: Callable[[float], float]) -> str:
    left, right = x(rating.elo - rating.margin), x(rating.elo + rating.margin)
    ends = "".join(
        f'<line x1="{end:.1f}" x2="{end:.1f}" y1="{y - 4:.1f}" y2="{y + 4:.1f}" stroke="{_BAR}" '
        f'stroke-width="2"/>'
        for end in (left, right)
    )
    return (
        svg_text(_LEFT - 12, y + 4, _short(rating.player), "end")
        + f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{_BAR}" '
        f'stroke-width="2"/>{ends}'
        f'<circle cx="{x(rating.elo):.1f}" cy="{y:.1f}" r="4" fill="{_BAR}"/>'
        + svg_text(_LEFT + _WIDTH + 12, y + 4, f"{rating.elo:+.0f} ± {rating.margin:.0f}")
    )


def _time_row(player: PlayerId, seconds: float, y: float, x: Callable[[float], float]) -> str:
    width = max(1.0, x(seconds) - _LEFT)
    bar = (
        f'<rect x="{_LEFT}" y="{y - 7:.1f}" width="{width:.1f}" height="14" rx="2" fill="{_BAR}"/>'
    )
    amount = f"{seconds:.2f} s" if seconds >= 1 else f"{1000 * seconds:.1f} ms"
    name = svg_text(_LEFT - 12, y + 4, _short(player), "end")
    return name + bar + svg_text(_LEFT + width + 8, y + 4, amount)


def _short(name: str) -> str:
    """A name shortened to fit beside a chart."""
    return name if len(name) <= _ROOM else name[: _ROOM - 1] + "…"


def svg_text(
    x: float, y: float, text: str, anchor: str = "start", ink: str = INK, weight: int = 400
) -> str:
    """A text in a drawing; `anchor` says which end of it stands at x."""
    extra = ("" if anchor == "start" else f' text-anchor="{anchor}"') + (
        "" if ink == INK else f' fill="{ink}"'
    )
    extra += "" if weight == 400 else f' font-weight="{weight}"'
    return f'<text x="{x:.1f}" y="{y:.1f}"{extra}>{escape(text)}</text>'
