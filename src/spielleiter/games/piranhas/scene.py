"""Piranhas as a scene: fish and octopuses on the grid."""

from __future__ import annotations

from typing import Any

from spielleiter.game import Grid, Scene, Token


def scene(position: Any, last_move: Any) -> Scene:
    """What lies where."""
    rows = position.text().split()[0].split("/")
    tokens = tuple(
        Token(id=f"{x},{y}", cells=((x, y),), glyph="square", colour=letter, text=letter)
        for y, row in enumerate(rows)
        for x, letter in enumerate(row)
        if letter != "."
    )
    return Scene(grid=Grid(10, 10, upwards=True), tokens=tokens)
