"""Colours of a scene: names to numbers, mixing, and what can be read on what."""

from __future__ import annotations

from typing import Final

from spielleiter.game import Cell, Mark, Scene

Rgb = tuple[int, int, int]

PALETTE: Final = {
    # Told apart by people with any kind of colour vision (after Okabe and Ito, 2008).
    "red": "#d55e00",
    "blue": "#0072b2",
    "green": "#009e73",
    "yellow": "#f0e442",
    "orange": "#e69f00",
    "sky": "#56b4e9",
    "purple": "#cc79a7",
    "black": "#23272b",
    "white": "#ffffff",
    # What every picture consists of.
    "plain": "#7b8794",
    "ink": "#1f2933",
    "paper": "#fcfbf8",
    "board": "#eef2f5",
    "board-alt": "#e2e8ed",
    "line": "#b8c4ce",
    # Marks that do not name a colour of their own.
    "last": "#e69f00",
    "legal": "#009e73",
    "hint": "#cc79a7",
}
"""Names every scene can use; a scene's own palette comes first."""


def colour(scene: Scene, name: str) -> Rgb:
    """The colour of a name; unknown names are plain."""
    return rgb(scene.palette.get(name) or PALETTE.get(name) or PALETTE["plain"])


def mark_colour(scene: Scene, mark: Mark) -> Rgb:
    """The colour of a mark: its own, or the default of its kind if that is missing or
    unreadable."""
    lost = mark.kind != "group" and mark.colour in _colours_on(scene, set(mark.cells))
    return colour(scene, mark.kind if lost or mark.colour == "plain" else mark.colour)


def _colours_on(scene: Scene, cells: set[Cell]) -> set[str]:
    return {token.colour for token in scene.tokens if not cells.isdisjoint(token.cells)}


def rgb(text: str) -> Rgb:
    """`#rrggbb` as three numbers."""
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def hexed(colour: Rgb) -> str:
    """Three numbers as `#rrggbb`."""
    return "#{:02x}{:02x}{:02x}".format(*colour)


def mix(one: Rgb, other: Rgb, share: float) -> Rgb:
    """`share` of the other colour in the first."""
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def luminance(colour: Rgb) -> float:
    """How bright a colour looks, 0 … 1 (WCAG 2)."""
    red, green, blue = (_linear(part / 255) for part in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: Rgb, other: Rgb) -> float:
    """How well one is read on the other, 1 … 21 (WCAG 2)."""
    dark, bright = sorted((luminance(one), luminance(other)))
    return (bright + 0.05) / (dark + 0.05)


def readable_on(colour: Rgb) -> Rgb:
    """Near-black or white, whichever is read better."""
    dark, bright = rgb("#14181c"), rgb("#ffffff")
    return max(dark, bright, key=lambda ink: contrast(ink, colour))


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
