"""`python -m benchmarks.curves`: draws the kept speed tables over time for the documentation."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from datetime import datetime
from html import escape
from itertools import groupby
from pathlib import Path

from benchmarks.history import SpeedRun, kept
from benchmarks.measure import HERE

PICTURE = HERE.parent / "docs" / "pictures" / "speed-over-time.svg"
FLAVOUR = "v3"
WIDTH, HEIGHT, COLUMNS = 330, 120, 3
LEFT, TOP, RIGHT, BOTTOM = 12, 34, 12, 24
INK, SOFT, GRID = "#1c2430", "#5a6675", "#dde2ea"
COLOURS = ("#2f6fb5", "#b5502f", "#3d8b53", "#7a4fb0")
"""One for each machine class, in the order of their first run."""

Point = tuple[datetime, float, int]
"""When, the ratio, and which machine class."""


def curves(runs: Sequence[SpeedRun]) -> dict[str, list[Point]]:
    """The points of each figure that was measured more than once, the oldest first."""
    classes: list[SpeedRun] = []
    found: dict[str, list[Point]] = {}
    for run in (run for run in runs if run.flavour == FLAVOUR):
        number = _class_of(run, classes)
        for figure in run.figures:
            title = f"{figure.what} ({figure.against})"
            point = (datetime.fromisoformat(run.when), figure.ratio, number)
            found.setdefault(title, []).append(point)
    return {title: points for title, points in found.items() if len(points) > 1}


def _class_of(run: SpeedRun, classes: list[SpeedRun]) -> int:
    """The number of the machine class of `run`; a new one is added."""
    for number, first in enumerate(classes):
        if run.is_like(first):
            return number
    classes.append(run)
    return len(classes) - 1


def drawing(found: dict[str, list[Point]]) -> str:
    """All curves as one SVG picture, a small chart for each."""
    rows = -(-len(found) // COLUMNS)
    size = f'width="{WIDTH * COLUMNS}" height="{HEIGHT * rows}"'
    charts = "".join(
        f'<g transform="translate({WIDTH * (at % COLUMNS)} {HEIGHT * (at // COLUMNS)})">'
        f"{_chart(title, points)}</g>"
        for at, (title, points) in enumerate(sorted(found.items()))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-label="speed over time" '
        f'font-family="system-ui, sans-serif" font-size="10.5" fill="{INK}">'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{charts}</svg>\n'
    )


def _chart(title: str, points: list[Point]) -> str:
    top = max(ratio for _, ratio, _ in points) * 1.1
    first, last = points[0][0].timestamp(), points[-1][0].timestamp()

    def place(point: Point) -> tuple[float, float]:
        x = LEFT + (WIDTH - LEFT - RIGHT) * (point[0].timestamp() - first) / max(last - first, 1)
        return x, TOP + (HEIGHT - TOP - BOTTOM) * (1 - point[1] / top)

    ground = HEIGHT - BOTTOM
    dots = "".join(_dot(*place(point), point) for point in points)
    lines = "".join(
        _line([place(point) for point in group], number)
        for number, group in groupby(sorted(points, key=lambda point: point[2]), lambda p: p[2])
    )
    return (
        f'<text x="{LEFT}" y="14">{escape(title)}</text>'
        f'<path d="M{LEFT} {ground}H{WIDTH - RIGHT}" stroke="{GRID}"/>{lines}{dots}'
        f'<text x="{LEFT}" y="{HEIGHT - 8}" fill="{SOFT}">{points[0][0]:%Y-%m-%d}</text>'
        f'<text x="{WIDTH - RIGHT}" y="{HEIGHT - 8}" fill="{SOFT}" text-anchor="end">'
        f"{points[-1][0]:%Y-%m-%d}</text>"
    )


def _line(places: list[tuple[float, float]], number: int) -> str:
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    return f'<path d="M{path}" fill="none" stroke="{COLOURS[number % len(COLOURS)]}"/>'


def _dot(x: float, y: float, point: Point) -> str:
    when, ratio, number = point
    colour = COLOURS[number % len(COLOURS)]
    said = f"{when:%Y-%m-%d}: {ratio:.3g}"
    anchor = "start" if x <= LEFT else "end" if x >= WIDTH - RIGHT else "middle"
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"><title>{said}</title></circle>'
        f'<text x="{x:.1f}" y="{y - 6:.1f}" text-anchor="{anchor}" fill="{colour}">'
        f"{ratio:.3g}</text>"
    )


def main(picture: Path) -> None:
    """Draw what is kept."""
    found = curves(kept())
    picture.write_text(drawing(found), "utf-8")
    print(f"{len(found)} curves in {picture}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.curves", description=__doc__)
    parser.add_argument("--to", type=Path, default=PICTURE, metavar="FILE", help="the SVG picture")
    main(parser.parse_args().to)
