"""Reversi for two to four players on any map up to 15 × 15 with holes."""

from typing import TYPE_CHECKING

from spielleiter import native
from spielleiter.game import Game, Option
from spielleiter.games.reversi import maps
from spielleiter.games.reversi.scene import messages, scene

_core = native.core(__name__)
if TYPE_CHECKING:
    from spielleiter.games.reversi._core import (
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

__all__ = [
    "EDITIONS",
    "Batch",
    "Engine",
    "Mcts",
    "Mistake",
    "Move",
    "Occupant",
    "Position",
    "set_up",
]


def set_up(map: str = maps.DEFAULT) -> str:  # noqa: A002  (the option is called so)
    """The text of the position that a map of the catalogue, or a map file, begins with."""
    return maps.find(map).position()


def _map_title(name: str) -> str:
    size = maps.size_in(name)
    if size is None:
        return name.replace("_", " ")
    players, height, width, title = size
    return messages("map-title", title=title, height=height, width=width, players=players)


EDITIONS = (
    Game(
        name="reversi",
        title=messages("title"),
        folder=__name__,
        native=_core,
        seat_names=tuple(messages("seat", number=number) for number in (1, 2, 3, 4)),
        scene=scene,
        set_up=set_up,
        options=(
            Option(
                name="map",
                help=messages("option-help.map"),
                label=messages("option.map"),
                default=maps.DEFAULT,
                choices=maps.names,
                tests=maps.tests,
                titles=_map_title,
            ),
        ),
    ),
)
