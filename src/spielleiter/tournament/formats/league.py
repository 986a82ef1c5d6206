"""League: everybody meets everybody once, a match day at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from spielleiter.tournament.encounters import Mode, encounter_standings, unplayed
from spielleiter.tournament.format import ContestFormat, Entrants, FormatSettings
from spielleiter.tournament.pairing import Encounter, Pairing, Played, PlayerId
from spielleiter.tournament.phases import ContestPhase, MatchDay, day_of, messages
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings

Pairs = tuple[tuple[PlayerId, PlayerId], ...]


@dataclass(frozen=True, slots=True)
class League(Schedule):
    """Everybody meets everybody once; in an odd group one team rests each day."""

    title: str
    teams: tuple[PlayerId, ...]
    mode: Mode

    def encounters(self) -> Iterator[tuple[int, Encounter]]:
        """All encounters with their match day, counted from 1."""
        for number, day in enumerate(match_days(self.teams), 1):
            for one, other in day:
                key = f"{self.title}/day {number}/{one} – {other}"
                yield number, self.mode.encounter(key, (one, other))

    def waiting(self, played: Played) -> Iterator[Pairing]:
        """The games that can be played now."""
        for _, encounter in self.encounters():
            yield from unplayed(encounter, self.mode.games, played)

    def table(self, played: Played) -> Standings:
        """The standings of the league."""
        met = [encounter for _, encounter in self.encounters()]
        return encounter_standings(self.title, self.teams, met, self.mode, played)

    def standings(self, played: Played) -> list[Standings]:
        """The tables so far, in the order of the phases."""
        return [self.table(played)]

    def phases(self, played: Played) -> list[ContestPhase]:
        """Everything that a page shows of the contest."""
        return [ContestPhase(self.title, self.table(played), tuple(self._days(played)))]

    def _days(self, played: Played) -> Iterator[MatchDay]:
        for number, day in groupby(self.encounters(), key=lambda each: each[0]):
            met = [encounter for _, encounter in day]
            there = {player for encounter in met for player in encounter.players}
            rests = [team for team in self.teams if team not in there]
            yield day_of(messages("day", number=number), met, self.mode.games, played, rests)


def match_days(teams: Sequence[PlayerId]) -> list[Pairs]:
    """Everybody against everybody: one stays in place, the others walk round the table."""
    ring: list[PlayerId | None] = [*teams, *([None] if len(teams) % 2 else [])]
    days: list[Pairs] = []
    for _ in range(len(ring) - 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True)
        days.append(tuple((a, b) for a, b in pairs if a is not None and b is not None))
        ring[1:] = [ring[-1], *ring[1:-1]]
    return days


def _schedule(entrants: Entrants, mode: Mode, settings: FormatSettings) -> Schedule:
    return League(entrants.contest, entrants.names, mode)


FORMAT = ContestFormat(title="league", schedule=_schedule)
