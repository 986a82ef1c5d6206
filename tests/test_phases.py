"""A contest laid out for people: phases, match days, bracket."""

from __future__ import annotations

import random

import pytest

from spielleiter.tournament.encounters import Mode
from spielleiter.tournament.formats.cup import Cup
from spielleiter.tournament.formats.gauntlet import Gauntlet
from spielleiter.tournament.formats.knock_out import Knockout
from spielleiter.tournament.formats.league import League
from spielleiter.tournament.formats.season import SeasonSchedule
from spielleiter.tournament.formats.swiss import Swiss
from spielleiter.tournament.pairing import GameResult, Pairing
from spielleiter.tournament.phases import ContestPhase
from spielleiter.tournament.schedule import Schedule

MODE = Mode(seed=3, games=2)
TEAMS = tuple("ABCDEFG")
FORMATS: list[Schedule] = [
    League("league", TEAMS, MODE),
    Gauntlet("gauntlet", TEAMS[:2], TEAMS[2:], MODE),
    Swiss("swiss", TEAMS, 3, MODE),
    Knockout("cup", TEAMS, MODE),
    Cup("tables", TEAMS[:4], 3, (2, 1, 0), MODE),
    SeasonSchedule((("A", TEAMS[:3]), ("B", TEAMS[3:])), MODE, advance=2, finalists=4),
]


def result(pairing: Pairing) -> GameResult:
    """The player whose name comes first wins."""
    order = sorted(pairing.players)
    ranks = tuple(order.index(player) + 1 for player in pairing.players)
    return GameResult(pairing, ranks, tuple(10 - rank for rank in ranks), (None,) * len(ranks))


def some_of(schedule: Schedule, games: int) -> dict[str, GameResult]:
    played: dict[str, GameResult] = {}
    for _ in range(games):
        pairing = schedule.next_pairing(played, ())
        if pairing is None:
            break
        played[pairing.key] = result(pairing)
    return played


def keys(found: list[ContestPhase]) -> list[str]:
    meetings = [each for phase in found for day in (*phase.days, *phase.bracket)
                for each in day.encounters]  # fmt: skip
    return [pairing.key for each in meetings for pairing, done in each.games if done is not None]


@pytest.mark.parametrize("schedule", FORMATS, ids=lambda each: type(each).__name__)
def test_every_game_that_was_played_stands_somewhere_once(schedule: Schedule) -> None:
    dice = random.Random(1)
    for games in [*sorted(dice.sample(range(60), 8)), 1_000]:
        played = some_of(schedule, games)
        found = schedule.phases(played)
        assert sorted(keys(found)) == sorted(played)
        assert sum(len(phase.results) for phase in found) == len(played)


@pytest.mark.parametrize("schedule", FORMATS, ids=lambda each: type(each).__name__)
def test_phases_have_the_tables_of_the_contest_in_their_order(schedule: Schedule) -> None:
    for games in (0, 5, 30, 1_000):
        played = some_of(schedule, games)
        tables = [
            phase.standings for phase in schedule.phases(played) if phase.standings is not None
        ]
        assert tables == schedule.standings(played)


def test_who_rests_on_a_match_day_is_named() -> None:
    (phase,) = League("league", TEAMS, MODE).phases({})
    assert sorted(team for day in phase.days for team in day.rests) == list(TEAMS)
    assert [day.title for day in phase.days][:2] == ["day 1", "day 2"]


def test_a_bracket_is_whole_from_the_beginning() -> None:
    schedule = Knockout("cup", TEAMS, MODE)
    rounds = [(day.title, len(day.encounters)) for day in schedule.phases({})[0].bracket]
    assert rounds == [("quarter-final", 4), ("semi-final", 2), ("final", 1), ("third place", 1)]
    assert schedule.phases({})[0].bracket[0].encounters[0].bye
    (done,) = schedule.phases(some_of(schedule, 1_000))
    final, third = done.bracket[-2].encounters[0], done.bracket[-1].encounters[0]
    assert (final.winner, final.won, third.winner) == ("A", (2, 0), "C")


def test_a_season_announces_phases_that_have_not_begun() -> None:
    found = FORMATS[-1].phases({})
    titles = [(phase.title, phase.standings is not None) for phase in found]
    assert titles == [
        ("group A", True),
        ("group B", True),
        ("Champions League", False),
        ("Final 4", False),
    ]
