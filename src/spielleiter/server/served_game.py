"""What a server offers: a game with its wire, and where its games begin."""

from __future__ import annotations

from dataclasses import dataclass

from spielleiter.game import Game, Position
from spielleiter.protocol.wire import Sent, Wire


@dataclass(frozen=True, slots=True)
class Start:
    """Where a game begins: a position, and the move that led to it if it was loaded."""

    position: Position
    last: Sent | None = None


@dataclass(frozen=True, slots=True)
class ServedGame:
    """One edition that a server offers, and the wire of its season."""

    game: Game
    wire: Wire

    @classmethod
    def of(cls, game: Game) -> ServedGame:
        """The edition with the wire of its own folder."""
        wire: Wire = game.part("wire").wire(game)
        return cls(game, wire)
