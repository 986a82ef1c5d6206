"""Formats whose encounters are known in advance: league, gauntlet, and cups of larger tables."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from spielleiter.errors import UsageError
from spielleiter.tournament.pairing import (
    Encounter,
    Options,
    Pairing,
    Played,
    PlayerId,
    Result,
    drawn,
)
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import (
    Criterion,
    Table,
    Value,
    average_second,
    encounter_points,
    ranked,
    win_points,
)

POINTS, WIN_POINTS, AVERAGE = "points", "win points", "average score"
RANK_POINTS = "rank points"
Day = tuple[tuple[PlayerId, PlayerId], ...]


@dataclass(frozen=True, slots=True)
class Mode:
    """What all encounters of a format have in common."""

    seed: int
    games: int = 6
    set_ups: tuple[Options, ...] = ((),)

    def encounter(self, key: str, players: Sequence[PlayerId]) -> Encounter:
        """These players under this mode; who begins is drawn, so that no order is favoured."""
        turn = drawn(self.seed, "first", key) % len(players)
        seated = (*players[turn:], *players[:turn])
        return Encounter(key, seated, self.seed, self.set_ups)


@dataclass(frozen=True, slots=True)
class League(Schedule):
    """Everybody meets everybody once, a match day at a time: 2, 1 or 0 points per encounter.

    Ties are broken by the sum of win points of all games, then by the average of the second part
    of the score, then by lot. In an odd group one team rests each day.
    """

    title: str
    teams: tuple[PlayerId, ...]
    mode: Mode

    def encounters(self) -> Iterator[tuple[int, Encounter]]:
        """All encounters with their match day, counted from 1."""
        for number, day in enumerate(match_days(self.teams), 1):
            for pair in day:
                yield number, self.mode.encounter(_key(self.title, number, pair), pair)

    def waiting(self, played: Played) -> Iterator[Pairing]:
        for _, encounter in self.encounters():
            yield from unplayed(encounter, self.mode.games, played)

    def tables(self, played: Played) -> list[Table]:
        met = [encounter for _, encounter in self.encounters()]
        return [encounter_table(self.title, self.teams, met, self.mode, played)]


@dataclass(frozen=True, slots=True)
class Gauntlet(Schedule):
    """Some challengers meet all others; the others do not meet each other."""

    title: str
    challengers: tuple[PlayerId, ...]
    others: tuple[PlayerId, ...]
    mode: Mode

    def encounters(self) -> Iterator[Encounter]:
        """All encounters."""
        for pair in itertools.product(self.challengers, self.others):
            yield self.mode.encounter(_key(self.title, 1, pair), pair)

    def waiting(self, played: Played) -> Iterator[Pairing]:
        for encounter in self.encounters():
            yield from unplayed(encounter, self.mode.games, played)

    def tables(self, played: Played) -> list[Table]:
        teams = (*self.challengers, *self.others)
        met = list(self.encounters())
        return [encounter_table(self.title, teams, met, self.mode, played)]


@dataclass(frozen=True, slots=True)
class Cup(Schedule):
    """Tables of two to four: every choice of players, every set-up, every rotation of the seats.

    A game brings rank points (`points`, the best rank first); players who share a rank share what
    its places bring. Ties are broken by the average score, then by lot.
    """

    title: str
    teams: tuple[PlayerId, ...]
    seats: int
    points: tuple[int, ...]
    mode: Mode

    def __post_init__(self) -> None:
        if not 2 <= self.seats <= len(self.teams):
            raise UsageError(f"{len(self.teams)} players cannot fill tables of {self.seats} seats")
        if len(self.points) != self.seats:
            raise UsageError(
                f"tables of {self.seats} seats need rank points for {self.seats} ranks"
            )

    @property
    def games(self) -> int:
        """Games per table: every set-up with every rotation."""
        return len(self.mode.set_ups) * self.seats

    def encounters(self) -> Iterator[Encounter]:
        """All tables."""
        for number, chosen in enumerate(itertools.combinations(self.teams, self.seats), 1):
            yield self.mode.encounter(f"{self.title}/table {number}", chosen)

    def waiting(self, played: Played) -> Iterator[Pairing]:
        for encounter in self.encounters():
            yield from unplayed(encounter, self.games, played)

    def tables(self, played: Played) -> list[Table]:
        tables = [encounter.results(played, self.games) for encounter in self.encounters()]
        known = [result for results in tables for result in results if result is not None]
        final = all(None not in results for results in tables)
        criteria: list[Criterion] = [
            (RANK_POINTS, rank_points(self.teams, known, self.points)),
            (AVERAGE, average_second(self.teams, known)),
        ]
        return [ranked(self.title, self.teams, criteria, seed=self.mode.seed, final=final)]


def match_days(teams: Sequence[PlayerId]) -> list[Day]:
    """Everybody against everybody: one stays in place, the others walk round the table."""
    ring: list[PlayerId | None] = [*teams, *([None] if len(teams) % 2 else [])]
    days = []
    for _ in range(len(ring) - 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True)
        days.append(tuple((a, b) for a, b in pairs if a is not None and b is not None))
        ring[1:] = [ring[-1], *ring[1:-1]]
    return days


def unplayed(encounter: Encounter, games: int, played: Played) -> Iterator[Pairing]:
    """The first games of an encounter, without those that were played."""
    for number in range(games):
        if f"{encounter.key}/{number}" not in played:
            yield encounter.game(number)


def encounter_table(
    title: str,
    teams: Sequence[PlayerId],
    encounters: Iterable[Encounter],
    mode: Mode,
    played: Played,
) -> Table:
    """The table of encounters of two; an encounter brings points when all its games are played."""
    points: dict[PlayerId, Value] = dict.fromkeys(teams, 0)
    known: list[Result] = []
    final = True
    for encounter in encounters:
        results = encounter.results(played, mode.games)
        there = [result for result in results if result is not None]
        known += there
        if len(there) < mode.games:
            final = False
            continue
        for player, won in encounter_points(encounter.players, there).items():
            points[player] += won
    return ranked(title, teams, criteria_of(teams, points, known), seed=mode.seed, final=final)


def criteria_of(
    teams: Sequence[PlayerId], points: dict[PlayerId, Value], results: Sequence[Result]
) -> list[Criterion]:
    """Points of encounters, then win points of games, then the average of the second score part."""
    return [
        (POINTS, points),
        (WIN_POINTS, win_points(teams, results)),
        (AVERAGE, average_second(teams, results)),
    ]


def rank_points(
    teams: Sequence[PlayerId], results: Iterable[Result], points: Sequence[int]
) -> dict[PlayerId, Value]:
    """The sum of rank points; whoever is at fault gets nothing."""
    sums: dict[PlayerId, Value] = defaultdict(int, dict.fromkeys(teams, 0))
    for result in results:
        for seat, player in enumerate(result.pairing.players):
            rank, equals = result.ranks[seat], result.ranks.count(result.ranks[seat])
            share = Fraction(sum(points[rank - 1 : rank - 1 + equals]), equals)
            sums[player] += share if result.faults[seat] is None else 0
    return dict(sums)


def _key(title: str, day: int, pair: Sequence[PlayerId]) -> str:
    return f"{title}/day {day}/{pair[0]} – {pair[1]}"
