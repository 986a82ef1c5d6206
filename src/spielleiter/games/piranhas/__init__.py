"""Piranhas, the game of the Software-Challenge 2019 and 2026."""

from typing import TYPE_CHECKING

from spielleiter import native
from spielleiter.game import Game
from spielleiter.games.piranhas.scene import messages, scene
from spielleiter.text import Text

_core = native.core(__name__)
if TYPE_CHECKING:
    from spielleiter.games.piranhas._core import (
        Batch,
        Engine,
        Mcts,
        Mistake,
        Move,
        Occupant,
        Position,
    )
else:
    Batch, Engine, Mcts, Position = _core.Batch, _core.Engine, _core.Mcts, _core.Position
    Mistake, Move, Occupant = _core.Mistake, _core.Move, _core.Occupant

__all__ = ["EDITIONS", "Batch", "Engine", "Mcts", "Mistake", "Move", "Occupant", "Position"]


def _edition(name: str, title: Text, seats: tuple[str, str]) -> Game:
    return Game(
        name=name,
        title=title,
        folder=__name__,
        native=_core,
        seat_names=tuple(messages(f"seat.{seat}") for seat in seats),
        scene=scene,
    )


EDITIONS = (
    _edition("piranhas-2019-draft", messages("title.draft", season="2019"), ("white", "black")),
    _edition("piranhas-2019", messages("title.season", season="2019"), ("red", "blue")),
    _edition("piranhas-2026", messages("title.season", season="2026"), ("red", "blue")),
)
