"""What is played: an edition with its set-ups, as text.

`reversi:map=p3_09x09_hexagon|p3_15x15_open` is Reversi on one of two maps, drawn for each game;
`piranhas-2026@server` is judged as the official server did.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Self

from spielleiter import games
from spielleiter.game import Game


@dataclass(frozen=True, slots=True)
class Kind:
    """An edition, whose rules count, and for each option of the set-up what may be drawn."""

    edition: str
    authority: str = "document"
    options: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @classmethod
    def parse(cls, text: str) -> Self:
        name, _, rest = text.partition(":")
        edition, _, authority = name.partition("@")
        pairs = (pair.partition("=") for pair in rest.split(",") if pair)
        options = tuple((key, tuple(values.split("|"))) for key, _, values in pairs)
        return cls(edition, authority or "document", options)

    @property
    def game(self) -> Game:
        return games.load(self.edition, self.authority)  # type: ignore[arg-type]

    def start(self, lot: random.Random) -> Any:
        """The beginning of a game; a set-up by lot is drawn as well."""
        drawn = {key: lot.choice(values) for key, values in self.options}
        return self.game.start(lot.randrange(2**32), **drawn)

    def opening(self, lot: random.Random, plies: int) -> Any:
        """A position after random moves that is not over yet."""
        while True:
            position = self.start(lot)
            for _ in range(plies):
                if position.legal_moves():
                    position.play(lot.choice(position.legal_moves()))
            if position.legal_moves():
                return position
