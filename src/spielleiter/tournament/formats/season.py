"""The season of the contest: league in groups, Champions League, Final Eight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from spielleiter.errors import UsageError
from spielleiter.tournament.encounters import Mode, unplayed
from spielleiter.tournament.format import ContestFormat, Entrants, FormatSettings, LateEntries
from spielleiter.tournament.formats.knock_out import Knockout
from spielleiter.tournament.formats.league import League
from spielleiter.tournament.pairing import Pairing, Played, PlayerId
from spielleiter.tournament.phases import ContestPhase, messages
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings

CHAMPIONS_LEAGUE = "Champions League"
BEST = 8


@dataclass(frozen=True, slots=True)
class SeasonSchedule(Schedule):
    """Groups play a league; the best eight of each play the Champions League in the same mode.

    The best eight of that play the Final Eight, a knock-out in which the first of the table meets
    the last. (How the eight are drawn against each other is not in the documents.)
    """

    groups: tuple[tuple[str, tuple[PlayerId, ...]], ...]
    mode: Mode
    advance: int = BEST
    finalists: int = BEST
    late: Mapping[str, LateEntries] = field(default_factory=dict)
    """Group → who entered it late."""

    def __post_init__(self) -> None:
        if min((len(teams) for _, teams in self.groups), default=0) < 2:
            raise UsageError("every group needs at least two teams")
        if self.advance < 1 or self.finalists < 2:
            raise UsageError("at least one team must advance, and two must play the final")

    def waiting(self, played: Played) -> Iterator[Pairing]:
        """The games that can be played now."""
        yield from self._group_games(played)
        league = self.champions_league(played)
        if league is not None:
            yield from league.waiting(played)
        finals = self.finals(played)
        if finals is not None:
            yield from finals.waiting(played)

    def leagues(self) -> list[League]:
        """The groups."""
        return [
            League(messages("group", name=name), teams, self.mode, self.late.get(name, ()))
            for name, teams in self.groups
        ]

    def champions_league(self, played: Played) -> League | None:
        """The Champions League, once all groups have been played."""
        tables = [league.table(played) for league in self.leagues()]
        if not all(table.final for table in tables):
            return None
        best = [table.order[: self.advance] for table in tables]
        return League(CHAMPIONS_LEAGUE, tuple(team for each in best for team in each), self.mode)

    def finals(self, played: Played) -> Knockout | None:
        """The Final Eight, once the Champions League has been played."""
        league = self.champions_league(played)
        table = league.table(played) if league is not None else None
        if table is None or not table.final:
            return None
        return Knockout(self.finals_title, table.order[: self.finalists], self.mode)

    def champion(self, played: Played) -> PlayerId | None:
        """Who won the season."""
        finals = self.finals(played)
        return finals.champion(played) if finals is not None else None

    def standings(self, played: Played) -> list[Standings]:
        """The tables so far, in the order of the phases."""
        return [each for part in self._begun(played) for each in part.standings(played)]

    def phases(self, played: Played) -> list[ContestPhase]:
        """Everything that a page shows of the contest."""
        begun = [each for part in self._begun(played) for each in part.phases(played)]
        titles = (CHAMPIONS_LEAGUE, self.finals_title)
        later = titles[len(begun) - len(self.groups) :]
        found = [*begun, *(ContestPhase(title, None) for title in later)]
        stages = (max(0, at - len(self.groups) + 1) for at in range(len(found)))
        return [replace(each, stage=stage) for each, stage in zip(found, stages, strict=True)]

    def _begun(self, played: Played) -> list[Schedule]:
        """The parts whose teams are known."""
        parts = (*self.leagues(), self.champions_league(played), self.finals(played))
        return [each for each in parts if each is not None]

    @property
    def finals_title(self) -> str:
        """What the last phase is called."""
        return "Final Eight" if self.finalists == BEST else f"Final {self.finalists}"

    def _group_games(self, played: Played) -> Iterator[Pairing]:
        """The games of all groups, day by day."""
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


class SeasonSettings(FormatSettings):
    """`[format]` of a season."""

    advance: int = BEST
    finalists: int = BEST


def _schedule(entrants: Entrants, mode: Mode, settings: SeasonSettings) -> Schedule:
    """Group the teams; without named groups they are split into two."""
    groups: dict[str, list[PlayerId]] = {}
    late: defaultdict[str, LateEntries] = defaultdict(tuple)
    for at, team in enumerate(entrants.teams):
        if (team.group is None) != (entrants.teams[0].group is None):
            raise UsageError("either every team names its group, or none does")
        group = team.group or "AB"[at % 2]
        if team.name in entrants.joined:
            late[group] += ((team.name, entrants.joined[team.name]),)
        else:
            groups.setdefault(group, []).append(team.name)
    if unknown := sorted(late.keys() - groups.keys()):
        raise UsageError(f"nobody began in group {unknown[0]!r}: a late entry joins a group")
    named = tuple((name, tuple(teams)) for name, teams in sorted(groups.items()))
    return SeasonSchedule(named, mode, settings.advance, settings.finalists, late)


FORMAT = ContestFormat(
    title="season",
    settings=SeasonSettings,
    schedule=_schedule,
    template="""\
[format]
advance = 8             # of each group, to the Champions League
finalists = 8           # of those, to the Final Eight
""",
    least_games=6,  # "nach einer geraden Anzahl von Spielen (mindestens 6)"
    takes_late_entries=True,
)
