"""Piranhas, the game of the Software-Challenge 2019 and 2026."""

from spielleiter import native
from spielleiter.game import Game
from spielleiter.games.piranhas.scene import scene

_core = native.core(__name__)


def _edition(name: str, title: str, seat_names: tuple[str, str]) -> Game:
    return Game(
        name=name,
        title=title,
        folder=__name__,
        native=_core,
        seat_names=seat_names,
        scene=scene,
    )


EDITIONS = (
    _edition("piranhas-2019-draft", "Piranhas, draft rules of 2019", ("white", "black")),
    _edition("piranhas-2019", "Piranhas, Software-Challenge 2019", ("red", "blue")),
    _edition("piranhas-2026", "Piranhas, Software-Challenge 2026", ("red", "blue")),
)
