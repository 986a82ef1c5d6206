"""Schedules are functions of what was played: same results, same contest, in any order."""

from __future__ import annotations

import itertools
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.game import Bot, Clock, Game
from spielleiter.tournament.encounters import Mode
from spielleiter.tournament.formats.cup import Cup
from spielleiter.tournament.formats.gauntlet import Gauntlet
from spielleiter.tournament.formats.knock_out import Knockout, decided
from spielleiter.tournament.formats.league import League, match_days
from spielleiter.tournament.formats.season import SeasonSchedule
from spielleiter.tournament.formats.swiss import Swiss
from spielleiter.tournament.head_to_head import HeadToHead, tallies
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.match_report import report_lines
from spielleiter.tournament.pairing import Encounter, GameResult, Opening, Pairing
from spielleiter.tournament.record import check
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import (
    AVERAGE,
    GAMES_WON,
    LOT,
    SITE,
    WIN_POINTS,
    Ranking,
    document,
)
from spielleiter.tournament.time_control import TimeControl

MODE = Mode(seed=7, games=6)
Judge = Callable[[Pairing], GameResult]


def won(pairing: Pairing, winner: int | None, scores: tuple[int, ...] = ()) -> GameResult:
    """A regular game that a seat won, or a draw."""
    seats = len(pairing.players)
    ranks = tuple(1 if winner is None or seat == winner else 2 for seat in range(seats))
    return GameResult(pairing, ranks, scores or (0,) * seats, (None,) * seats)


def stronger_wins(pairing: Pairing) -> GameResult:
    """The player whose name comes first wins."""
    order = sorted(pairing.players)
    ranks = tuple(1 + order.index(player) for player in pairing.players)
    return GameResult(pairing, ranks, ranks[::-1], (None,) * len(ranks))


def by_chance(pairing: Pairing) -> GameResult:
    """Anything may happen, but always the same to the same game."""
    lot = random.Random(pairing.key)
    seats = len(pairing.players)
    scores = tuple(lot.randrange(4) for _ in range(seats))
    ranks = tuple(1 + sum(other > score for other in scores) for score in scores)
    return GameResult(pairing, ranks, scores, (None,) * seats)


def play(schedule: Schedule, judge: Judge, hands: int = 1, seed: int = 0) -> dict[str, GameResult]:
    """Play to the end with several games at a time that end in any order."""
    lot, played, running = random.Random(seed), dict[str, GameResult](), list[Pairing]()
    while True:
        while len(running) < hands and (new := schedule.next_pairing(played, running)) is not None:
            assert new.key not in played
            running.append(new)
        if not running:
            return played
        ended = running.pop(lot.randrange(len(running)))
        played[ended.key] = judge(ended)


def names(count: int) -> tuple[str, ...]:
    return tuple(f"team {number:02}" for number in range(1, count + 1))


FORMATS: dict[str, Schedule] = {
    "league": League("league", names(5), MODE),
    "gauntlet": Gauntlet("gauntlet", names(1), names(5)[1:], MODE),
    "swiss": Swiss("swiss", names(7), 4, MODE),
    "knock-out": Knockout("cup", names(6), MODE),
    "season": SeasonSchedule(
        (("A", names(9)[::2]), ("B", names(9)[1::2])), MODE, advance=3, finalists=4
    ),
    "tables of three": Cup(
        "cup", names(5), 3, (5, 2, 0), Mode(1, set_ups=((("map", "one"),), (("map", "two"),)))
    ),
    "match": HeadToHead(names(2), seed=3, games=40),
}


@pytest.mark.parametrize("schedule", FORMATS.values(), ids=FORMATS)
def test_a_contest_does_not_depend_on_how_many_games_run_at_once(schedule: Schedule) -> None:
    alone = play(schedule, by_chance)
    for hands in (2, 7):
        assert play(schedule, by_chance, hands, seed=hands) == alone
    assert schedule.finished(alone)
    assert all(table.final for table in schedule.standings(alone))


@pytest.mark.parametrize("schedule", FORMATS.values(), ids=FORMATS)
def test_a_contest_resumes_from_any_part_of_its_results(schedule: Schedule) -> None:
    whole = play(schedule, by_chance, 3)
    lot = random.Random(1)
    for _ in range(5):
        part = dict(list(whole.items())[: lot.randrange(len(whole))])
        while (pairing := schedule.next_pairing(part, ())) is not None:
            part[pairing.key] = by_chance(pairing)
        assert part == whole
        assert schedule.standings(part) == schedule.standings(whole)


@pytest.mark.parametrize("schedule", FORMATS.values(), ids=FORMATS)
def test_in_every_block_all_sit_on_every_seat_from_the_same_opening(schedule: Schedule) -> None:
    blocks: dict[tuple[str, int], list[Pairing]] = {}
    for key, result in play(schedule, by_chance).items():
        encounter, number = key.rsplit("/", 1)
        block = int(number) // len(result.pairing.players)
        blocks.setdefault((encounter, block), []).append(result.pairing)
    for block_ in blocks.values():
        seats = len(block_[0].players)
        assert len(block_) == seats
        assert len({game.opening for game in block_}) == 1
        for seat in range(seats):
            assert len({game.players[seat] for game in block_}) == seats
    assert len({each[0].opening.seed for each in blocks.values()}) == len(blocks)


@given(st.integers(2, 30))
def test_on_match_days_everybody_meets_everybody_once(count: int) -> None:
    days = match_days(names(count))
    met = Counter(frozenset(pair) for day in days for pair in day)
    assert met == Counter(map(frozenset, itertools.combinations(names(count), 2)))
    for day in days:
        assert len({player for pair in day for player in pair}) == 2 * (count // 2)


def test_the_first_move_alternates_and_an_encounter_has_six_games() -> None:
    games = list(League("league", names(2), MODE).waiting({}))
    assert len(games) == 6
    assert [game.players[0] for game in games[::2]] == [games[0].players[0]] * 3
    assert [game.players[0] for game in games[1::2]] == [games[0].players[1]] * 3


def decided_by(results: Callable[[Pairing], GameResult]) -> list[str]:
    league = League("league", names(3), MODE)
    return [row.decided for row in league.standings(play(league, results))[0].rows]


def test_a_table_says_which_criterion_decided() -> None:
    assert decided_by(stronger_wins) == ["", "", ""]
    assert decided_by(lambda pairing: won(pairing, None)) == ["", LOT, LOT]
    better = {"team 01": 3, "team 02": 9, "team 03": 5}
    drawn = League("league", names(3), MODE)
    table = drawn.standings(
        play(drawn, lambda each: won(each, None, tuple(better[name] for name in each.players)))
    )[0]
    assert table.order == ("team 02", "team 03", "team 01")
    assert [row.decided for row in table.rows] == ["", "average score", "average score"]
    assert table.rows[0].values == (2, 12, Fraction(9))


def test_encounter_points_come_before_win_points() -> None:
    """Three teams beat each other in a ring, one of them more clearly: win points decide."""
    margin = {("team 01", "team 02"): 6, ("team 02", "team 03"): 4, ("team 03", "team 01"): 4}

    def judge(pairing: Pairing) -> GameResult:
        number = int(pairing.key.rsplit("/", 1)[1])
        for (winner, loser), wins in margin.items():
            if set(pairing.players) == {winner, loser}:
                return won(pairing, pairing.players.index(winner if number < wins else loser))
        raise AssertionError(pairing)

    league = League("league", names(3), MODE)
    table = league.standings(play(league, judge))[0]
    assert [row.values[:2] for row in table.rows] == [(2, 16), (2, 12), (2, 8)]
    assert [row.decided for row in table.rows] == ["", "win points", "win points"]


def test_by_the_document_a_higher_average_decides_between_equal_wins() -> None:
    """Two have won as many games; the site puts the one with more drawn encounters first."""
    league = League("league", names(3), Mode(7, 2, ranking=document((GAMES_WON, AVERAGE))))
    winners = {("team 01", "team 02"): (0, 1), ("team 01", "team 03"): (0, None)}
    winners |= {("team 02", "team 03"): (0, None)}
    points = {"team 01": 5, "team 02": 60, "team 03": 9}

    def judge(pairing: Pairing) -> GameResult:
        pair = tuple(sorted(pairing.players))
        winner = winners[pair[0], pair[1]][int(pairing.key.rsplit("/", 1)[1])]
        seat = None if winner is None else pairing.players.index(pair[winner])
        return won(pairing, seat, tuple(points[name] for name in pairing.players))

    played = play(league, judge)
    table = league.table(played)
    assert [row.player for row in table.rows] == ["team 02", "team 01", "team 03"]
    assert [row.values for row in table.rows] == [(2, 60), (2, 5), (0, 9)]
    assert [row.decided for row in table.rows] == ["", AVERAGE, ""]
    assert (
        table.rule == "ranked by games won, then average score, then lot (as the document has it)"
    )


def test_by_the_site_encounters_come_before_games_won() -> None:
    """Team 01 wins both its encounters narrowly; team 02 wins one, but more games."""
    wins = {("team 01", "team 02"): "111122", ("team 01", "team 03"): "=11122"}
    wins |= {("team 02", "team 03"): "111111"}

    def judge(pairing: Pairing) -> GameResult:
        first, second = sorted(pairing.players)
        winner = wins[first, second][int(pairing.key.rsplit("/", 1)[1])]
        name = {"1": first, "2": second}.get(winner)
        return won(pairing, None if name is None else pairing.players.index(name))

    for ranking, best in ((SITE, "team 01"), (document((GAMES_WON, AVERAGE)), "team 02")):
        league = League("league", names(3), replace(MODE, ranking=ranking))
        assert league.table(play(league, judge)).order[0] == best


@pytest.mark.parametrize(
    ("ranking", "worth"),
    [(SITE, 2), (document((GAMES_WON, AVERAGE)), 6), (document((WIN_POINTS, AVERAGE)), 12)],
)
def test_a_bye_counts_as_an_encounter_that_was_won(ranking: Ranking, worth: int) -> None:
    swiss = Swiss("swiss", names(3), 1, replace(MODE, ranking=ranking))
    bye = swiss.paired({})[0].bye
    values = {row.player: row.values[0] for row in swiss.standings({})[0].rows}
    assert values == {name: worth if name == bye else 0 for name in names(3)}


def test_an_unofficial_knock_out_may_have_an_odd_number_of_games() -> None:
    final = Knockout("final", names(2), Mode(1, games=1))
    played = play(final, stronger_wins)
    assert len(played) == 1
    drawn = play(
        final, lambda each: won(each, None) if each.key.endswith("/0") else by_chance(each)
    )
    assert len(drawn) % 2 == 1
    assert final.champion(drawn) is not None


def test_the_lot_is_drawn_from_the_seed_and_recorded_and_not_before_the_end() -> None:
    def table(seed: int, part: int = 36) -> object:
        league = League("league", names(4), Mode(seed))
        played = play(league, lambda pairing: won(pairing, None))
        return league.standings(dict(list(played.items())[:part]))[0]

    final = League("league", names(4), MODE)
    played = play(final, lambda pairing: won(pairing, None))
    assert final.standings(played)[0].lots[0].players == final.standings(played)[0].order
    assert table(1) == table(1)
    assert len({str(table(seed)) for seed in range(20)}) > 5
    early = final.standings({})[0]
    assert not early.final
    assert not early.lots
    assert [row.rank for row in early.rows] == [1, 1, 1, 1]


def absent(*gone: str) -> Judge:
    """Some have no player: they lose, and if both have none nobody wins."""

    def judge(pairing: Pairing) -> GameResult:
        faults = tuple("left" if player in gone else None for player in pairing.players)
        ranks = tuple(1 if fault is None or all(faults) else 2 for fault in faults)
        return GameResult(pairing, ranks, (5, 5), faults) if any(faults) else by_chance(pairing)

    return judge


def test_a_team_without_a_player_loses_its_games() -> None:
    league = League("league", names(4), MODE)
    table = league.standings(play(league, absent("team 01", "team 02")))[0]
    nothing = {row.player: row.values for row in table.rows}
    assert nothing["team 01"] == nothing["team 02"] == (0, 0, 0)
    assert set(table.order[2:]) == {"team 01", "team 02"}


def test_a_knock_out_encounter_goes_on_in_even_numbers_until_one_side_has_won_more() -> None:
    encounter = Encounter("tie", ("a", "b"), 1)

    def after(winners: str) -> str | None:
        played = {}
        for number, winner in enumerate(winners):
            pairing = encounter.game(number)
            seat = pairing.players.index(winner) if winner != "=" else None
            played[pairing.key] = won(pairing, seat)
        decision = decided(encounter, 6, played)
        return None if decision is None else decision.winner

    assert after("aaaaa") is None
    assert after("aaaaaa") == "a"
    assert after("ab=ab=") is None
    assert after("ab=ab=b") is None
    assert after("ab=ab=b=") == "b"
    assert after("ab=ab=babb") == "b"
    assert after("======" * 2) is None


def test_the_favourites_meet_last_and_semi_finalists_play_for_the_third_place() -> None:
    final = Knockout("final eight", names(8), MODE)
    played = play(final, stronger_wins)
    assert final.standings(played)[0].order[:4] == names(4)
    assert final.champion(played) == "team 01"
    met = [tie.players for tie in final.ties(played)]
    assert met[:4] == [
        ("team 01", "team 08"),
        ("team 04", "team 05"),
        ("team 02", "team 07"),
        ("team 03", "team 06"),
    ]
    assert [tie.name for tie in final.ties(played)][4:] == [
        "semi-final",
        "semi-final",
        "third place",
        "final",
    ]
    assert [row.rank for row in final.standings(played)[0].rows] == [1, 2, 3, 4, 5, 5, 5, 5]


def test_if_nobody_is_there_the_lot_decides_a_knock_out_encounter() -> None:
    final = Knockout("final", names(2), MODE)
    played = play(final, absent(*names(2)))
    assert len(played) == 6
    assert "(lot)" in final.standings(played)[0].rows[0].decided


@pytest.mark.parametrize("schedule", FORMATS.values(), ids=FORMATS)
def test_results_that_come_in_meanwhile_do_not_make_a_schedule_ask_for_more(
    schedule: Schedule,
) -> None:
    """What is asked for is read game by game, and other games end in between."""
    played: dict[str, GameResult] = {}
    while True:
        at_first = list(schedule.waiting(played))
        if not at_first:
            return
        reading = schedule.waiting(played)
        next(reading)
        for pairing in at_first:
            played[pairing.key] = by_chance(pairing)
        asked = {each.key for each in reading} - played.keys()
        assert asked <= {each.key for each in schedule.waiting(played)}


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 14), st.data())
def test_in_a_swiss_system_nobody_meets_twice_and_byes_go_round(
    count: int, data: st.DataObject
) -> None:
    rounds = data.draw(st.integers(1, max(1, count // 2)))
    swiss = Swiss("swiss", names(count), rounds, Mode(data.draw(st.integers(0, 99)), games=2))
    played = play(swiss, by_chance, 3)
    met = Counter(frozenset(result.pairing.players) for result in played.values())
    assert set(met.values()) == {2}
    assert len(met) == rounds * (count // 2)
    games = Counter(name for result in played.values() for name in result.pairing.players)
    assert max(games.values()) - min(games[name] for name in names(count)) <= 2


def test_too_many_rounds_are_refused() -> None:
    with pytest.raises(UsageError, match="1 to 3 rounds"):
        Swiss("swiss", names(4), 4, MODE)


def test_the_best_of_the_groups_reach_the_champions_league_and_the_best_of_that_the_final() -> None:
    teams = names(20)
    season = SeasonSchedule((("A", teams[::2]), ("B", teams[1::2])), MODE)
    played: dict[str, GameResult] = {}
    while not season.finished(played):
        played |= {each.key: stronger_wins(each) for each in season.waiting(played)}
    stages = [table.title for table in season.standings(played)]
    assert stages == ["group A", "group B", "Champions League", "Final Eight"]
    assert set(season.standings(played)[2].order) == {*teams[::2][:8], *teams[1::2][:8]}
    assert season.standings(played)[3].order[:4] == names(4)
    assert season.champion(played) == "team 01"
    assert season.champion({}) is None


def test_a_cup_gives_rank_points_and_equals_share_them() -> None:
    cup = Cup("cup", names(3), 3, (5, 2, 0), Mode(1))
    played = play(cup, lambda pairing: won(pairing, 0))
    assert {row.values[0] for row in cup.standings(played)[0].rows} == {5 + 1 + 1}
    pairing = Pairing("x", names(3), Opening(0))
    assert won(pairing, 0).ranks == (1, 2, 2)
    with pytest.raises(UsageError, match="3 ranks"):
        Cup("cup", names(3), 3, (1, 0), Mode(1))


def test_a_match_counts_complete_blocks_only() -> None:
    match = HeadToHead(("a", "b"), seed=1, games=10)
    played = play(match, by_chance)
    del played["match/5"]
    assert len(match.counted(played)) == 4
    assert match.next_pairing(played, ()) == match.encounter.game(5)
    tally = tallies(match.players, match.counted(played))
    assert tally["a"].wins == tally["b"].losses
    assert sum(match.histogram(played)) == 2


@pytest.mark.parametrize(("games", "told"), [(2, "1 block: "), (4, "2 blocks: ")])
def test_a_report_counts_blocks_in_words(games: int, told: str) -> None:
    match = HeadToHead(("a", "b"), seed=1, games=games)
    assert any(told in line for line in report_lines(match, play(match, by_chance)))


def test_a_report_explains_its_columns() -> None:
    match = HeadToHead(("a", "b"), seed=1, games=2)
    lines = list(report_lines(match, play(match, by_chance)))
    for name in ("score", "Elo", "LOS", "blocks"):
        assert any(re.search(rf"\b{name}: ", line) for line in lines[-3:]), name


# ----------------------------------------------------------------------------- at larger tables


class Fails(Bot):
    """Plays some moves, then raises."""

    def __init__(self, moves: int) -> None:
        self._left = moves

    def choose(self, position: Any, clock: Clock) -> Any:
        self._left -= 1
        if self._left < 0:
            raise ValueError("no idea")
        return position.legal_moves()[0]


def tables_of_three() -> list[tuple[str, dict[str, str]]]:
    """Editions and set-ups with three seats, where the first two can move at once."""
    found = []
    for name in games.names():
        game = games.load(name)
        for option in game.options if len(game.seat_names) > 2 else ():
            names = [each for each in option.choices() if _is_long(game, {option.name: each})]
            found += [(name, {option.name: each}) for each in names[:1]]
    return found


def _is_long(game: Game, set_up: dict[str, str]) -> bool:
    position = game.start(1, **set_up)
    return bool(position.seats == 3 and position.playouts(5, 1).plies > 100)


@pytest.mark.parametrize("absent", [None, "B"])
def test_whoever_fails_in_any_order_the_game_is_the_same_when_played_again(
    absent: str | None,
) -> None:
    for edition, set_up in tables_of_three():
        game = games.load(edition)

        def start(opening: Opening, game: Game = game, set_up: dict[str, str] = set_up) -> Any:
            return game.start(opening.seed, **set_up)

        makers: dict[str, Callable[[int], Bot] | None] = {
            "A": lambda _: Fails(1),
            "B": lambda _: Fails(1_000),
            "C": lambda _: Fails(0),
        }
        if absent is not None:
            makers[absent] = None
        table = InProcessExecutor(start, makers, TimeControl(nodes=1), time.monotonic)
        record = table.play(Pairing("x", ("A", "B", "C"), Opening(1)))
        faults = record.result().faults
        assert faults == ("crashed", None, "crashed") if absent is None else faults[2]
        assert check(record, start) is None
        outcome = record.events.outcome
        wrong = replace(outcome, ranks=tuple(4 - rank for rank in outcome.ranks))
        assert check(replace(record, events=replace(record.events, outcome=wrong)), start)
