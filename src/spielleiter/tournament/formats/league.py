"""League: everybody meets everybody once, a match day at a time."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from spielleiter.tournament.encounters import Mode, encounter_standings, unplayed
from spielleiter.tournament.format import ContestFormat, Entrants, FormatSettings, LateEntries
from spielleiter.tournament.pairing import Encounter, Pairing, Played, PlayerId
from spielleiter.tournament.phases import ContestPhase, MatchDay, day_of, messages
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings

Pairs = tuple[tuple[PlayerId, PlayerId], ...]


@dataclass(frozen=True, slots=True)
class League(Schedule):
    """Everybody meets everybody once; in an odd group one team rests each day.

    A late entry meets one opponent on each day from then on; the rest is played on additional days
    at the end. The encounters of the others do not change.
    """

    title: str
    teams: tuple[PlayerId, ...]
    mode: Mode
    late: LateEntries = ()

    def encounters(self) -> Iterator[tuple[int, Encounter]]:
        """All encounters with their match day, counted from 1."""
        for number, day in enumerate(with_late_entries(self.teams, self.late), 1):
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
        everybody = (*self.teams, *(team for team, _ in self.late))
        return encounter_standings(self.title, everybody, met, self.mode, played)

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
            joined = (team for team, first in self.late if first <= number)
            rests = [team for team in (*self.teams, *joined) if team not in there]
            yield day_of(messages("day", number=number), met, self.mode.games, played, rests)


def match_days(teams: Sequence[PlayerId]) -> list[Pairs]:
    """A round robin by the circle method."""
    ring: list[PlayerId | None] = [*teams, *([None] if len(teams) % 2 else [])]
    days: list[Pairs] = []
    for _ in range(len(ring) - 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True)
        days.append(tuple((a, b) for a, b in pairs if a is not None and b is not None))
        ring[1:] = [ring[-1], *ring[1:-1]]
    return days


def with_late_entries(teams: Sequence[PlayerId], late: LateEntries) -> list[Pairs]:
    """The match days with late entries added; these first meet teams that rest on a day."""
    days, there = [list(day) for day in match_days(teams)], list(teams)
    for team, first in late:
        unmet = list(there)
        for at in itertools.count(first - 1):
            if not unmet:
                break
            days += [[] for _ in range(at + 1 - len(days))]
            busy = Counter(player for pair in days[at] for player in pair)
            opponent = min(unmet, key=lambda player: busy[player])
            days[at].append((opponent, team))
            unmet.remove(opponent)
        there.append(team)
    return [tuple(day) for day in days]


def _schedule(entrants: Entrants, mode: Mode, settings: FormatSettings) -> Schedule:
    return League(entrants.contest, entrants.names, mode, entrants.late)


FORMAT = ContestFormat(title="league", schedule=_schedule, takes_late_entries=True)
