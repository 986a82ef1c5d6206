"""Nim as a scene: a column for each heap."""

from __future__ import annotations

from spielleiter.game import Grid, Move, Position, Scene, Token
from spielleiter.text import Messages

COLUMNS, ROWS = 3, 9
messages = Messages(__package__)


def scene(position: Position, last_move: Move | None) -> Scene:
    """Every stone is a disc on its heap."""
    heaps = [int(size) for size in position.text().split()[0].split("/")]
    return Scene(
        grid=Grid(COLUMNS, ROWS, upwards=True, column_labels=("A", "B", "C")),
        tokens=tuple(_stone(x, y) for x, size in enumerate(heaps) for y in range(size)),
        status=(messages("ply", ply=position.ply),),
        palette={"stone": "#8d6e63"},
        title=messages("scene"),
    )


def _stone(x: int, y: int) -> Token:
    return Token(
        id=f"{x},{y}",
        cells=((x, y),),
        glyph="disc",
        colour="stone",
        text="o",
        label=messages("stone"),
    )
