"""What jury and organisers decide: it is recorded with its reason, and tables follow it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.errors import UnknownName, UsageError
from spielleiter.tournament.definition import Definition, read
from spielleiter.tournament.formats.league import match_days, with_late_entries
from spielleiter.tournament.jury import DRAW, Jury
from spielleiter.tournament.match_days import UpToDay, contest_days, games_in
from spielleiter.tournament.pairing import GameResult, Pairing, drawn
from spielleiter.tournament.rulings import ContestState, Ruling, read_ruling, ruling_text
from tests.contests import QUICK, said
from tests.independent_table import table

TEAMS = ("A", "B", "C", "D", "E", "F")


def defined(form: str = "league", more: str = "", teams: tuple[str, ...] = TEAMS) -> Definition:
    named = "".join(f'[[team]]\nname = "{team}"\nplayer = "random"\n' for team in teams)
    text = f"""
    [contest]
    name = "L"
    game = "{QUICK}"
    format = "{form}"
    games = 2
    unofficial = true
    {"" if form == "knock-out" else 'ranking = "site"'}
    [limits]
    nodes = 1
    {more}
    """
    return read(text + named, games.load)


def by_lot(pairing: Pairing) -> GameResult:
    """A result that depends on the key of the game alone; the first in the alphabet is stronger."""
    best = min(pairing.players) if drawn(pairing.key) % 4 else max(pairing.players)
    ranks = tuple(1 if each == best else 2 for each in pairing.players)
    return GameResult(pairing, ranks, (5, 3), (None, None))


def play_on(definition: Definition, state: ContestState, upto: int = 100) -> ContestState:
    while waiting := list(UpToDay(definition.schedule(state), upto).waiting(state.results)):
        for each in waiting:
            state.add_game(by_lot(each))
    return state


def points(definition: Definition, state: ContestState) -> dict[str, int]:
    (table,) = definition.schedule(state).standings(state.results)
    at = table.criteria.index("win points")
    return {row.player: int(row.values[at]) for row in table.rows}


def test_an_annulled_match_day_counts_for_nobody_and_is_not_played() -> None:
    definition, state = defined(), ContestState()
    play_on(definition, state)
    before = points(definition, state)
    state.add_ruling(Jury(definition, state).annul("L/day 2", "power cut"))
    day = contest_days(definition.schedule(state), state.results)[1]
    assert all(result is not None and not result.counts for _, result in day.games)
    after = points(definition, state)
    assert sum(before.values()) - sum(after.values()) == 3 * 2 * 2
    assert definition.schedule(state).finished(state.results)


def test_a_set_that_is_replayed_waits_until_it_was_played_again() -> None:
    definition, state = defined(), play_on(defined(), ContestState())
    before = points(definition, state)
    (scope,) = {key.rpartition("/")[0] for key in state.results if "A – F" in key}
    state.add_ruling(Jury(definition, state).replay(scope, "the cable was out"))
    waiting = list(definition.schedule(state).waiting(state.results))
    assert {each.key.rpartition("/")[0] for each in waiting} == {scope}
    play_on(definition, state)
    assert points(definition, state) == before
    assert {state.times_played[each.key] for each in waiting} == {2}


def test_the_jury_decides_a_set_and_may_correct_itself() -> None:
    definition, state = defined(), play_on(defined(), ContestState())
    jury = Jury(definition, state)
    scope = next(key for key in state.results if "A – F" in key).rpartition("/")[0]
    before = points(definition, state)["F"]
    state.add_ruling(jury.decide(scope, "F", "A used a book of F"))
    assert points(definition, state)["F"] >= before
    state.add_ruling(jury.decide(scope, DRAW, "both did"))
    drawn_games = [state.results[f"{scope}/{number}"] for number in range(2)]
    assert [each.win_points(seat) for each in drawn_games for seat in range(2)] == [1] * 4
    assert [ruling.winner for ruling in state.rulings] == ["F", None]


def test_who_does_not_play_in_a_set_cannot_win_it() -> None:
    definition, state = defined(), play_on(defined(), ContestState())
    with pytest.raises(UsageError, match="'C' does not play in"):
        Jury(definition, state).decide("L/day 1/A – F", "C", "a mistake")


def test_a_ruling_needs_a_reason_and_games() -> None:
    jury = Jury(defined(), ContestState())
    with pytest.raises(UsageError, match="needs a reason"):
        jury.annul("day 1", "  ")
    with pytest.raises(UsageError, match="no game belongs to 'day 9'"):
        jury.annul("day 9", "none")
    with pytest.raises(UnknownName):
        jury.withdraw("Z", "who?")


def test_a_game_that_ends_after_it_was_annulled_stays_annulled() -> None:
    definition, state = defined(), ContestState()
    game = next(definition.schedule().waiting({}))
    state.add_ruling(Jury(definition, state).annul(game.key, "power cut"))
    state.add_game(by_lot(game))
    assert state.results[game.key].ruled == "annulled"


@pytest.mark.parametrize(
    ("rule", "day", "annulled"),
    [
        ("half", 2, True),
        ("half", 3, False),
        ("lost", 1, False),
        ("annulled", 4, True),
    ],
)
def test_the_rule_says_what_becomes_of_the_games_of_who_withdraws(
    rule: str, day: int, annulled: bool
) -> None:
    definition = defined(more=f'[entries]\nwithdrawn = "{rule}"')
    state = play_on(definition, ContestState(), day)
    before = points(definition, state)
    state.add_ruling(Jury(definition, state).withdraw("A", "no time"))
    assert bool(state.rulings[0].games) == annulled
    play_on(definition, state)
    after = points(definition, state)
    assert after["A"] == (0 if annulled else before["A"])
    games = [each for each in state.results.values() if "A" in each.pairing.players]
    assert len([each for each in games if each.ruled is None]) == (0 if annulled else 2 * day)
    assert definition.schedule(state).standings(state.results)[0].final


def test_who_withdraws_from_a_knock_out_lets_the_opponent_advance() -> None:
    definition = defined("knock-out", teams=TEAMS[:4])
    state = ContestState()
    state.add_ruling(Jury(definition, state).withdraw("A", "no time"))
    play_on(definition, state)
    (table,) = definition.schedule(state).standings(state.results)
    assert table.final
    assert table.order[0] != "A"
    assert next(row.rank for row in table.rows if row.player == "A") == 4


def test_a_late_entry_meets_everybody_and_nothing_changes_for_the_others() -> None:
    for teams, first in ((TEAMS, 2), (TEAMS[:5], 3), (TEAMS[:2], 1)):
        days = with_late_entries(teams, (("X", first), ("Y", first + 1)))
        pairs = [frozenset(pair) for day in days for pair in day]
        everybody = (*teams, "X", "Y")
        assert len(pairs) == len(set(pairs)) == len(everybody) * (len(everybody) - 1) // 2
        for at, plain in enumerate(match_days(teams)):
            assert days[at][: len(plain)] == plain
        assert not any("X" in pair for day in days[: first - 1] for pair in day)


def test_a_late_entry_meets_first_who_would_rest() -> None:
    days = with_late_entries(TEAMS[:5], (("X", 1),))
    assert all(len({each for pair in day for each in pair}) == 6 for day in days)


def test_teams_join_until_the_day_that_the_definition_says() -> None:
    late = (*TEAMS, "X")
    definition = defined(more="[entries]\nlate_until = 2", teams=late)
    without = replace(definition, teams=definition.teams[:-1])
    state = play_on(without, ContestState(), 1)
    ruling = Jury(definition, state).enter("X", "registered late")
    assert ruling.day == 2
    state.add_ruling(ruling)
    with pytest.raises(UsageError, match="takes part already"):
        Jury(definition, state).enter("X", "again")
    play_on(definition, state)
    assert len(state.results) == 2 * 21
    played = play_on(without, ContestState(), 2)
    with pytest.raises(UsageError, match="until match day 2; match day 3 would be the first"):
        Jury(definition, played).enter("X", "too late")


def test_a_late_entry_is_paired_from_its_round_on_in_a_swiss_system() -> None:
    more = "[format]\nrounds = 4\n[entries]\nlate_until = 3"
    definition = defined("swiss", more, (*TEAMS, "X"))
    state = play_on(replace(definition, teams=definition.teams[:-1]), ContestState(), 1)
    state.add_ruling(Jury(definition, state).enter("X", "registered late"))
    play_on(definition, state)
    rounds = contest_days(definition.schedule(state), state.results)
    there = [{each for view in day.encounters for each in view.players} for day in rounds]
    assert "X" not in there[0]
    assert sum("X" in each for each in there[1:]) >= 2  # seven teams: one may rest
    assert definition.schedule(state).standings(state.results)[0].final


def test_a_knock_out_takes_no_late_entries() -> None:
    definition = defined("knock-out", "[entries]\nlate_until = 2", (*TEAMS, "X"))
    with pytest.raises(UsageError, match="a knock-out takes no late entries"):
        Jury(definition, ContestState()).enter("X", "late")


def test_match_days_of_groups_are_played_side_by_side() -> None:
    definition = defined("season", "[format]\nadvance = 2\nfinalists = 4", TEAMS)
    state = play_on(definition, ContestState(), 1)
    assert {key.split("/")[0] for key in state.results} == {"group A", "group B"}
    assert {key.split("/")[1] for key in state.results} == {"day 1"}
    days = contest_days(definition.schedule(state), play_on(definition, state).results)
    assert [day.number for day in days] == list(range(1, len(days) + 1))
    titles = [day.phases for day in days]
    assert titles[0] == ("group A", "group B")
    assert titles[-1] == ("Final 4",)


def test_a_scope_is_a_match_day_a_set_or_a_game() -> None:
    schedule = defined().schedule()
    day = games_in(schedule, {}, "day 1")
    assert day == games_in(schedule, {}, "L/day 1")
    one = games_in(schedule, {}, day[0].key.rpartition("/")[0])
    assert one == day[:2]
    assert games_in(schedule, {}, day[0].key) == day[:1]


def test_a_ruling_is_read_as_it_was_written() -> None:
    definition, state = defined(), ContestState()
    jury = Jury(definition, state, by="jury", now=lambda: 12.5)
    for ruling in (jury.annul("day 1", "ä – ö"), jury.decide("day 1", DRAW, "rain")):
        assert read_ruling(ruling_text(ruling)) == ruling
    assert read_ruling(ruling_text(Ruling("enter", "r", team="A", day=2))).day == 2


# ------------------------------------------------------------------------- from the command line

FILE = f"""
[contest]
name = "L"
game = "{QUICK}"
format = "league"
games = 2
[limits]
nodes = 1
[entries]
late_until = 9
withdrawn = "lost"
"""


def write(folder: Path, *teams: str) -> None:
    named = "".join(f'[[team]]\nname = "{team}"\nplayer = "random"\n' for team in teams)
    (folder / "l.toml").write_text(FILE + named)


def ours(folder: Path) -> list[str]:
    (found,) = json.loads(said(folder, "contest", "table", "l.toml", "--json"))
    return [row["team"] for row in found["rows"]]


def test_a_contest_with_rulings_is_run_reported_and_verified_from_the_desk(tmp_path: Path) -> None:
    write(tmp_path, *"ABCD")
    said(tmp_path, "contest", "run", "l.toml", "--concurrency", "1")
    first = said(tmp_path, "contest", "verify", "l.toml")
    seal = first.split("Seal: ")[1].strip()
    for words in (
        ("annul", "l.toml", "day 1", "--reason", "power cut"),
        ("replay", "l.toml", "L/day 2", "--reason", "cable"),
        ("decide", "l.toml", "L/day 3/A – B", "--winner", "A", "--reason", "protest of A"),
        ("withdraw", "l.toml", "C", "--reason", "no time"),
    ):
        said(tmp_path, "contest", *words)
    assert "2 to play" in said(tmp_path, "contest", "status", "l.toml")  # C's are lost
    write(tmp_path, *"ABCDE")
    assert "teams changed" in said(tmp_path, "contest", "status", "l.toml", status=2)
    said(tmp_path, "contest", "enter", "l.toml", "E", "--reason", "late")
    said(tmp_path, "contest", "run", "l.toml", "--concurrency", "1")
    assert "games verified" in said(tmp_path, "contest", "verify", "l.toml", "--seal", seal)
    assert ours(tmp_path) == [team for team, _ in table(str(tmp_path / "l.db"))]
    said(tmp_path, "report", "l.toml")
    page = (tmp_path / "l.html").read_text("utf-8")
    assert "power cut" in page
    assert "C withdrew, later games are lost" in page
    listed = said(tmp_path, "contest", "rulings", "l.toml").splitlines()
    assert [line.rpartition(" – ")[2] for line in listed] == [
        "power cut",
        "cable",
        "protest of A",
        "no time",
        "late",
    ]
    with closing(sqlite3.connect(tmp_path / "l.db")) as raw, raw:
        raw.execute("update event set data = replace(data, 'power cut', 'a whim')")
    assert "is not what was written" in said(tmp_path, "contest", "verify", "l.toml", status=2)


def test_a_rehearsal_plays_everything_and_leaves_the_contest_alone(tmp_path: Path) -> None:
    (tmp_path / "l.toml").write_text(
        FILE.replace("nodes = 1", 'time = "2s"')
        + "".join(f'[[team]]\nname = "{each}"\nplayer = "missing.py"\n' for each in "ABC")
    )
    told = said(tmp_path, "contest", "rehearse", "l.toml", "--concurrency", "1")
    assert "6 games with" in told
    assert "at most, if every move takes its whole time" in told
    assert not (tmp_path / "l.db").exists()
    assert (tmp_path / "l.rehearsal.db").exists()
