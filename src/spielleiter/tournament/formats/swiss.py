"""Swiss system: each round pairs players of like standing who have not met."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from spielleiter.errors import UsageError
from spielleiter.tournament.encounters import Mode, encounter_standings, unplayed
from spielleiter.tournament.format import ContestFormat, Entrants, FormatSettings, LateEntries
from spielleiter.tournament.pairing import Encounter, Pairing, Played, PlayerId
from spielleiter.tournament.phases import ContestPhase, MatchDay, day_of, messages
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings

Pair = frozenset[PlayerId]


@dataclass(frozen=True, slots=True)
class SwissRound:
    """Who meets whom in a round, and who has a bye."""

    encounters: tuple[Encounter, ...]
    bye: PlayerId | None


@dataclass(frozen=True, slots=True)
class Swiss(Schedule):
    """`rounds` rounds; a round begins when the last one is over. A bye counts as won.

    In each round the best unpaired player meets the next best one that it has not met; the bye goes
    to the lowest of those with the fewest byes. A late entry is paired from then on.
    """

    title: str
    teams: tuple[PlayerId, ...]
    rounds: int
    mode: Mode
    late: LateEntries = ()

    def __post_init__(self) -> None:
        most = len(self.teams) - 1 + len(self.teams) % 2
        if not 1 <= self.rounds <= most:
            raise UsageError(f"{len(self.teams)} players can meet in 1 to {most} rounds")

    def waiting(self, played: Played) -> Iterator[Pairing]:
        """The games that can be played now."""
        for encounter in self.paired(played)[-1].encounters:
            yield from unplayed(encounter, self.mode.games, played)

    def standings(self, played: Played) -> list[Standings]:
        """The tables so far, in the order of the phases."""
        paired = self.paired(played)
        return [self._table(paired, played, more_to_come=len(paired) < self.rounds)]

    def phases(self, played: Played) -> list[ContestPhase]:
        """Everything that a page shows of the contest."""
        days = tuple(self._days(played))
        return [ContestPhase(self.title, self.standings(played)[0], days)]

    def _days(self, played: Played) -> Iterator[MatchDay]:
        for number, each in enumerate(self.paired(played), 1):
            rests = () if each.bye is None else (each.bye,)
            yield day_of(
                messages("round", number=number), each.encounters, self.mode.games, played, rests
            )

    def paired(self, played: Played) -> list[SwissRound]:
        """All rounds that can be paired by now; the last one may still be running."""
        paired: list[SwissRound] = []
        while len(paired) < self.rounds and all(self._over(each, played) for each in paired[-1:]):
            paired.append(self._next(paired, played))
        return paired

    def _next(self, paired: Sequence[SwissRound], played: Played) -> SwissRound:
        number = len(paired) + 1
        coming = {team for team, first in self.late if first > number}
        order = [each for each in self._table(paired, played).order if each not in coming]
        bye = _bye(order, [each.bye for each in paired]) if len(order) % 2 else None
        there = tuple(player for player in order if player != bye)
        met = [frozenset(each.players) for past in paired for each in past.encounters]
        pairs = _pairs(there, met)
        keys = (f"{self.title}/round {number}/{a} – {b}" for a, b in pairs)
        return SwissRound(tuple(map(self.mode.encounter, keys, pairs)), bye)

    def _over(self, past: SwissRound, played: Played) -> bool:
        games = self.mode.games
        return all(None not in each.results(played, games) for each in past.encounters)

    def _table(
        self, paired: Sequence[SwissRound], played: Played, *, more_to_come: bool = False
    ) -> Standings:
        met = [encounter for past in paired for encounter in past.encounters]
        byes = [past.bye for past in paired if past.bye is not None]
        everybody = (*self.teams, *(team for team, _ in self.late))
        return encounter_standings(
            self.title, everybody, met, self.mode, played, byes=byes, more_to_come=more_to_come
        )


def _bye(order: Sequence[PlayerId], byes: Sequence[PlayerId | None]) -> PlayerId:
    fewest = min(byes.count(player) for player in order)
    return [player for player in order if byes.count(player) == fewest][-1]


def _pairs(order: tuple[PlayerId, ...], met: Sequence[Pair]) -> list[tuple[PlayerId, PlayerId]]:
    """Pairs in the order of standing, with as few rematches as possible."""
    for again in range(len(order)):
        found = _search(order, met, again, set())
        if found is not None:
            return found
    raise AssertionError("everybody can be paired if everybody may meet again")


def _search(
    order: tuple[PlayerId, ...],
    met: Sequence[Pair],
    again: int,
    hopeless: set[tuple[tuple[PlayerId, ...], int]],
) -> list[tuple[PlayerId, PlayerId]] | None:
    if not order:
        return []
    if (order, again) in hopeless:
        return None
    best = order[0]
    for at in range(1, len(order)):
        cost = met.count(frozenset((best, order[at])))
        if cost <= again:
            rest = _search(order[1:at] + order[at + 1 :], met, again - cost, hopeless)
            if rest is not None:
                return [(best, order[at]), *rest]
    hopeless.add((order, again))
    return None


class SwissSettings(FormatSettings):
    """`[format]` of a Swiss system."""

    rounds: int | None = None
    """Without it as many as a knock-out would need."""


def _schedule(entrants: Entrants, mode: Mode, settings: SwissSettings) -> Schedule:
    names = entrants.names
    rounds = settings.rounds or max(1, (len(names) - 1).bit_length())
    return Swiss(entrants.contest, names, rounds, mode, entrants.late)


FORMAT = ContestFormat(
    title="Swiss system",
    settings=SwissSettings,
    schedule=_schedule,
    template="""\
[format]
rounds = 1              # nobody meets the same team twice
""",
    takes_late_entries=True,
)
