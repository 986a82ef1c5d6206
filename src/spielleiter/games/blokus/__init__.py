"""Blokus, the game of the Software-Challenge 2021 and 2027."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from spielleiter import native
from spielleiter.errors import UnknownName
from spielleiter.game import Game, Option
from spielleiter.games.blokus.scene import messages, scene

_core = native.core(__name__)
if TYPE_CHECKING:
    from spielleiter.games.blokus._core import Batch, Mcts, Mistake, Move, Occupant, Position
else:
    Batch, Mcts, Position = _core.Batch, _core.Mcts, _core.Position
    Mistake, Move, Occupant = _core.Mistake, _core.Move, _core.Occupant

__all__ = ["EDITIONS", "Batch", "Mcts", "Mistake", "Move", "Occupant", "Position"]
_PENTOMINOES = tuple(f"PENTO_{letter}" for letter in "LTVSZIPWURXY")
_BY_LOT = "lot"


def _edition(season: str, start_pieces: tuple[str, ...]) -> Game:
    return Game(
        name=f"blokus-{season}",
        title=messages("title", season=season),
        folder=__name__,
        native=_core,
        seat_names=(messages("seat.first"), messages("seat.second")),
        seats_are_plural=True,
        scene=scene,
        set_up=_set_up(start_pieces),
        options=(
            Option(
                name="start_piece",
                help=messages("option-help.start_piece"),
                label=messages("option.start_piece"),
                titles=_piece_title,
                default=_BY_LOT,
                choices=lambda: start_pieces,
            ),
        ),
        ranking=("games won", "average score"),
    )


def _piece_title(name: str) -> str:
    return messages("choice.lot") if name == _BY_LOT else messages(f"piece.{name}")


def _set_up(start_pieces: tuple[str, ...]) -> Callable[..., str]:
    def set_up(start_piece: str = _BY_LOT) -> str:
        if start_piece.lower() == _BY_LOT:
            return ""
        if start_piece.upper() not in start_pieces:
            raise UnknownName("start piece", start_piece, (_BY_LOT, *start_pieces))
        return start_piece.upper()

    return set_up


EDITIONS = (
    _edition("2021", tuple(piece for piece in _PENTOMINOES if piece != "PENTO_X")),
    _edition("2027", _PENTOMINOES),
)
