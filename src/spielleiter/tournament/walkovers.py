"""Walkovers: games of a withdrawn team are lost without being played."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from spielleiter.tournament.pairing import GameResult, Pairing, Played, PlayerId
from spielleiter.tournament.phases import ContestPhase
from spielleiter.tournament.rulings import walkover
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings

WithdrawalRule = Literal["half", "lost", "annulled"]


@dataclass(frozen=True, slots=True)
class WithWalkovers(Schedule):
    """A schedule in which games of withdrawn teams count for their opponents."""

    schedule: Schedule
    withdrawn: frozenset[PlayerId]

    def waiting(self, played: Played) -> Iterator[Pairing]:
        """The games that can be played now, without those of withdrawn teams."""
        return self.schedule.waiting(self._filled(played))

    def standings(self, played: Played) -> list[Standings]:
        """The tables so far, in the order of the phases."""
        return self.schedule.standings(self._filled(played))

    def phases(self, played: Played) -> list[ContestPhase]:
        """Everything that a page shows of the contest."""
        return self.schedule.phases(self._filled(played))

    def _filled(self, played: Played) -> dict[str, GameResult]:
        """The results including walkovers, which may lead to further ones."""
        filled = dict(played)
        while True:
            lost = [
                each for each in self.schedule.waiting(filled) if self.withdrawn & {*each.players}
            ]
            if not lost:
                return filled
            filled |= {each.key: walkover(each, self.withdrawn) for each in lost}


def annulled_by_withdrawal(
    schedule: Schedule, played: Played, team: PlayerId, rule: WithdrawalRule
) -> tuple[Pairing, ...]:
    """The games of a team that count for nobody once it withdraws.

    This concerns only unfinished phases in which everybody meets everybody: their result must not
    depend on who met the team before it left. Under the rule `half` its games count if it has
    played half of them; the rest is then lost.
    """
    found: list[Pairing] = []
    for phase in schedule.phases(played):
        if phase.standings is None or phase.standings.final:
            continue
        views = (each for day in phase.days for each in day.encounters)
        games = [game for each in views if team in each.players for game in each.games]
        done = sum(result is not None for _, result in games)
        if rule == "annulled" or (rule == "half" and 2 * done < len(games)):
            found += [pairing for pairing, _ in games]
    return tuple(found)
