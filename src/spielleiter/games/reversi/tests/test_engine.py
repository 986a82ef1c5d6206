"""The engine on every map and for every number of players: legal, exact where it says so."""

from __future__ import annotations

import random
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from spielleiter.errors import UsageError
from spielleiter.game import can_disqualify
from spielleiter.games.reversi import Move, Position, maps, shipped_weights
from spielleiter.games.reversi.tests.walks import GAME, late

pytestmark = pytest.mark.native

CERTAIN = 30_000
PLAYABLE = [name for name in maps.names() if GAME.start(map=name).legal_moves()]
DUELS = [name for name in PLAYABLE if GAME.start(map=name).seats == 2]
FACTS = Path(__file__).parents[1] / "facts" / "ffo.toml"
FFO = {end["number"]: end for end in tomllib.loads(FACTS.read_text("utf-8"))["end"]}
STYLES = ["best-first", "paranoid", "best-reply", "maxn"]


def lead(position: Position) -> int:
    """The slow twin of the solver: stones the seat to move will have more, every move tried."""
    mover = position.to_move()
    if position.outcome() is not None:
        scores = position.scores()
        return int(scores[mover] - scores[1 - mover])
    best = -1000
    for move in position.legal_moves():
        after = position.copy()
        after.play(move)
        value = lead(after)
        best = max(best, value if after.to_move() == mover else -value)
    return best


def settled(stones: int) -> int:
    """A lead as a score."""
    return stones + CERTAIN if stones > 0 else stones - CERTAIN if stones < 0 else 0


def turned(position: Position) -> Iterator[Any]:
    """The same position in all eight views of the board, with either player to be called first."""
    rows, seats, mover, fallen = position.text().split(" ")
    cells = rows.split("/")
    for _ in range(4):
        cells = ["".join(column) for column in zip(*cells[::-1], strict=True)]
        for view in (cells, cells[::-1]):
            text = "/".join(view)
            yield GAME.parse(f"{text} {seats} {mover} {fallen}")
            swapped = text.translate(str.maketrans("12", "21"))
            yield GAME.parse(f"{swapped} {seats} {3 - int(mover)} {fallen}")


@pytest.mark.parametrize("number", [40])
def test_published_ends_are_solved(number: int) -> None:
    check_end(FFO[number])


@pytest.mark.deep
@pytest.mark.parametrize("number", range(41, 50))
def test_all_published_ends_are_solved(number: int) -> None:
    check_end(FFO[number])


def check_end(end: dict[str, Any]) -> None:
    report = GAME.native.Engine(table=128, threads=1).search(GAME.parse(end["text"]))
    assert report.score == settled(end["lead"])
    assert report.best.text() in end["best"]


@pytest.mark.parametrize("name", DUELS)
def test_the_end_of_a_duel_is_solved_as_plain_search_does(name: str) -> None:
    lot = random.Random(name)
    for _ in range(3):
        position = late(name, lot, 6)
        if position.text().split(" ")[0].count("0") > 8:
            continue  # the map is made so that games end early; too much for the slow twin
        expected = settled(lead(position))
        assert GAME.native.Engine(table=1).search(position).score == expected, position.text()


def test_the_solver_finds_the_best_move_among_all() -> None:
    lot = random.Random(5)
    for _ in range(5):
        position = late("p2_08x08_classic", lot, 9)
        report = GAME.native.Engine(table=1).search(position)
        after = position.copy()
        after.play(report.best)
        same = after.to_move() == position.to_move()
        value = lead(after) if same else -lead(after)
        assert settled(value) == report.score, position.text()


def test_win_or_loss_is_known_before_the_exact_lead() -> None:
    """Stopped in the middle of it, a solved position keeps a move that wins."""
    lot = random.Random(8)
    for _ in range(4):
        position = late("p2_08x08_classic", lot, 11)
        exact = GAME.native.Engine(table=1).search(position).score
        for nodes in (20_000, 60_000):
            report = GAME.native.Engine(table=1).search(position, nodes=nodes)
            if report.score >= CERTAIN:
                assert exact >= CERTAIN, position.text()


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_the_last_iterations_see_the_end_as_an_estimate(missing: int) -> None:
    """Without probcut they find the exact lead; with it they may err, but still count stones."""
    lot, per_stone, empties = random.Random(6), 32, 12
    for _ in range(3):
        position = late("p2_08x08_classic", lot, empties)
        exact = GAME.native.Engine(table=1).search(position).score
        stones = exact - CERTAIN if exact > 0 else exact + CERTAIN if exact < 0 else 0
        plain = GAME.native.Engine(table=1, without=["probcut"])
        assert plain.search(position, depth=empties - missing).score == per_stone * stones
        quick = GAME.native.Engine(table=1).search(position, depth=empties - missing)
        assert quick.score % per_stone == 0


def test_the_estimate_is_the_same_from_every_side() -> None:
    lot = random.Random(3)
    for empties in (52, 40, 28, 16):
        position = late("p2_08x08_classic", lot, empties)
        estimate = GAME.native.evaluate(position)
        assert {GAME.native.evaluate(view) for view in turned(position)} == {estimate}


@pytest.mark.parametrize("name", ["p2_08x08_classic", "p2_10x14_gates", "p3_09x09_hexagon"])
def test_the_estimate_is_the_product_of_features_and_weights(name: str) -> None:
    lot = random.Random(name)
    weights = GAME.native.weights(GAME.start(map=name))
    for empties in (50, 30, 12):
        position = late(name, lot, empties)
        features = GAME.native.features(position)
        product = sum(f * w for f, w in zip(features, weights, strict=True)) / 16
        assert GAME.native.evaluate(position, weights) == pytest.approx(product, abs=4)


def corners(text: str) -> float:
    """The share of stones that can never be taken, for the player to move."""
    position = GAME.parse(text)
    features, names = GAME.native.features(position), GAME.native.feature_names()
    stages = len(features) // len(names)
    at = names.index("corners") * stages
    return float(sum(features[at : at + stages]))


def test_a_corner_made_by_holes_counts_as_one() -> None:
    """A cell whose every line has a neighbour on one side only is a corner, wherever it lies."""
    assert corners("0000/0120/0000/0000 2 1 -") == 0
    assert corners("0-00/0120/0-00/0000 2 1 -") == 0
    assert corners("--00/-120/--00/0000 2 1 -") > 0


@pytest.mark.parametrize("name", PLAYABLE)
def test_every_map_can_be_played(name: str) -> None:
    position, engine = GAME.start(map=name), GAME.native.Engine(table=1)
    while position.outcome() is None:
        position.play(engine.search(position, nodes=60).best)


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", ["p3_06x06_cramped", "p4_10x10_block"])
def test_every_style_plays_with_players_out_of_the_game(name: str, style: str) -> None:
    position, engine = GAME.start(map=name), GAME.native.Engine(table=1, style=style)
    for ply in range(200):
        if position.outcome() is not None:
            break
        position.play(engine.search(position, nodes=100).best)
        if ply == 6:
            assert can_disqualify(position)
            position.disqualify(2)
    assert position.outcome() is not None


@pytest.mark.parametrize("style", STYLES)
def test_a_last_move_that_wins_is_found_by_every_style(style: str) -> None:
    lot, seen = random.Random(4), 0
    for _ in range(40):
        position = late("p3_06x06_cramped", lot, 1)
        winning = [move for move in position.legal_moves() if wins(position, move)]
        if winning:
            seen += 1
            report = GAME.native.Engine(table=1, style=style).search(position, depth=1)
            assert report.best in winning
            assert report.score >= CERTAIN
    assert seen > 3


def wins(position: Position, move: Move) -> bool:
    """Whether the move ends the game with its player alone on the first rank."""
    after = position.copy()
    after.play(move)
    outcome = after.outcome()
    return outcome is not None and outcome.winner == position.to_move()


def test_unknown_styles_and_broken_tables_are_refused() -> None:
    with pytest.raises(UsageError, match="style"):
        GAME.native.Engine(style="friendly")
    with pytest.raises(UsageError, match="weights"):
        GAME.native.load_patterns(b"12")


def test_a_search_goes_on_with_the_tables_it_began_with() -> None:
    position, shipped = GAME.start(), shipped_weights.data("patterns")
    analysis = GAME.native.Engine(table=1).analyse(position, depth=5)
    next(analysis)
    try:
        GAME.native.load_patterns(bytes(len(shipped)))
        *_, last = analysis
    finally:
        GAME.native.load_patterns(shipped)
    assert last.lines == GAME.native.Engine(table=1).search(position, depth=5).lines


def test_another_map_is_searched_as_by_a_new_engine() -> None:
    engine, before = GAME.native.Engine(table=1), GAME.start()
    for name in ("p2_10x10_diamond", "p2_08x08_classic", "p2_15x15_open", "p3_09x09_hexagon"):
        engine.search(before, nodes=20_000)
        here = GAME.start(map=name)
        new = GAME.native.Engine(table=1).search(here, nodes=20_000)
        assert engine.search(here, nodes=20_000).lines == new.lines
        before = here


CHANGES_THE_MAP = """
import resource
from pathlib import Path
from spielleiter import games

game, (_, limit) = games.load("reversi"), resource.getrlimit(resource.RLIMIT_AS)
engine = game.native.Engine(table=256)
engine.search(game.start(), nodes=1)
pages = int(Path("/proc/self/statm").read_text().split()[0])
resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + (64 << 20), limit))
for name in ("p2_10x10_diamond", "p2_08x08_classic", "p2_15x15_open"):
    engine.search(game.start(map=name), nodes=1)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits what a process may take")
def test_another_map_takes_no_new_memory() -> None:
    """A client prepares before it knows the map, and learns that when the clock is about to run."""
    done = subprocess.run([sys.executable, "-c", CHANGES_THE_MAP], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
