"""Games without their native modules: plain Python says and does the same, only slower."""

from __future__ import annotations

import copy
import os
import pickle
import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spielleiter import bots, games, networks, plain
from spielleiter.errors import IllegalMove, UsageError
from spielleiter.game import WIN, Bot, Clock, Game, Position, can_disqualify
from spielleiter.review.evaluator import Evaluator
from spielleiter.review.time_use import A_SECOND_IN_PYTHON
from tests.walks import positions, starts, walk

ROOT = Path(__file__).parents[1]
EVERY = 17
"""Of a random game every so many positions are looked at."""


def some(game: Game, seed: int) -> list[Position]:
    """Positions of one random game, from its beginning to its end."""
    return list(positions(game, 1, seed))[::EVERY]


def in_python(game: Game) -> Game:
    """The same edition by its rules in plain Python, beside the native one."""
    return replace(game, native=plain.module(game.folder))


# ------------------------------------------------------------------------------------- the contract


def test_plain_python_and_the_native_module_say_the_same(game: Game) -> None:
    slow = in_python(game)
    for fast in some(game, seed=41):
        twin = slow.parse(fast.text())
        assert (twin.text(), twin.key(), hash(twin)) == (fast.text(), fast.key(), hash(fast))
        assert (repr(twin), str(twin)) == (repr(fast), str(fast))
        assert (twin.outcome(), twin.scores()) == (fast.outcome(), fast.scores())
        assert texts(twin) == texts(fast)
        assert drawn(twin) == drawn(fast)
        assert (twin.observe() == fast.observe()).all()
        assert (twin.actions, twin.planes) == (fast.actions, fast.planes)
        assert twin.perft(1) == fast.perft(1)


def texts(position: Position) -> list[tuple[str, str, int]]:
    """The legal moves as people and learners see them, in their order."""
    moves = position.legal_moves()
    return [(move.text(), repr(move), position.action(move)) for move in moves]


def drawn(position: Position) -> list[str]:
    """The moves that a few seeds draw."""
    moves = [position.random_move(seed) for seed in range(4)]
    return [move.text() for move in moves if move is not None]


def test_a_seed_plays_the_same_games_in_plain_python(game: Game) -> None:
    fast, slow = game.start(3), in_python(game).start(3)
    assert slow.playouts(2, seed=5) == fast.playouts(2, seed=5)


def test_plain_python_follows_the_reference_move_by_move(game: Game) -> None:
    """A game may have a quicker way in its plain.py; moves and refusals stay those of the judge."""
    quick = in_python(game).start(4)
    judge = game.part("reference").Position.parse(quick.text(), game.name, game.authority)
    lot = random.Random(47)
    while moves := judge.legal_moves():
        assert sorted(quick.legal_moves(), key=str) == (listed := sorted(moves, key=str))
        for action in lot.sample(range(judge.actions), 5):
            asked = judge.move_at(action)
            assert quick.why_illegal(asked) == judge.why_illegal(asked)
        move = lot.choice(moves)
        before, quick = quick, quick.after(move)
        judge.play(move)
        assert sorted(before.legal_moves(), key=str) == listed, "a copy shares nothing"
        assert (quick.text(), quick.outcome()) == (judge.text(), judge.outcome())


def test_plain_positions_are_values(game: Game) -> None:
    slow = in_python(game)
    for fast in some(game, seed=42):
        position = slow.parse(fast.text())
        assert slow.parse(position.text()) == position == position.copy()
        assert copy.copy(position) == copy.deepcopy(position) == position
        if moves := position.legal_moves():
            after = position.after(moves[0])
            assert after != position
            assert pickle.loads(pickle.dumps(moves[0])) == moves[0]
            assert moves.index(moves[-1]) == len(moves) - 1
    assert pickle.loads(pickle.dumps(position)) == game.parse(position.text()), "in any flavour"


def test_plain_positions_refuse_what_native_ones_refuse(game: Game) -> None:
    slow = in_python(game)
    start = slow.start(1)
    for foreign in (1, None, object()):
        with pytest.raises(TypeError):
            start.play(foreign)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        start.why_illegal(1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"a cell is \(column, row\)"):
        start.at(1)  # type: ignore[arg-type]
    grid = game.scene(start, None).grid
    for (column, row), there in start.cells().items() if grid.row_labels else ():
        assert start.at(f"{grid.column_labels[column]}{grid.row_labels[row]}") == there
    for name in ("", "a", "z1", "a99", "aa1"):
        with pytest.raises(IndexError):
            start.at(name)
    move = start.legal_moves()[0]
    assert move.text() in start.legal_moves()
    assert start.why_illegal(move.text()) is None
    last = slow.parse(list(positions(game, 1, seed=46))[-1].text())
    if last.outcome() is not None:
        with pytest.raises(IllegalMove) as refusal:
            last.play(last.move_at(0))
        assert refusal.value.mistake == "GAME_OVER"
    with pytest.raises(UsageError, match="not negative"):
        start.perft(-1)


def test_plain_python_explains_mistakes_in_the_words_of_the_native_module(game: Game) -> None:
    own, native = plain.module(game.folder).Mistake, game.native.Mistake
    words = {each.name: each.explanation for each in own}
    assert words == {name: getattr(native, name).explanation for name in words}


def test_plain_play_without_a_disqualified_seat_goes_on(game: Game) -> None:
    for fast in starts(game, 3, seed=43):
        if can_disqualify(fast) and fast.outcome() is None:
            slow = in_python(game).parse(fast.text())
            assert can_disqualify(slow)
            assert slow.legal_moves()
            slow.disqualify(fast.to_move())
            fast.disqualify(fast.to_move())
            assert slow.text() == fast.text()
            assert texts(slow) == texts(fast)


def test_plain_playouts_and_counts_add_up(game: Game) -> None:
    slow = in_python(game)
    start = slow.start(2)
    late = slow.parse(some(game, seed=45)[-2].text())
    sums = late.playouts(5, seed=1)
    assert sums == late.playouts(5, seed=1, threads=3)
    assert (sums.games, sum(sums.wins) + sums.draws) == (5, 5)
    assert start.random_move(3) in start.legal_moves()
    if len(start.legal_moves()) < 60:
        assert start.perft(2) == game.start(2).perft(2)


def test_a_plain_batch_equals_a_native_one(game: Game) -> None:
    slow = in_python(game)
    fast_batch, slow_batch = game.batch(3, seed=5), slow.batch(3, seed=5)
    lot = random.Random(44)
    for _ in range(4):
        assert [slow_batch[at].text() for at in range(3)] == [
            fast_batch[at].text() for at in range(3)
        ]
        for name in ("mask", "to_move", "done", "rewards", "planes"):
            assert (getattr(slow_batch, name) == getattr(fast_batch, name)).all()
        actions, begins = slow_batch.legal_actions()
        chosen = [lot.choice(actions[begins[at] : begins[at + 1]].tolist()) for at in range(3)]
        slow_batch.step(np.array(chosen, dtype=np.int32))
        fast_batch.step(np.array(chosen, dtype=np.int32))
    slow_batch.reset()
    fast_batch.reset()
    assert slow_batch[1].text() == fast_batch[1].text()
    with pytest.raises(UsageError, match="illegal in game 0"):
        slow_batch.step(np.array([-1, 0, 0], dtype=np.int32))


# ------------------------------------------------------------------------------------- the players


@pytest.mark.parametrize("name", ["random", "greedy", "alphabeta:nodes=4", "mcts:simulations=4"])
def test_simple_players_play_every_game_in_plain_python(game: Game, name: str) -> None:
    position = in_python(game).start(1)
    for _ in range(2):
        first, second = (bots.load(name, seed=7) for _ in range(2))
        move = first.choose(position.copy(), Clock())
        assert position.why_illegal(move) is None
        assert second.choose(position.copy(), Clock()) == move, "the same seed, the same move"
        position.play(move)


def test_the_best_player_and_every_level_exist_in_plain_python(game: Game) -> None:
    position = in_python(game).start(1)
    for level in (1, 10):
        player = bots.load(f"best:level={level},time=0.05", seed=1)
        player.begin(position.copy(), position.to_move())
        assert position.why_illegal(player.choose(position.copy(), Clock())) is None


def endings(game: Game) -> Any:
    """Positions of plain Python in which the mover can win at once."""
    for seed in range(30):
        *rest, last = (position.copy() for position in walk(game.start(seed), random.Random(seed)))
        outcome = last.outcome()
        if rest and outcome is not None and outcome.winner == rest[-1].to_move():
            yield rest[-1]


@pytest.mark.parametrize("engine", ["Engine", "Mcts"])
def test_a_plain_engine_takes_a_win(engine: str) -> None:
    game = in_python(games.load(games.names()[-1]))
    position = next(endings(game))
    made = getattr(game.native, engine)(seed=1)
    report = made.search(position, nodes=400, lines=3)
    after = position.after(report.best).outcome()
    assert after is not None
    assert after.winner == position.to_move()
    assert report.score == (WIN - 1 if engine == "Engine" else report.score)
    assert len(report.lines) <= 3
    assert report.nodes <= 400


def test_a_plain_engine_deepens_and_keeps_its_limits(game: Game) -> None:
    slow = in_python(game)
    position = slow.start(1)
    reports = list(slow.native.Engine().analyse(position, depth=1, lines=2))
    assert [each.depth for each in reports] == [1]
    assert reports[0].lines[0].score >= reports[0].lines[1].score
    assert slow.native.Engine().search(position, time=0.0).best in position.legal_moves()
    assert slow.native.Mcts().search(position, account=0.0, moves_left=3).nodes == 1
    last = slow.parse(list(positions(game, 1, seed=46))[-1].text())
    with pytest.raises(UsageError, match="no move"):
        slow.native.Engine().search(last, depth=1)


def test_an_engine_that_overlooks_moves_still_sees_one(game: Game) -> None:
    slow = in_python(game)
    position = slow.start(1)
    blind = slow.native.Engine(overlooked=1024).search(position, nodes=3, lines=100)
    assert len(blind.lines) == 1


def test_alpha_beta_in_python_beats_chance() -> None:
    """Small enough to be quick, and no luck: every seed is fixed."""
    game = in_python(games.load(games.names()[-1]))
    won = 0
    for seed in range(4):
        position = game.start(seed)
        players: list[Bot] = [bots.load("random", seed) for _ in range(position.seats)]
        players[seed % 2] = bots.load("alphabeta:depth=2,nodes=40", seed)
        while position.outcome() is None:
            position.play(players[position.to_move()].choose(position.copy(), Clock()))
        outcome = position.outcome()
        won += outcome is not None and outcome.winner == seed % 2
    assert won >= 3


# --------------------------------------------------------------------------------- how it is chosen

WITHOUT = """
import sys
class Without:
    def __init__(self, finders):
        self.finders = finders
    def find_spec(self, name, path=None, target=None):
        if name.rpartition(".")[2].startswith(("_core", "_cpu", "_annotation", "_substitution")):
            return None
        found = (finder.find_spec(name, path, target) for finder in self.finders)
        return next((spec for spec in found if spec is not None), None)
sys.meta_path[:] = [Without(list(sys.meta_path))]
"""
"""Python in which no native module of ours can be found."""


def said(code: str, **environment: str) -> tuple[str, str]:
    """What a program prints on a machine without native modules: output, and errors."""
    inherited = {name: each for name, each in os.environ.items() if name != "SPIELLEITER_FLAVOUR"}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT + code],
        env={**inherited, "PYTHONIOENCODING": "utf-8", **environment},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=True,
    )
    return done.stdout, done.stderr


def test_without_native_modules_all_games_are_there_and_it_is_said_once() -> None:
    out, errors = said("from spielleiter.cli import main; main(['games'])")
    assert all(name in out for name in games.names())
    assert errors.count("plain Python, because it ") == bool(games.names())
    assert errors.count("\n") == bool(games.names())


def test_whoever_asks_for_plain_python_is_not_told() -> None:
    code = "from spielleiter import games, native; print(games.names(), native.notice())"
    out, _ = said(code, SPIELLEITER_FLAVOUR="plain")
    assert out.strip() == f"{games.names()} None"


def test_networks_are_those_of_the_native_engines(
    game: Game, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(games, "load", lambda _: in_python(game))
    with pytest.raises(UsageError, match=r"has no network|plain Python here: its networks lie in"):
        networks.load(game.name)


def test_a_review_in_plain_python_counts_the_seconds_of_plain_python(game: Game) -> None:
    """A million nodes stand for a second of the native engine, which Python needs minutes for."""
    slow = in_python(game)
    evaluator = Evaluator(slow.start(1), slow)
    assert evaluator.a_second == A_SECOND_IN_PYTHON[evaluator.engine]


def test_bench_measures_native_modules_only() -> None:
    code = "from spielleiter.cli import main; import sys\ntry: main(['bench'])\n"
    _, errors = said(code + "except SystemExit: pass", SPIELLEITER_FLAVOUR="plain")
    assert "only native modules are measured" in errors or not games.names()


def test_the_list_of_what_is_left_out_in_plain_python_is_true() -> None:
    folders = [
        ROOT / "tests",
        ROOT / "examples",
        *(ROOT / "src" / "spielleiter" / "games").glob("*/tests"),
    ]
    files = [file for folder in folders for file in folder.rglob("test_*.py")]
    marked = "pytest.mark.native"
    left_out = {file.name for file in files if marked in file.read_text("utf-8")}
    listed = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("make test-plain` runs")[2]
    named = set(re.findall(r"test_\w+\.py", listed.partition("## ")[0]))
    assert len(named) > 20
    assert named == left_out - {Path(__file__).name}
