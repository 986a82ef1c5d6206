"""A learning curve as a picture: `draw(PATH, TITLE, {name: [(x, y), …]})` writes an SVG."""

from __future__ import annotations

from pathlib import Path

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 360, 60, 40, 20, 50
COLOURS = ("#1f6feb", "#d1242f", "#1a7f37")
Points = list[tuple[float, float]]


def draw(
    path: Path, title: str, lines: dict[str, Points], across: str, up: str = "points won, %"
) -> None:
    """One line for each name; y runs from 0 to 100."""
    most = max(x for points in lines.values() for x, _ in points) or 1.0

    def at(x: float, y: float) -> str:
        inside = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
        return f"{LEFT + inside[0] * x / most:.1f},{HEIGHT - BOTTOM - inside[1] * y / 100:.1f}"

    def text(x: float, y: float, words: str, more: str = "") -> str:
        return f'<text x="{x}" y="{y}" {more}>{words}</text>'

    parts = [text(LEFT, 24, title, 'font-size="16"')]
    for y in range(0, 101, 25):
        parts.append(f'<polyline points="{at(0, y)} {at(most, y)}" stroke="#d0d7de" fill="none"/>')
        height = float(at(0, y).split(",")[1])
        parts.append(text(LEFT - 8, height + 4, str(y), 'text-anchor="end"'))
    for share in (0, 0.5, 1):
        place = float(at(share * most, 0).split(",")[0])
        label = f"{share * most:,.0f}"
        parts.append(text(place, HEIGHT - BOTTOM + 18, label, 'text-anchor="middle"'))
    parts.append(text(WIDTH / 2, HEIGHT - 10, across, 'text-anchor="middle"'))
    parts.append(text(14, HEIGHT / 2, up, f'transform="rotate(-90 14 {HEIGHT / 2})"'))
    for number, (name, points) in enumerate(lines.items()):
        colour = COLOURS[number % len(COLOURS)]
        way = " ".join(at(x, y) for x, y in points)
        parts.append(f'<polyline points="{way}" stroke="{colour}" stroke-width="2" fill="none"/>')
        parts.append(text(WIDTH - 200, HEIGHT - 70 - 18 * number, name, f'fill="{colour}"'))
    body = "\n".join(parts)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
        f'font-family="sans-serif" font-size="12" role="img" aria-label="{title}">\n'
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n{body}\n</svg>\n',
        "utf-8",
    )
