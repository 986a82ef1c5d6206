"""A contest laid out for people: phases, match days, bracket."""

from __future__ import annotations

import random

import pytest

from spielleiter.tournament.knockout import Knockout
from spielleiter.tournament.league import Cup, Gauntlet, League, Mode
from spielleiter.tournament.pairing import Pairing, Result
from spielleiter.tournament.phases import Phase, phases
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.season import Season
from spielleiter.tournament.swiss import Swiss

MODE = Mode(seed=3, games=2)
TEAMS = tuple("ABCDEFG")
FORMATS: list[Schedule] = [
    League("league", TEAMS, MODE),
    Gauntlet("gauntlet", TEAMS[:2], TEAMS[2:], MODE),
    Swiss("swiss", TEAMS, 3, MODE),
    Knockout("cup", TEAMS, MODE),
    Cup("tables", TEAMS[:4], 3, (2, 1, 0), MODE),
    Season((("A", TEAMS[:3]), ("B", TEAMS[3:])), MODE, advance=2, finalists=4),
]


def result(pairing: Pairing) -> Result:
    """The player whose name comes first wins."""
    order = sorted(pairing.players)
    ranks = tuple(order.index(player) + 1 for player in pairing.players)
    return Result(pairing, ranks, tuple(10 - rank for rank in ranks), (None,) * len(ranks))


def some_of(schedule: Schedule, games: int) -> dict[str, Result]:
    played: dict[str, Result] = {}
    for _ in range(games):
        pairing = schedule.next_pairing(played, ())
        if pairing is None:
            break
        played[pairing.key] = result(pairing)
    return played


def keys(found: list[Phase]) -> list[str]:
    meetings = [each for phase in found for day in (*phase.days, *phase.bracket)
                for each in day.meetings]  # fmt: skip
    return [pairing.key for each in meetings for pairing, done in each.games if done is not None]


@pytest.mark.parametrize("schedule", FORMATS, ids=lambda each: type(each).__name__)
def test_every_game_that_was_played_stands_somewhere_once(schedule: Schedule) -> None:
    dice = random.Random(1)
    for games in [*sorted(dice.sample(range(60), 8)), 1_000]:
        played = some_of(schedule, games)
        found = phases(schedule, played)
        assert sorted(keys(found)) == sorted(played)
        assert sum(len(phase.results) for phase in found) == len(played)


@pytest.mark.parametrize("schedule", FORMATS, ids=lambda each: type(each).__name__)
def test_phases_have_the_tables_of_the_contest_in_their_order(schedule: Schedule) -> None:
    for games in (0, 5, 30, 1_000):
        played = some_of(schedule, games)
        tables = [phase.table for phase in phases(schedule, played) if phase.table is not None]
        assert tables == schedule.tables(played)


def test_who_rests_on_a_match_day_is_named() -> None:
    (phase,) = phases(League("league", TEAMS, MODE), {})
    assert sorted(team for day in phase.days for team in day.rests) == list(TEAMS)
    assert [day.title for day in phase.days][:2] == ["day 1", "day 2"]


def test_a_bracket_is_whole_from_the_beginning() -> None:
    schedule = Knockout("cup", TEAMS, MODE)
    rounds = [(day.title, len(day.meetings)) for day in phases(schedule, {})[0].bracket]
    assert rounds == [("quarter-final", 4), ("semi-final", 2), ("final", 1), ("third place", 1)]
    assert phases(schedule, {})[0].bracket[0].meetings[0].bye
    (done,) = phases(schedule, some_of(schedule, 1_000))
    final, third = done.bracket[-2].meetings[0], done.bracket[-1].meetings[0]
    assert (final.winner, final.won, third.winner) == ("A", (2, 0), "C")


def test_a_season_announces_phases_that_have_not_begun() -> None:
    found = phases(FORMATS[-1], {})
    titles = [(phase.title, phase.table is not None) for phase in found]
    assert titles == [
        ("group A", True),
        ("group B", True),
        ("Champions League", False),
        ("Final 4", False),
    ]
