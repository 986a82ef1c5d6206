"""The match days of a contest, numbered through all phases, to play it day by day."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import groupby

from spielleiter.errors import UsageError
from spielleiter.tournament.pairing import GameResult, Pairing, Played
from spielleiter.tournament.phases import ContestPhase, EncounterView, MatchDay
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings


@dataclass(frozen=True, slots=True)
class ContestDay:
    """One match day, with all phases that are played in parallel."""

    number: int
    """Counted from 1."""
    title: str
    phases: tuple[str, ...]
    encounters: tuple[EncounterView, ...]

    @property
    def games(self) -> list[tuple[Pairing, GameResult | None]]:
        """All its games that are known."""
        return [game for each in self.encounters for game in each.games]

    @property
    def played(self) -> int:
        """How many of its games have a result."""
        return sum(result is not None for _, result in self.games)

    @property
    def over(self) -> bool:
        """Whether all its games are played; false while its teams are unknown."""
        return all(each.over for each in self.encounters)

    @property
    def annulled(self) -> bool:
        """Whether the jury annulled all its games."""
        results = [result for _, result in self.games]
        return bool(results) and not any(result is None or result.counts for result in results)


def contest_days(schedule: Schedule, played: Played) -> list[ContestDay]:
    """All match days known so far, in the order they are played."""
    found: list[ContestDay] = []
    for _, stage in groupby(schedule.phases(played), key=lambda phase: phase.stage):
        parts = [(phase, _days(phase)) for phase in stage]
        for at in range(max(len(days) for _, days in parts)):
            there = [(phase, days[at]) for phase, days in parts if at < len(days)]
            found.append(_merged(len(found) + 1, there))
    return found


def _days(phase: ContestPhase) -> list[MatchDay]:
    """The days of a phase; third place comes before the final, though shown last."""
    ordered = sorted(phase.bracket[-2:], key=lambda day: not day.for_third_place)
    return [*phase.days, *phase.bracket[:-2], *ordered]


def _merged(number: int, parts: list[tuple[ContestPhase, MatchDay]]) -> ContestDay:
    phases = tuple(phase.title for phase, _ in parts)
    encounters = tuple(each for _, day in parts for each in day.encounters)
    return ContestDay(number, parts[0][1].title, phases, encounters)


@dataclass(frozen=True, slots=True)
class UpToDay(Schedule):
    """A schedule limited to the games up to a match day."""

    schedule: Schedule
    day: int
    wanted: Callable[[], bool] = lambda: True
    """Whether more games may begin."""

    def waiting(self, played: Played) -> Iterator[Pairing]:
        """The games that can be played now, up to the day."""
        days = contest_days(self.schedule, played)[: self.day]
        allowed = {pairing.key.rpartition("/")[0] for day in days for pairing, _ in day.games}
        for each in self.schedule.waiting(played):
            if not self.wanted():
                return
            if each.key.rpartition("/")[0] in allowed:
                yield each

    def standings(self, played: Played) -> list[Standings]:
        """The tables so far, in the order of the phases."""
        return self.schedule.standings(played)

    def phases(self, played: Played) -> list[ContestPhase]:
        """Everything that a page shows of the contest."""
        return self.schedule.phases(played)


def games_in(schedule: Schedule, played: Played, scope: str) -> tuple[Pairing, ...]:
    """The games of a match day, a set or a single game.

    A scope is a prefix of keys: `group A/day 3`, `group A/day 3/Red – Blue`, or the whole key
    of a game; or the number of a match day: `day 3`.
    """
    days = contest_days(schedule, played)
    found = [pairing for day in days for pairing, _ in day.games]
    inside = [each for each in found if f"{each.key}/".startswith(f"{scope.rstrip('/')}/")]
    for day in days if not inside else ():
        if scope.casefold() == f"day {day.number}":
            inside = [pairing for pairing, _ in day.games]
    if not inside:
        known = dict.fromkeys(each.key.rpartition("/")[0] for each in found)
        some = "\n".join(list(known)[:20])
        raise UsageError(f"no game belongs to {scope!r}; sets of this contest:\n{some}")
    return tuple(inside)
