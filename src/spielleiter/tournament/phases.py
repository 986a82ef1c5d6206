"""A contest as people look at it: its phases with table, match days, bracket and every game.

Formats know what is to be played; here it is laid out, whatever the format is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from spielleiter.tournament.knockout import ROUNDS, THIRD_PLACE, Knockout, Tie
from spielleiter.tournament.league import Cup, Gauntlet, League, Mode
from spielleiter.tournament.pairing import Encounter, Pairing, Played, PlayerId, Result
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.season import CHAMPIONS_LEAGUE, Season
from spielleiter.tournament.standings import Table, games_won
from spielleiter.tournament.swiss import Swiss


@dataclass(frozen=True, slots=True)
class Meeting:
    """Some players who meet for several games, and what came of it so far."""

    players: tuple[PlayerId | None, ...]
    """None: not known yet, or nobody."""
    games: tuple[tuple[Pairing, Result | None], ...] = ()
    won: tuple[int, ...] = ()
    """Games won by each player."""
    winner: PlayerId | None = None
    over: bool = False
    by_lot: bool = False
    bye: bool = False
    """Whether somebody goes on without a game."""


@dataclass(frozen=True, slots=True)
class Day:
    """What is played together: a match day, a round, all tables of a cup."""

    title: str
    meetings: tuple[Meeting, ...]
    rests: tuple[PlayerId, ...] = ()
    """Who has no game."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A part of a contest with a table of its own."""

    title: str
    table: Table | None
    """None: it is not known yet who takes part."""
    days: tuple[Day, ...] = ()
    bracket: tuple[Day, ...] = ()
    """The rounds of a knock-out down to the final, known or not; the third place comes last."""

    @property
    def results(self) -> list[Result]:
        """All that was played."""
        meetings = (each for day in (*self.days, *self.bracket) for each in day.meetings)
        return [result for each in meetings for _, result in each.games if result is not None]


def phases(schedule: Schedule, played: Played) -> list[Phase]:
    """The phases of any format, in the order they are played."""
    if isinstance(schedule, Season):
        return list(_season(schedule, played))
    return [_phase(schedule, played)]


def _season(season: Season, played: Played) -> Iterator[Phase]:
    yield from (_phase(league, played) for league in season.leagues())
    league, finals = season.champions_league(played), season.finals(played)
    yield Phase(CHAMPIONS_LEAGUE, None) if league is None else _phase(league, played)
    yield Phase(season.finals_title, None) if finals is None else _phase(finals, played)


def _phase(schedule: Schedule, played: Played) -> Phase:
    (table,) = schedule.tables(played)
    if isinstance(schedule, Knockout):
        return Phase(table.title, table, bracket=tuple(_bracket(schedule, played)))
    return Phase(table.title, table, tuple(_days(schedule, played)))


def _days(schedule: Schedule, played: Played) -> Iterator[Day]:
    if isinstance(schedule, League):
        for number, pairs in groupby(schedule.encounters(), key=lambda each: each[0]):
            met = _met([encounter for _, encounter in pairs], schedule.mode.games, played)
            yield Day(f"day {number}", met, _without(schedule.teams, met))
    elif isinstance(schedule, Swiss):
        for number, each in enumerate(schedule.paired(played), 1):
            rests = () if each.bye is None else (each.bye,)
            met = _met(each.encounters, schedule.mode.games, played)
            yield Day(f"round {number}", met, rests)
    elif isinstance(schedule, Gauntlet):
        yield Day("all encounters", _met(schedule.encounters(), schedule.mode.games, played))
    elif isinstance(schedule, Cup):
        yield Day("all tables", _met(schedule.encounters(), schedule.games, played))


def _without(teams: Sequence[PlayerId], met: Sequence[Meeting]) -> tuple[PlayerId, ...]:
    there = {player for each in met for player in each.players}
    return tuple(team for team in teams if team not in there)


def _met(encounters: Iterable[Encounter], games: int, played: Played) -> tuple[Meeting, ...]:
    return tuple(_meeting(encounter, games, played) for encounter in encounters)


def _meeting(encounter: Encounter, games: int, played: Played) -> Meeting:
    results = encounter.results(played, games)
    listed = tuple((encounter.game(number), results[number]) for number in range(games))
    won = games_won(encounter.players, [each for each in results if each is not None])
    over = None not in results
    best = [player for player in encounter.players if won[player] == max(won.values())]
    winner = best[0] if over and len(best) == 1 else None
    return Meeting(encounter.players, listed, tuple(won.values()), winner, over)


# ---------------------------------------------------------------------------------------- bracket


def _bracket(knockout: Knockout, played: Played) -> Iterator[Day]:
    """Every round down to the final; places that nobody has reached yet are empty."""
    ties = knockout.ties(played)
    size = 1
    while size < len(knockout.teams):
        size *= 2
    while size > 1:
        name = ROUNDS.get(size // 2, f"round of {size}")
        known = [_tie(tie, knockout.mode, played) for tie in ties if tie.name == name]
        empty = [Meeting((None, None))] * (size // 2 - len(known))
        yield Day(name, (*known, *empty))
        size //= 2
    third = [_tie(tie, knockout.mode, played) for tie in ties if tie.name == THIRD_PLACE]
    if knockout.third_place and len(knockout.teams) > 3:
        yield Day(THIRD_PLACE, tuple(third) or (Meeting((None, None)),))


def _tie(tie: Tie, mode: Mode, played: Played) -> Meeting:
    decision = tie.decision
    if tie.encounter is None:
        assert decision is not None, "who is alone goes on"
        return Meeting(tie.players, winner=decision.winner, over=True, bye=True)
    games = tuple(_games(tie.encounter, mode.games, played))
    won = games_won(tie.encounter.players, [each for _, each in games if each is not None])
    counts = tuple(won[player] if player is not None else 0 for player in tie.players)
    if decision is None:
        return Meeting(tie.players, games, counts)
    return Meeting(tie.players, games, counts, decision.winner, True, decision.by_lot)


def _games(
    encounter: Encounter, games: int, played: Played
) -> Iterator[tuple[Pairing, Result | None]]:
    """The games that are certain to be played, and those beyond that were."""
    number = 0
    while number < games or f"{encounter.key}/{number}" in played:
        yield encounter.game(number), played.get(f"{encounter.key}/{number}")
        number += 1
