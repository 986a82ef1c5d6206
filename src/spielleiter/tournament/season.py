"""The season of the contest: league in groups, Champions League, Final Eight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from spielleiter.errors import UsageError
from spielleiter.tournament.knockout import Knockout
from spielleiter.tournament.league import League, Mode, unplayed
from spielleiter.tournament.pairing import Pairing, Played, PlayerId
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Table

CHAMPIONS_LEAGUE = "Champions League"
BEST = 8


@dataclass(frozen=True, slots=True)
class Season(Schedule):
    """Groups play a league; the best eight of each play the Champions League in the same mode.

    The best eight of that play the Final Eight, a knock-out in which the first of the table meets
    the last. (How the eight are drawn against each other is not in the documents.)
    """

    groups: tuple[tuple[str, tuple[PlayerId, ...]], ...]
    mode: Mode
    advance: int = BEST
    finalists: int = BEST

    def __post_init__(self) -> None:
        if min((len(teams) for _, teams in self.groups), default=0) < 2:
            raise UsageError("every group needs at least two teams")
        if self.advance < 1 or self.finalists < 2:
            raise UsageError("somebody has to advance, and two play the final")

    def waiting(self, played: Played) -> Iterator[Pairing]:
        yield from self._group_games(played)
        league = self.champions_league(played)
        if league is not None:
            yield from league.waiting(played)
        finals = self.finals(played)
        if finals is not None:
            yield from finals.waiting(played)

    def leagues(self) -> list[League]:
        """The groups."""
        return [League(f"group {name}", teams, self.mode) for name, teams in self.groups]

    def champions_league(self, played: Played) -> League | None:
        """The Champions League, once all groups have been played."""
        tables = [league.tables(played)[0] for league in self.leagues()]
        if not all(table.final for table in tables):
            return None
        best = [table.order[: self.advance] for table in tables]
        return League(CHAMPIONS_LEAGUE, tuple(team for each in best for team in each), self.mode)

    def finals(self, played: Played) -> Knockout | None:
        """The Final Eight, once the Champions League has been played."""
        league = self.champions_league(played)
        table = league.tables(played)[0] if league is not None else None
        if table is None or not table.final:
            return None
        return Knockout(self.finals_title, table.order[: self.finalists], self.mode)

    def champion(self, played: Played) -> PlayerId | None:
        """Who won the season."""
        finals = self.finals(played)
        return finals.champion(played) if finals is not None else None

    def tables(self, played: Played) -> list[Table]:
        tables = [league.tables(played)[0] for league in self.leagues()]
        league, finals = self.champions_league(played), self.finals(played)
        later = [each for each in (league, finals) if each is not None]
        return tables + [table for each in later for table in each.tables(played)]

    @property
    def finals_title(self) -> str:
        """What the last phase is called."""
        return "Final Eight" if self.finalists == BEST else f"Final {self.finalists}"

    def _group_games(self, played: Played) -> Iterator[Pairing]:
        """Day by day, so that the groups keep step."""
        days = sorted(
            (
                (day, at, encounter)
                for at, league in enumerate(self.leagues())
                for day, encounter in league.encounters()
            ),
            key=lambda each: each[:2],
        )
        for _, _, encounter in days:
            yield from unplayed(encounter, self.mode.games, played)
