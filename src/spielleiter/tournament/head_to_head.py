"""A match: the same players block after block, for a number of games or until it is decided."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from spielleiter.errors import UsageError
from spielleiter.tournament.estimate import Estimate, estimate
from spielleiter.tournament.pairing import (
    DRAW,
    WIN,
    Encounter,
    GameResult,
    Options,
    Pairing,
    Played,
    PlayerId,
)
from spielleiter.tournament.phases import ALL_ENCOUNTERS, ContestPhase, day_of
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.sprt import Sprt, Verdict, judge
from spielleiter.tournament.standings import (
    AVERAGE,
    WIN_POINTS,
    Criterion,
    Standings,
    average_second,
    ranked,
    win_points,
)

KEY = "match"
_GAMES = 100


@dataclass(frozen=True, slots=True)
class HeadToHead(Schedule):
    """Two to four players, always the same; a block is one opening with every rotation of seats.

    Blocks count in order, up to the first incomplete one or, with a test, to the deciding one: so
    the outcome does not depend on which game ended first.
    """

    players: tuple[PlayerId, ...]
    seed: int
    games: int | None = None
    test: Sprt | None = None
    set_ups: tuple[Options, ...] = ((),)

    def __post_init__(self) -> None:
        if len(set(self.players)) < len(self.players):
            raise UsageError("the players of a match need different names")
        if self.games is None and self.test is None:
            raise UsageError("a match needs a number of games or a sequential test")

    @property
    def encounter(self) -> Encounter:
        """All games of the match, in order."""
        return Encounter(KEY, self.players, self.seed, self.set_ups)

    def waiting(self, played: Played) -> Iterator[Pairing]:
        """The games that can be played now."""
        verdict = self.verdict(played)
        if verdict is not None and verdict.accepted is not None:
            return
        encounter, number = self.encounter, 0
        while self.games is None or number < self.games:
            if f"{KEY}/{number}" not in played:
                yield encounter.game(number)
            number += 1

    def counted(self, played: Played) -> list[GameResult]:
        """The games that count: those of complete blocks; with a test up to its decision."""
        known = self._complete(played)
        verdict = self.verdict(played)
        return known if verdict is None else known[: verdict.blocks * len(self.players)]

    def verdict(self, played: Played) -> Verdict | None:
        """Where the sequential test stands, if there is one."""
        if self.test is None:
            return None
        return judge(self.test, self._block_scores(self._complete(played)), self._values)

    def estimate(self, played: Played) -> Estimate:
        """How much stronger the first player is."""
        return estimate(self._block_scores(self.counted(played)) / (self._values - 1))

    def histogram(self, played: Played) -> tuple[int, ...]:
        """How many blocks had each score, the worst first: five numbers for two players."""
        found = np.bincount(self._block_scores(self.counted(played)), minlength=self._values)
        return tuple(int(count) for count in found)

    def standings(self, played: Played) -> list[Standings]:
        """The tables so far, in the order of the phases."""
        counted = self.counted(played)
        criteria: list[Criterion] = [
            (WIN_POINTS, win_points(self.players, counted)),
            (AVERAGE, average_second(self.players, counted)),
        ]
        final = self.finished(played)
        return [ranked(KEY, self.players, criteria, seed=self.seed, final=final)]

    def phases(self, played: Played) -> list[ContestPhase]:
        """Everything that a page shows of the contest."""
        day = day_of(ALL_ENCOUNTERS, [self.encounter], len(self.counted(played)), played)
        return [ContestPhase(KEY, self.standings(played)[0], (day,))]

    @property
    def _values(self) -> int:
        """How many scores a block can have: half points in every meeting of the first player."""
        seats = len(self.players)
        return 2 * seats * (seats - 1) + 1

    def _complete(self, played: Played) -> list[GameResult]:
        """The results up to the first block that is not complete; of no block only a part."""
        results: list[GameResult] = []
        while (result := played.get(f"{KEY}/{len(results)}")) is not None:
            results.append(result)
        return results[: len(results) // len(self.players) * len(self.players)]

    def _block_scores(self, results: list[GameResult]) -> NDArray[np.int64]:
        taken = np.array([half_points(each, self.players[0]) for each in results], dtype=np.int64)
        scores: NDArray[np.int64] = taken.reshape(-1, len(self.players)).sum(axis=1)
        return scores


def games_in_blocks(count: int | None, test: Sprt | None, seats: int) -> int | None:
    """The number of games: whole blocks, by default about 100 games, None with a test."""
    if count is None:
        return None if test is not None else math.ceil(_GAMES / seats) * seats
    if count % seats:
        more = (count // seats + 1) * seats
        raise UsageError(
            f"every seat is played alike, in blocks of {seats} games: ask for {more}, not {count}"
        )
    return count


def half_points(result: GameResult, player: PlayerId) -> int:
    """Half points of a player in a game: 2 for each opponent behind it, 1 for each equal."""
    ranks = result.ranks
    own = ranks[result.pairing.players.index(player)]
    ahead = len([rank for rank in ranks if own < rank])
    return WIN * ahead + DRAW * (ranks.count(own) - 1)


@dataclass(frozen=True, slots=True)
class Tally:
    """The results of one player in a match."""

    wins: int
    draws: int
    losses: int
    average: Fraction
    faults: tuple[tuple[str, int], ...]
    spent: float


def tallies(players: tuple[PlayerId, ...], results: list[GameResult]) -> dict[PlayerId, Tally]:
    """Wins, draws, losses, average score, faults by kind and time, of each player."""
    average = average_second(players, results)
    return {player: _tally(player, results, Fraction(average[player])) for player in players}


def _tally(player: PlayerId, results: list[GameResult], average: Fraction) -> Tally:
    seated = [(each, each.pairing.players.index(player)) for each in results]
    points = Counter(result.win_points(seat) for result, seat in seated)
    faults = Counter(fault for result, seat in seated if (fault := result.faults[seat]) is not None)
    spent = sum(result.spent[seat] for result, seat in seated if result.spent)
    return Tally(
        points[WIN], points[DRAW], points[0], average, tuple(sorted(faults.items())), spent
    )
