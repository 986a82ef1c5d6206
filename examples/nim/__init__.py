"""Nim, the smallest whole game folder: copy it to begin a new game."""

from spielleiter import native
from spielleiter.game import Game

from .scene import messages, scene

EDITIONS = (
    Game(
        name="nim",
        title=messages("title"),
        folder=__name__,
        native=native.core(__name__),
        seat_names=(messages("seat.first"), messages("seat.second")),
        scene=scene,
    ),
)
