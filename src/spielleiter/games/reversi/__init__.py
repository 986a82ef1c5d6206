"""Reversi for two to four players on any map up to 15 × 15 with holes."""

from spielleiter.game import Game, Option
from spielleiter.games.reversi import maps
from spielleiter.games.reversi.scene import scene
from spielleiter.native import core


def set_up(map: str = maps.DEFAULT) -> str:  # noqa: A002  (the option is called so)
    """The text of the position that a map of the catalogue, or a map file, begins with."""
    return maps.find(map).position()


EDITIONS = (
    Game(
        name="reversi",
        title="Reversi",
        folder=__name__,
        native=core(__name__),
        seat_names=("player 1", "player 2", "player 3", "player 4"),
        scene=scene,
        set_up=set_up,
        options=(
            Option(
                name="map",
                help="a map of the catalogue, or the path of a map file",
                default=maps.DEFAULT,
                choices=maps.names,
            ),
        ),
    ),
)
