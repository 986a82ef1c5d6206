"""Cup: tables of two to four seats, every choice of teams at every table."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from spielleiter.errors import UsageError
from spielleiter.tournament.encounters import Mode, unplayed
from spielleiter.tournament.format import ContestFormat, Entrants, FormatSettings
from spielleiter.tournament.pairing import Encounter, GameResult, Pairing, Played, PlayerId
from spielleiter.tournament.phases import ContestPhase, day_of, messages
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import (
    AVERAGE,
    Criterion,
    Standings,
    Value,
    average_second,
    ranked,
)

RANK_POINTS = "rank points"


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
        """The games that can be played now."""
        for encounter in self.encounters():
            yield from unplayed(encounter, self.games, played)

    def standings(self, played: Played) -> list[Standings]:
        """The tables so far, in the order of the phases."""
        tables = [encounter.results(played, self.games) for encounter in self.encounters()]
        known = [result for results in tables for result in results if result is not None]
        final = all(None not in results for results in tables)
        criteria: list[Criterion] = [
            (RANK_POINTS, rank_points(self.teams, known, self.points)),
            (AVERAGE, average_second(self.teams, known)),
        ]
        return [ranked(self.title, self.teams, criteria, seed=self.mode.seed, final=final)]

    def phases(self, played: Played) -> list[ContestPhase]:
        """Everything that a page shows of the contest."""
        day = day_of(messages("all-tables"), self.encounters(), self.games, played)
        return [ContestPhase(self.title, self.standings(played)[0], (day,))]


def rank_points(
    teams: Sequence[PlayerId], results: Iterable[GameResult], points: Sequence[int]
) -> dict[PlayerId, Value]:
    """The sum of rank points; a player at fault gets none."""
    sums: dict[PlayerId, Value] = defaultdict(int, dict.fromkeys(teams, 0))
    for result in (each for each in results if each.counts):
        for seat, player in enumerate(result.pairing.players):
            rank, equals = result.ranks[seat], result.ranks.count(result.ranks[seat])
            share = Fraction(sum(points[rank - 1 : rank - 1 + equals]), equals)
            sums[player] += share if result.faults[seat] is None else 0
    return dict(sums)


class CupSettings(FormatSettings):
    """`[format]` of a cup."""

    seats: int = 2
    rank_points: list[int] | None = None


def _schedule(entrants: Entrants, mode: Mode, settings: CupSettings) -> Schedule:
    points = settings.rank_points or range(settings.seats - 1, -1, -1)
    return Cup(entrants.contest, entrants.names, settings.seats, tuple(points), mode)


FORMAT = ContestFormat(
    title="cup",
    settings=CupSettings,
    schedule=_schedule,
    template="""\
[format]
seats = 2               # at a table
rank_points = [1, 0]    # for the best at a table, the next, …
""",
    ranks_teams=False,
)
