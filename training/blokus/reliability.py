"""Draw how reliable forecasts are, from what `reliability.cpp` printed.

    python training/blokus/reliability.py PICTURE.svg NAME=FILE…

One chart for each phase of a game: to the right the chance to win that the forecast gave, upwards
the share of these positions that was won. On the diagonal a forecast is as sure as it should be.
Tenths with fewer than FEWEST positions are left out.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from html import escape
from pathlib import Path

FEWEST = 50
SIDE, GAP, HEAD, FOOT = 150, 26, 40, 42
COLOURS = ("#2f6fb5", "#b5502f", "#3d8b53")
Curve = list[tuple[float, float]]


def read_curves(file: Path) -> dict[int, Curve]:
    """By the first round of the phase: mean chances and shares of wins."""
    curves: dict[int, Curve] = defaultdict(list)
    for line in file.read_text("utf-8").splitlines():
        first_round, positions, chance, won = line.split()
        if int(positions) >= FEWEST:
            curves[int(first_round)].append((float(chance), float(won)))
    return curves


def chart(title: str, curves: list[Curve]) -> str:
    lines = "".join(
        f'<path d="M{"L".join(f"{x * SIDE:.1f} {(1 - y) * SIDE:.1f}" for x, y in curve)}" '
        f'fill="none" stroke="{COLOURS[at]}" stroke-width="1.6"/>'
        for at, curve in enumerate(curves)
        if curve
    )
    return (
        f'<text y="-8">{escape(title)}</text>'
        f'<rect width="{SIDE}" height="{SIDE}" fill="none" stroke="#dde2ea"/>'
        f'<path d="M0 {SIDE}L{SIDE} 0" stroke="#9aa4b2" stroke-dasharray="3 3"/>{lines}'
        f'<text y="{SIDE + 14}">0</text>'
        f'<text x="{SIDE}" y="{SIDE + 14}" text-anchor="end">100 %</text>'
    )


def drawing(named: dict[str, dict[int, Curve]]) -> str:
    """All phases in which every forecast has a curve, side by side."""
    phases = sorted(set.intersection(*({*curves} for curves in named.values())))
    phases = [phase for phase in phases if all(len(c[phase]) > 2 for c in named.values())]
    charts = "".join(
        f'<g transform="translate({GAP + at * (SIDE + GAP)} {HEAD})">'
        + chart(f"rounds {phase + 1} to {phase + 4}", [c[phase] for c in named.values()])
        + "</g>"
        for at, phase in enumerate(phases)
    )
    legend = "".join(
        f'<text x="{GAP + 160 * at}" y="{HEAD + SIDE + 34}" fill="{COLOURS[at]}">'
        f"{escape(name)}</text>"
        for at, name in enumerate(named)
    )
    width, height = GAP + len(phases) * (SIDE + GAP), HEAD + SIDE + FOOT
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        'aria-label="reliability of the forecast by phase" font-family="system-ui, sans-serif" '
        'font-size="11" fill="#1c2430"><rect width="100%" height="100%" fill="#ffffff"/>'
        f"{charts}{legend}</svg>\n"
    )


def main(words: list[str]) -> None:
    picture, *rest = words
    named = {name: read_curves(Path(file)) for name, file in (word.split("=") for word in rest)}
    Path(picture).write_text(drawing(named), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
