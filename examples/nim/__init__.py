"""Nim, the smallest whole game folder: copy it to begin a new game."""

from spielleiter import native
from spielleiter.game import Game

from .scene import scene

EDITIONS = (
    Game(
        name="nim",
        title="Nim with three heaps",
        folder=__name__,
        native=native.core(__name__),
        seat_names=("first", "second"),
        scene=scene,
    ),
)
