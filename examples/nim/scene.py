"""Nim as a scene: a column for each heap."""

from __future__ import annotations

from spielleiter.game import Grid, Move, Position, Scene, Token
from spielleiter.text import Messages

messages = Messages(__package__)


def scene(position: Position, last_move: Move | None) -> Scene:
    """Every stone is a disc on its heap."""
    stones = (cell for cell, lies in position.cells().items() if lies is not None)
    return Scene(
        grid=Grid(position.columns, position.rows, upwards=True, column_labels=("A", "B", "C")),
        tokens=tuple(_stone(x, y) for x, y in stones),
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
