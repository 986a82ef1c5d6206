"""Pairings, openings and results of games.

Random numbers depend on the seed and the key of a game, never on the order of events: a game has
the same opening whether it is played first or last, here or elsewhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

PlayerId = str
RuledBy = Literal["annulled", "decided", "withdrawn"]
"""Why a result is not the game's own: annulled, decided by the jury, or lost by withdrawal."""
Options = tuple[tuple[str, str], ...]

WIN, DRAW, LOSS = 2, 1, 0
NO_SANDBOX = "none"


@dataclass(frozen=True, slots=True)
class Opening:
    """How a game begins: a seed for random choices, and chosen options."""

    seed: int
    options: Options = ()


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game to be played; no two games of a contest have the same key."""

    key: str
    players: tuple[PlayerId, ...]
    """Who sits where: the first seat first."""
    opening: Opening


@dataclass(frozen=True, slots=True)
class GameResult:
    """The result of one game, for tables and statistics."""

    pairing: Pairing
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    faults: tuple[str | None, ...]
    """The kind of each seat's fault, if any."""
    spent: tuple[float, ...] = ()
    """Seconds each seat thought, in all."""
    sandbox: str = NO_SANDBOX
    """The isolation level of the players."""
    absent: tuple[bool, ...] = ()
    """The seats without a player, or with one that could not be started."""
    ruled: RuledBy | None = None
    """Why the result is not that of a game; None: the game was played."""

    @property
    def counts(self) -> bool:
        """Whether tables count it."""
        return self.ruled != "annulled"

    def win_points(self, seat: int) -> int:
        """2 for a win, 1 for a shared first rank, 0 otherwise and for a player at fault."""
        if not self.counts or self.faults[seat] is not None or self.ranks[seat] != 1:
            return LOSS
        return WIN if self.ranks.count(1) == 1 else DRAW

    def second_part(self, seat: int) -> int:
        """The second part of the score: points on the board, 0 for a player at fault."""
        return 0 if self.faults[seat] is not None else self.scores[seat]


Played = Mapping[str, GameResult]
"""The results so far, by the key of the pairing."""


@dataclass(frozen=True, slots=True)
class Encounter:
    """Some players who meet for several games.

    Games come in blocks: one opening, every rotation of the seats. With two players the first move
    alternates. Set-ups, such as maps, take turns from block to block.
    """

    key: str
    players: tuple[PlayerId, ...]
    seed: int
    set_ups: tuple[Options, ...] = ((),)

    def game(self, number: int) -> Pairing:
        """The game of that number, counted from 0."""
        block, turn = divmod(number, len(self.players))
        opening = Opening(drawn(self.seed, self.key, block), self.set_ups[block % self._cycle])
        return Pairing(f"{self.key}/{number}", self._rotated(turn), opening)

    def results(self, played: Played, games: int) -> list[GameResult | None]:
        """The results of the first games."""
        return [played.get(f"{self.key}/{number}") for number in range(games)]

    @property
    def _cycle(self) -> int:
        return len(self.set_ups)

    def _rotated(self, turn: int) -> tuple[PlayerId, ...]:
        return self.players[turn:] + self.players[:turn]


def drawn(*words: object) -> int:
    """A number below 2**64 that depends on the words alone."""
    text = "\x1f".join(map(str, words))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
