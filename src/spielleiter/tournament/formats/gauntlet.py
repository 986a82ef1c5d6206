"""Gauntlet: some challengers meet all others, who do not meet each other."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from spielleiter.errors import UnknownName, UsageError
from spielleiter.tournament.encounters import Mode, encounter_standings, unplayed
from spielleiter.tournament.format import ContestFormat, Entrants, FormatSettings
from spielleiter.tournament.pairing import Encounter, Pairing, Played, PlayerId
from spielleiter.tournament.phases import ALL_ENCOUNTERS, ContestPhase, day_of
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings


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
            yield self.mode.encounter(f"{self.title}/day 1/{pair[0]} – {pair[1]}", pair)

    def waiting(self, played: Played) -> Iterator[Pairing]:
        """The games that can be played now."""
        for encounter in self.encounters():
            yield from unplayed(encounter, self.mode.games, played)

    def standings(self, played: Played) -> list[Standings]:
        """The tables so far, in the order of the phases."""
        teams = (*self.challengers, *self.others)
        return [encounter_standings(self.title, teams, self.encounters(), self.mode, played)]

    def phases(self, played: Played) -> list[ContestPhase]:
        """Everything that a page shows of the contest."""
        day = day_of(ALL_ENCOUNTERS, self.encounters(), self.mode.games, played)
        return [ContestPhase(self.title, self.standings(played)[0], (day,))]


class GauntletSettings(FormatSettings):
    """`[format]` of a gauntlet."""

    challengers: list[PlayerId]


def _schedule(entrants: Entrants, mode: Mode, settings: GauntletSettings) -> Schedule:
    for name in settings.challengers:
        if name not in entrants.names:
            raise UnknownName("team", name, entrants.names)
    if not settings.challengers:
        raise UsageError("a gauntlet needs [format] challengers = [names of teams]")
    others = tuple(name for name in entrants.names if name not in settings.challengers)
    return Gauntlet(entrants.contest, tuple(settings.challengers), others, mode)


FORMAT = ContestFormat(
    title="gauntlet",
    settings=GauntletSettings,
    schedule=_schedule,
    template="""\
[format]
challengers = ["Red"]   # they meet all others
""",
)
