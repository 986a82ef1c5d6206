"""Rulings of jury and organisers while a contest runs, and the resulting state.

A ruling never changes earlier entries: it is one more entry of the record, with its reason. The
state is computed from games and rulings in the order they were written.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal

from spielleiter.errors import StoreError
from spielleiter.tournament.pairing import (
    GameResult,
    Opening,
    Pairing,
    PlayerId,
    RuledBy,
)

RulingAction = Literal["annul", "replay", "decide", "withdraw", "enter"]
WITHDRAWN = "withdrawn"
"""The fault of a team that has withdrawn."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """One decision.

    `annul`: the games count for nobody and are not played. `replay`: what was played does not
    count, the games are played again. `decide`: the jury says who won. `withdraw`: a team plays no
    more. `enter`: a team joins late.
    """

    action: RulingAction
    reason: str
    games: tuple[Pairing, ...] = ()
    """The games whose results it changes."""
    winner: PlayerId | None = None
    """`decide`: who won; None: a draw."""
    team: PlayerId | None = None
    """`withdraw`, `enter`: who."""
    day: int = 0
    """`enter`: the match day from which on the team plays."""
    about: str = ""
    """The match day, set or game as the jury named it."""
    by: str = ""
    """Who decided, as an opaque id, or empty."""
    at: float = 0.0
    """When, in seconds since 1970."""


def ruling_text(ruling: Ruling) -> str:
    """A ruling as one line of JSON."""
    data = {
        "action": ruling.action,
        "reason": ruling.reason,
        "games": [
            [each.key, each.players, each.opening.seed, each.opening.options]
            for each in ruling.games
        ],
        "winner": ruling.winner,
        "team": ruling.team,
        "day": ruling.day,
        "about": ruling.about,
        "by": ruling.by,
        "at": ruling.at,
    }
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def read_ruling(text: str) -> Ruling:
    """The ruling that a line of JSON holds; raises StoreError if it holds none."""
    try:
        data = json.loads(text)
        data["games"] = tuple(_pairing(*each) for each in data["games"])
        return Ruling(**data)
    except (KeyError, TypeError, ValueError) as problem:
        raise StoreError(f"this is no ruling: {problem!r}") from problem


def _pairing(key: str, players: list[str], seed: int, options: list[Any]) -> Pairing:
    return Pairing(
        key, tuple(players), Opening(seed, tuple((name, value) for name, value in options))
    )


@dataclass(slots=True)
class ContestState:
    """The state of a contest after its games and rulings so far."""

    results: dict[str, GameResult] = field(default_factory=dict)
    """By the key of the game, with those that were annulled or decided."""
    rulings: list[Ruling] = field(default_factory=list)
    withdrawn: set[PlayerId] = field(default_factory=set)
    joined: dict[PlayerId, int] = field(default_factory=dict)
    """Team that entered late → the match day from which on it plays."""
    times_played: Counter[str] = field(default_factory=Counter)
    """How often each game was played: more than once after a replay."""

    def add_game(self, result: GameResult) -> None:
        """Add a game; rulings on it stay in force."""
        key = result.pairing.key
        self.times_played[key] += 1
        known = self.results.get(key)
        if known is None or known.ruled is None:
            self.results[key] = result

    def add_ruling(self, ruling: Ruling) -> None:
        """Add a ruling; the last one on a game is in force."""
        self.rulings.append(ruling)
        for pairing in ruling.games:
            self.results.pop(pairing.key, None)
            if ruling.action != "replay":
                self.results[pairing.key] = ruled_result(ruling, pairing)
        if ruling.action == "withdraw" and ruling.team is not None:
            self.withdrawn.add(ruling.team)
        if ruling.action == "enter" and ruling.team is not None:
            self.joined[ruling.team] = ruling.day

    def copy(self) -> ContestState:
        """An independent copy."""
        return ContestState(
            dict(self.results),
            list(self.rulings),
            set(self.withdrawn),
            dict(self.joined),
            Counter(self.times_played),
        )


def ruled_result(ruling: Ruling, pairing: Pairing) -> GameResult:
    """The result that a ruling gives to a game."""
    seats = len(pairing.players)
    if ruling.action != "decide":
        return _result(pairing, (1,) * seats, "annulled")
    won = [each == ruling.winner for each in pairing.players]
    ranks = tuple(1 if ruling.winner is None or wins else 2 for wins in won)
    return _result(pairing, ranks, "decided")


def walkover(pairing: Pairing, withdrawn: Collection[PlayerId]) -> GameResult:
    """The result of a game with a withdrawn team: the others are ahead of it."""
    gone = [player in withdrawn for player in pairing.players]
    ranks = tuple(1 + gone.count(False) if each and not all(gone) else 1 for each in gone)
    faults = tuple(WITHDRAWN if each else None for each in gone)
    return _result(pairing, ranks, "withdrawn", faults)


def played_only(results: Iterable[GameResult]) -> list[GameResult]:
    """The games that were played and count, for ratings and conduct."""
    return [each for each in results if each.ruled is None]


def _result(
    pairing: Pairing,
    ranks: tuple[int, ...],
    ruled: RuledBy,
    faults: tuple[str | None, ...] | None = None,
) -> GameResult:
    seats = len(pairing.players)
    return GameResult(
        pairing, ranks, (0,) * seats, faults or (None,) * seats, (0.0,) * seats, ruled=ruled
    )
