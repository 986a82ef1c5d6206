"""Nim, the smallest whole game folder: copy it to begin a new game."""

from typing import TYPE_CHECKING

from spielleiter import native
from spielleiter.game import Game

from .scene import messages, scene

_core = native.core(__name__)
if TYPE_CHECKING:
    from ._core import Batch, Mcts, Mistake, Move, Occupant, Position
else:
    Batch, Mcts, Position = _core.Batch, _core.Mcts, _core.Position
    Mistake, Move, Occupant = _core.Mistake, _core.Move, _core.Occupant

__all__ = ["EDITIONS", "Batch", "Mcts", "Mistake", "Move", "Occupant", "Position"]

EDITIONS = (
    Game(
        name="nim",
        title=messages("title"),
        folder=__name__,
        native=_core,
        seat_names=(messages("seat.first"), messages("seat.second")),
        scene=scene,
    ),
)
