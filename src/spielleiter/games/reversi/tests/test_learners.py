"""The learners of examples/learning run, are as short as they promise, and draw a curve."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spielleiter import games
from spielleiter.game import Batch, Position

FOLDER = Path(__file__).parents[5] / "examples" / "learning"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="examples are not installed")


def run(name: str, room: Path, *words: str) -> dict[str, float]:
    """Run a learner; the last points of each line of its curve, in percent, as it printed them."""
    out = room / "curve.svg"
    program = [sys.executable, str(FOLDER / name), *words, "--out", str(out)]
    done = subprocess.run(program, cwd=room, check=True, stdout=subprocess.PIPE, text=True)
    assert out.read_text("utf-8").count("<polyline") >= 6, "five lines of the grid, and the curve"
    said = done.stdout.splitlines()[-1]
    shown = re.findall(r"(\w[\w ]* against [\w:=]+) (\S+) %", said)
    return {line: float(won) for line, won in shown}


@pytest.mark.parametrize(
    ("names", "lines"),
    [(["tabular.py"], 150), (["ppo.py"], 150), (["alphazero.py", "tree.py"], 400)],
)
def test_a_learner_is_short_and_its_curve_is_shown(names: list[str], lines: int) -> None:
    assert sum(len((FOLDER / name).read_text("utf-8").splitlines()) for name in names) < lines
    assert (FOLDER / names[0]).with_suffix(".svg").is_file()


def test_the_table_learns(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium", reason="the extra spielleiter[envs] is missing")
    run("tabular.py", tmp_path, "--games", "50", "--measured", "5")


# ------------------------------------------------------------------- the search of AlphaZero

MAP, SIDE, STRIDE = "p2_04x04_classic", 4, 15
ACTIONS = np.array([STRIDE * y + x for y in range(SIDE) for x in range(SIDE)], np.int32)


@pytest.fixture
def trees(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The class of examples/learning/tree.py."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return pytest.importorskip("tree").Trees


def indifferent(batch: Batch) -> tuple[Any, Any]:
    """An evaluation that knows nothing: all moves alike, every position a draw."""
    legal = batch.mask[:, ACTIONS].astype(np.float32)
    return legal / np.maximum(legal.sum(axis=1, keepdims=True), 1), np.zeros(len(batch), np.float32)


@cache
def solved(text: str) -> float:
    """What the end is worth to seat 0 if both play perfectly."""
    position = games.load("reversi").parse(text)
    if outcome := position.outcome():
        return outcome.worth(0)
    after = [solved(position.after(move).text()) for move in position.legal_moves()]
    return max(after) if position.to_move() == 0 else min(after)


def endgames(plies: int, count: int) -> list[Position]:
    lot, found = random.Random(1), list[Position]()
    while len(found) < count:
        position = games.load("reversi").start(map=MAP)
        for _ in range(plies):
            if position.outcome() is None:
                position.play(lot.choice(position.legal_moves()))
        if position.outcome() is None:
            found.append(position)
    return found


def test_the_tree_search_of_alphazero_finds_the_best_moves_of_endgames(trees: Any) -> None:
    roots = endgames(plies=7, count=40)
    found = trees(games.load("reversi"), ACTIONS, roots, indifferent, 300).policies()
    choices = {position.to_move() for position in roots}
    assert choices == {0, 1}, "both seats are to move somewhere"
    for position, action in zip(roots, ACTIONS[found.argmax(axis=1)].tolist(), strict=True):
        assert solved(position.after(position.move_at(action)).text()) == solved(position.text())


def test_the_tree_search_of_alphazero_visits_legal_moves_only(trees: Any) -> None:
    roots, lot = endgames(plies=3, count=8), np.random.default_rng(1)
    search = trees(games.load("reversi"), ACTIONS, roots, indifferent, 30)
    search.add_noise(1.0, 0.25, lot)
    policies = search.policies()
    legal = games.load("reversi").batch(8, positions=roots).mask[:, ACTIONS]
    assert (policies[~legal] == 0).all()
    assert np.allclose(policies.sum(axis=1), 1)


def test_without_simulations_alphazero_plays_its_priors(trees: Any) -> None:
    roots = endgames(plies=3, count=8)
    batch = games.load("reversi").batch(8, positions=roots)
    found = trees(games.load("reversi"), ACTIONS, roots, indifferent, 0).policies()
    assert np.allclose(found, indifferent(batch)[0])


# ------------------------------------------------------------------------------------- in torch


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ppo.py", "--updates 1 --measured 4"),
        (
            "alphazero.py",
            "--rounds 1 --games 2 --simulations 2 --steps 2 --measured 2 --opponent greedy",
        ),
    ],
)
def test_learners_in_torch_run(name: str, words: str, tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the extra spielleiter[train] is missing")
    run(name, tmp_path, *words.split())


@pytest.mark.deep
def test_alphazero_learns_to_beat_random_moves(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the extra spielleiter[train] is missing")
    words = "--rounds 4 --games 48 --simulations 24 --measured 60 --opponent greedy --device cpu"
    lines = run("alphazero.py", tmp_path, *words.split())
    assert lines["search against random"] > 85
    assert lines["network against random"] > 60
