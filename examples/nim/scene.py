"""Nim as a scene: a column for each heap."""

from __future__ import annotations

from typing import Any

from spielleiter.game import Grid, Scene, Token

COLUMNS, ROWS = 3, 9


def scene(position: Any, last_move: Any) -> Scene:
    """Every stone is a disc on its heap."""
    heaps = [int(size) for size in position.text().split()[0].split("/")]
    return Scene(
        grid=Grid(COLUMNS, ROWS, upwards=True, column_labels=("A", "B", "C")),
        tokens=tuple(_stone(x, y) for x, size in enumerate(heaps) for y in range(size)),
        status=(f"ply {position.ply}",),
        palette={"stone": "#8d6e63"},
        title="Nim",
    )


def _stone(x: int, y: int) -> Token:
    return Token(
        id=f"{x},{y}", cells=((x, y),), glyph="disc", colour="stone", text="●", label="stone"
    )
