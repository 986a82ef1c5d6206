"""What measures players: curves of strength, ladders, matches, clocks and long runs."""

from __future__ import annotations

import json
import math
import os
import random
import runpy
import subprocess
import sys
import time
import tomllib
from concurrent.futures.process import BrokenProcessPool
from itertools import pairwise
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import benchmarks
from benchmarks.beside import interpreter
from benchmarks.strength import endurance, ladder, match, punctual, tables, tally, task_pool
from benchmarks.strength.curve import Curve, Games, fit
from benchmarks.strength.kinds import Kind
from spielleiter import bots, games
from spielleiter.cli import cli
from spielleiter.client import seasons
from spielleiter.errors import TextError
from spielleiter.game import Clock, Game

pytestmark = pytest.mark.native

ONE_AUTHORITY = True
PLACE = Path(benchmarks.__file__).parent
MEASURES = [
    ".".join(("benchmarks", *path.relative_to(PLACE).with_suffix("").parts))
    for path in sorted([*PLACE.glob("*.py"), *PLACE.glob("strength/*.py")])
    if "__main__" in path.name + path.read_text("utf-8")
]


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.filterwarnings("ignore:.*found in sys.modules:RuntimeWarning")
def test_whatever_measures_says_how_it_is_asked(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "-h"])
    with pytest.raises(SystemExit) as end:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    assert not end.value.code
    assert capsys.readouterr().out.lower().startswith("usage")


# ----------------------------------------------------------------------------------------- curves


def expected(difference: float) -> float:
    return 1 / (1 + 10 ** (-difference / 400))


def test_a_curve_is_found_from_games_between_neighbours() -> None:
    def strength(number: float) -> float:
        return 2000 * math.sqrt(number)

    numbers = [at / 20 for at in range(21)]
    games = [
        Games(high, low, 400 * expected(strength(high) - strength(low)), 400)
        for low, high in pairwise(numbers)
    ]
    curve = fit(games, knots=21)
    for number in numbers[1:]:
        assert curve(number) == pytest.approx(strength(number) - strength(1), abs=40)


def test_levels_stand_where_the_curve_is_a_step_lower_each() -> None:
    curve = Curve((-1600.0, -800.0, 0.0))
    assert curve.spaced(150, 10) == pytest.approx([1 - 150 * n / 1600 for n in range(9, -1, -1)])
    assert Curve((-100.0, 0.0)).spaced(150, 3) == pytest.approx([0, 0, 1]), "no lower than it goes"


def test_a_clean_sweep_is_no_infinite_difference() -> None:
    curve = fit([Games(1.0, 0.0, 20.0, 20)], knots=2)
    assert 300 < -curve(0.0) < 1500


def test_more_is_allowed_and_fewer_mistakes_are_made_from_number_to_number() -> None:
    for span in ladder.RANGES.values():
        rows = [span.row(number / 10) for number in range(11)]
        assert [row[span.limit] for row in rows] == sorted(row[span.limit] for row in rows)
        assert [span.number(row) for row in rows] == pytest.approx(
            [at / 10 for at in range(11)], abs=0.02
        )
        for mistake in ("overlooked", "lapses", "guesses"):
            made = [row.get(mistake, 0) for row in rows]
            assert made == sorted(made, reverse=True)
            assert made[0] > made[5] > made[-1] == 0
        assert rows[-1] == {span.limit: span.most}


# ---------------------------------------------------------------------------------------- ladders


def test_new_rows_take_the_place_of_the_old_and_nothing_else_changes() -> None:
    before = '# By hand.\n# [default]: old\n\n[default]\nbest = "x"\nx = [\n  {nodes = 1},\n]\n'
    rows = [{"nodes": 12_000, "overlooked": 3}, {}]
    after = ladder.written(before, "default", "x", rows, "new")
    assert tomllib.loads(after) == {"default": {"best": "x", "x": rows}}
    assert after.startswith("# By hand.\n# [default]: new\n")
    more = tomllib.loads(ladder.written(after, "some-edition", "x", [{}], "only here"))
    assert more == {"default": {"best": "x", "x": rows}, "some-edition": {"x": [{}]}}


def test_the_page_keeps_the_tables_of_other_games() -> None:
    tally = match.Tally([0, 10, 20, 30, 20])
    made = "\n".join(["## b", "", *ladder.rows_of_table({1: tally})])
    page = ladder.page("# Old\n\n## a\n\nkept\n\n## b\n\nnot kept\n", {"b": made})
    assert "kept\n" in page
    assert "not kept" not in page
    assert "| 1 → 2 | 69 % | +137 |" in page


def test_what_is_kept_of_a_ladder_are_its_steps_and_its_floor(game: Game) -> None:
    even, better = match.Tally([0, 0, 4, 0, 0]), match.Tally([0, 0, 0, 4, 0])
    below = {"greedy": even, "random": better}
    assert [
        (line["first"], line["second"], line["share"])
        for line in ladder.results(game.name, {1: better, 2: even}, below, most=7)
    ] == [
        ("level 2", "level 1", 0.75),
        ("level 3", "level 2", 0.5),
        ("level 1", "greedy", 0.5),
        ("level 1", "random", 0.75),
    ]
    *_, told, _ = ladder.table(game.name, {1: better, 2: even}, below, most=7)
    assert told == "Level 1 scores 75 % against `random` and 50 % against `greedy`."


def test_a_calibration_goes_on_from_the_levels_there_are(game: Game) -> None:
    numbers = ladder.numbers_of(game.name, ladder.RANGES[ladder.player_of(game.name)])
    assert numbers == sorted(set(numbers)), "each level may use more than the one below"
    assert 0 <= numbers[0] < numbers[-1] == 1


def test_a_pair_of_games_is_the_same_every_time(game: Game) -> None:
    names = [ladder.named(ladder.player_of(game.name), {"level": level}) for level in (2, 1)]
    pairing = ladder.Pairing(game.name, names[0], names[1], 3, ("test", 1.0, 0.0))
    first = ladder.play_pair(pairing)
    assert first == ladder.play_pair(pairing)
    assert 0 <= first[1] <= 2


def test_points_are_the_share_of_those_left_behind() -> None:
    assert ladder.points((1, 2), 0) == 1
    assert ladder.points((1, 1), 1) == 0.5
    assert ladder.points((2, 1, 3, 2), 0) == pytest.approx(0.5)


# ---------------------------------------------------------------------------------------- matches


@pytest.mark.parametrize(
    ("pairs", "verdict"),
    [([0, 0, 5, 10, 40], "accepted"), ([40, 10, 5, 0, 0], "rejected"), ([0, 1, 2, 1, 0], "open")],
)
def test_the_sequential_test_decides(pairs: list[int], verdict: str) -> None:
    ratio = match.log_likelihood_ratio(match.Tally(pairs), 0, 20)
    assert match.verdict(ratio) == verdict


def test_a_match_ends_when_the_test_has_decided_unless_all_its_pairs_are_wanted() -> None:
    clear = match.Tally([0, 0, 5, 10, 40])
    assert match.has_decided(clear, wanted=20)
    assert not match.has_decided(clear, wanted=None)
    assert not match.has_decided(match.Tally([0, 0, 0, 0, match.LEAST]), wanted=20)


def test_pairs_begin_where_they_are_told_to(game: Game, tmp_path: Path) -> None:
    near_the_end = Kind(game.name).opening(random.Random(3), 30)
    openings = tmp_path / "openings.txt"
    asked = [game.name, "--pairs", "1", "--nodes", "40", "--whole", "--openings", str(openings)]
    openings.write_text(near_the_end.text() + "\n", "utf-8")
    played = CliRunner().invoke(match.command, asked, catch_exceptions=False)
    result = json.loads(played.stdout)
    assert (sum(result["pairs"]), result["openings"]) == (1, 1)
    assert "plies" not in result
    openings.write_text("no position\n", "utf-8")
    assert isinstance(CliRunner().invoke(match.command, asked).exception, TextError)


@pytest.mark.skipif(Path(sys.prefix).name != ".venv", reason="not installed by make: no tree")
def test_a_match_of_an_engine_with_one_from_another_tree_is_even(
    game: Game, tmp_path: Path
) -> None:
    """The other tree is our own, so the same engine plays both sides; the record is stored."""
    store = tmp_path / "results.jsonl"
    asked = [game.name, "--pairs", "1", "--nodes", "40", "--store", str(store)]
    other = ["--second-tree", str(Path(sys.prefix).parent), "--second-name", "other"]
    played = CliRunner().invoke(match.command, [*asked, *other], catch_exceptions=False)
    assert played.exit_code == 0, played.output
    stored = json.loads(store.read_text("utf-8"))
    assert stored["share"] == 0.5
    assert stored["second"]["tree"] == "other"
    assert stored["sprt"]["verdict"] == "open"


def test_a_tree_that_has_no_engine_of_its_own_is_refused(tmp_path: Path) -> None:
    asked = [games.names()[0], "--pairs", "1", "--nodes", "40", "--second-tree", str(tmp_path)]
    unbuilt = CliRunner().invoke(match.command, asked)
    assert "is not built" in unbuilt.output
    python = interpreter(tmp_path)
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n', "utf-8")
    python.chmod(0o755)
    ours = CliRunner().invoke(match.command, asked)
    assert "plays with the engine of" in ours.output
    assert (unbuilt.exit_code, ours.exit_code) == (1, 1)


def test_matches_can_be_played_by_time(game: Game) -> None:
    asked = [game.name, "--pairs", "1", "--time", "0.001", "--plies", "40"]
    played = CliRunner().invoke(match.command, asked, catch_exceptions=False)
    assert json.loads(played.stdout)["limits"] == [{"time": 0.001}] * 2


def test_a_match_whose_time_is_up_keeps_what_it_has(game: Game) -> None:
    asked = [game.name, "--pairs", "50", "--nodes", "40", "--limit", "0"]
    played = CliRunner().invoke(match.command, asked, catch_exceptions=False)
    assert sum(json.loads(played.stdout)["pairs"]) == 1


# ------------------------------------------------------------------------------ clocks, long runs


def test_a_kind_of_game_is_named_by_a_text() -> None:
    kind = Kind.parse("some-game@server:map=a|b,size=3")
    assert kind == Kind("some-game", "server", (("map", ("a", "b")), ("size", ("3",))))
    assert Kind.parse("some-game") == Kind("some-game")


def test_openings_can_be_played_on(game: Game) -> None:
    kind = Kind(game.name)
    first, again = (kind.opening(random.Random(5), 6) for _ in range(2))
    assert first == again
    assert first.legal_moves()


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.deep)])
def test_games_of_many_kinds_have_no_fault(every: int) -> None:
    for number, label in enumerate(tuple(endurance.kinds())[::every]):
        played = endurance.play(label, number)
        assert played.kinds == {label: 1}
        assert not played.illegal
        assert not played.failed
        assert played.plies > 0


def test_late_answers_are_counted() -> None:
    records = [punctual.Record([0.1, 0.2]), punctual.Record([0.4], late=1)]
    found = punctual.summary(records, 0.3)
    assert (found["late"], found["moves"], found["longest"]) == (1, 3, 0.4)
    assert found["overshoot"] == pytest.approx(0.1)


def test_a_player_that_fails_ends_its_game_and_no_other() -> None:
    def fails(number: int) -> punctual.Record:
        raise ValueError(f"seed {number}")

    judges = {"fails": fails, "plays": lambda _: punctual.Record([0.1])}
    text, record = punctual.one_of(judges, 2)
    assert (text, record.failed) == ("fails", True)
    assert record.troubles == ["game 2: ValueError('seed 1')"]
    assert punctual.one_of(judges, 3) == ("plays", punctual.Record([0.1]))
    assert punctual.summary([record], 0.3)["failed"] == 1


def test_a_pool_finishes_what_it_began() -> None:
    assert sorted(task_pool.done(abs, range(-3, 3), jobs=2)) == [0, 1, 1, 2, 2, 3]
    assert list(task_pool.done(abs, range(10), jobs=2, limit=0.0)) == []


def test_a_process_that_dies_is_noticed() -> None:
    with pytest.raises(BrokenProcessPool):
        list(task_pool.done(os._exit, [1], jobs=1))


CROWD = """
import multiprocessing, time
from benchmarks.strength import punctual
with punctual.crowd(1):
    print(multiprocessing.active_children()[0].pid, flush=True)
    time.sleep(60)
"""


def lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(os.name == "nt", reason="asks whether a process lives as POSIX does")
def test_nobody_is_left_busy_after_a_run_that_was_ended() -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", CROWD], stdout=subprocess.PIPE, text=True, env=environment
    ) as run:
        assert run.stdout is not None
        busy = int(run.stdout.readline())
        run.terminate()
        run.wait()
        deadline = time.monotonic() + 30
        while lives(busy) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not lives(busy)


def test_a_run_goes_on_where_stored_ones_ended(tmp_path: Path) -> None:
    store = tmp_path / "runs.jsonl"
    assert task_pool.next_number(task_pool.stored(store)) == 0
    arguments = ["--games", "1", "--jobs", "1", "--store", str(store)]
    for first in (0, 1):
        result = CliRunner().invoke(endurance.command, arguments)
        found = json.loads(result.stdout.splitlines()[-1])
        assert (found["first"], found["games"]) == (first, 1)
        assert (found["illegal"], found["failed"]) == (0, 0)
    assert task_pool.next_number(task_pool.stored(store)) == 2
    assert tally.sums(task_pool.stored(store))["all kinds, any limit"].games == 2


def test_stored_runs_are_added_up(game: Game) -> None:
    line = {"game": f"{game.name}@server", "by": "call", "account": False, "allowed": 0.2}
    line |= {"games": 3, "moves": 50, "late": 0, "failed": 0, "longest": 0.1}
    other = {**line, "account": True, "late": 2, "failed": 1}
    found = tally.sums([line, {**line, "longest": 0.15}, other])
    same = found[f"{game.name}, call, 0.2 s for a move"]
    account = found[f"{game.name}, call, 0.2 s for all moves"]
    assert (same.games, same.answers, same.late, same.wrong) == (6, 100, 0, 0)
    assert same.slowest == pytest.approx(0.75)
    assert (account.late, account.wrong) == (2, 1)
    assert "| 6 | 100 | 0 | 0 | 75% |" in tally.table({"a move": same})


def test_an_account_is_timed_without_a_server(game: Game) -> None:
    record = punctual.called(Kind(game.name), "best:level=1", 0.0, 60.0, seed=1)
    assert record.spent
    assert record.late == 0


def test_games_are_timed_by_the_contests_server() -> None:
    kind = Kind(seasons.seasons("document")[0].game.name)
    with punctual.judged(kind, "contest", "best:level=1", 30.0, None, 1) as play:
        record = play(1)
    assert record.spent
    assert record.late == 0


def test_games_are_timed_by_the_courses_server() -> None:
    names = [name for name in cli.list_commands(click.Context(cli)) if name.endswith("-serve")]
    kind = Kind(names[0].removesuffix("-serve"))
    with punctual.judged(kind, "course", "best:level=1", 30.0, None, 1) as play:
        record = play(1)
    assert record.spent
    assert record.late == 0


def test_a_timed_player_plays_as_the_one_it_wraps(game: Game) -> None:
    start, plain, timed = game.start(1), bots.load("greedy"), punctual.Timed(bots.load("greedy"))
    clock = Clock(per_move=1.0)
    assert timed.choose(start, clock) == plain.choose(start, clock)
    assert len(timed.spent) == 1


def test_games_at_tables_are_compared_opening_by_opening(tmp_path: Path) -> None:
    new, old = tmp_path / "new", tmp_path / "old"
    new.write_text(
        "0 3 1 1 1 a,-,a 1,9,2 30:5:4:99:0\n1 3 2 2 2 a,a,- 5,5,2\n2 4 0 1 2 -,a,a,a 4,4\n"
    )
    old.write_text("0 3 1 2 1 a,-,a 9,2,1\n1 3 2 1 1 a,a,- 1,1,9\n7 3 0 1 1 -,a,a 9,1,1\n")
    games = tables.played((new,))
    assert [game.winners for game in games.values()] == [(1,), (0, 1), (0, 1)]
    assert tables.compared(games, tables.played((old,))) == {"openings": 2, "gained": 1, "lost": 1}
