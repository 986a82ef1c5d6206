"""The gym: sets are read strictly, answers are counted, and what is shipped is right."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

from spielleiter import games
from spielleiter.errors import TextError
from spielleiter.game import Game
from spielleiter.gym import GymPosition, GymSet, shipped
from spielleiter.gym.mining import CLEAR, Miner
from spielleiter.gym.trial import GymAnswer, table
from spielleiter.review.chances import chance
from spielleiter.review.evaluator import ENGINES, engines
from tests.conftest import EDITIONS, IS_PLAIN
from tests.contests import said

DOCUMENT = [game for game in EDITIONS if game.authority == "document"]
SEARCHED = [game for game in DOCUMENT if engines(game.start(1))[0] == "alphabeta"]
QUICK = SEARCHED[-1].name
BOTS = """
from spielleiter import Bot

class First(Bot):
    def choose(self, position, clock):
        return next(iter(position.legal_moves()))

class Dies(Bot):
    def choose(self, position, clock):
        raise RuntimeError("no more")
"""


@pytest.mark.parametrize("edition", DOCUMENT, ids=lambda edition: edition.name)
def test_every_edition_ships_a_hundred_proved_positions(edition: Game) -> None:
    known = shipped(edition)
    known.check(edition)
    assert known.game == edition.name
    assert len(known.positions) >= 100
    assert len({each.position for each in known.positions}) == len(known.positions)
    found = Counter(each.difficulty for each in known.positions)
    assert found[1] >= 20
    assert found[2] >= 10
    assert sum(found[hard] for hard in (3, 4, 5)) >= 10
    for each in known.positions:
        assert each.verified >= 20 * each.nodes > 0
        assert each.loss >= min(CLEAR.values())


@pytest.mark.native
@pytest.mark.parametrize("edition", DOCUMENT, ids=lambda edition: edition.name)
def test_a_search_of_twenty_times_the_nodes_finds_what_is_shipped(edition: Game) -> None:
    chosen = shipped(edition).positions[::25]
    solved = sum(_agrees(edition, each) for each in chosen)
    assert solved >= len(chosen) - 1


@pytest.mark.deep
@pytest.mark.parametrize("edition", DOCUMENT, ids=lambda edition: edition.name)
def test_nearly_all_that_is_shipped_is_found_again(edition: Game) -> None:
    known = shipped(edition).positions
    assert sum(_agrees(edition, each) for each in known) >= 0.95 * len(known)


def _agrees(game: Game, task: GymPosition) -> bool:
    """Whether a fresh search of the proof's length likes a best move about as well as any."""
    position = game.parse(task.position)
    native = getattr(game.native, ENGINES[engines(position)[0]])
    found = native(table=64, seed=5).search(position, nodes=task.verified).best
    if found.text() in task.best:
        return True
    values = {}
    for move in (found, position.move(task.best[0])):
        after = position.after(move)
        score = native(table=64).search(after, nodes=task.verified).score
        values[move.text()] = chance(score if after.to_move() == position.to_move() else -score)
    return values[found.text()] - values[task.best[0]] < 0.05


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("game = 1", "which game"),
        ("= 1", "no TOML"),
        ('game = "x"\nposition = [1]', "a position is a table"),
        ('game = "x"\n[[position]]\nname = "a"\nposition = "b"', "needs 'best'"),
        ('game = "x"\n[[position]]\nname = "a"\nposition = "b"\nbest = []', "list of texts"),
        ('game = "x"\n[[position]]\nname = 1\nposition = "b"\nbest = ["c"]', "cannot be"),
        ('game = "x"\n[[position]]\nnam = 1\nposition = "b"\nbest = ["c"]', "has no 'nam'"),
    ],
)
def test_a_set_that_is_wrong_is_refused_with_the_reason(text: str, problem: str) -> None:
    with pytest.raises(TextError, match=problem):
        GymSet.parse(text)


def test_a_set_is_written_as_it_is_read() -> None:
    game = DOCUMENT[0]
    known = shipped(game)
    assert GymSet.parse(known.text()) == known
    illegal = GymPosition("none", game.start(1).text(), ("no move",))
    with pytest.raises(TextError):
        GymSet(game.name, (illegal,)).check(game)


def test_a_table_says_what_became_better_and_worse() -> None:
    tasks = [GymPosition(name, "", ("a",), difficulty=at) for at, name in enumerate("xyz", 1)]
    found = [
        GymAnswer(task, move, None, 0.1) for task, move in zip(tasks, ("a", "b", "a"), strict=True)
    ]
    told = table(found, {"x": False, "y": True})
    assert "2 of 3 (67 %)" in told
    assert "newly solved: x" in told
    assert "no longer solved: y" in told


def test_any_bot_is_asked_and_two_at_a_time_answer_as_one_does(tmp_path: Path) -> None:
    easy = [each for each in shipped(games.load(QUICK)).positions if each.difficulty == 1]
    hard = next(each for each in shipped(games.load(QUICK)).positions if each.difficulty == 2)
    (tmp_path / "few.toml").write_text(GymSet(QUICK, (*easy[:8], hard)).text(), "utf-8")
    words = (
        "gym",
        "run",
        "best:level=5",
        "--set",
        "few.toml",
        "--difficulty",
        "1",
        "--nodes",
        "300",
    )
    one = json.loads(said(tmp_path, *words, "--json", "--concurrency", "1"))
    two = json.loads(said(tmp_path, *words, "--json", "--concurrency", "2", "--junit", "x.xml"))
    assert [each["move"] for each in one["positions"]] == [
        each["move"] for each in two["positions"]
    ]
    assert one["solved"] <= len(one["positions"]) == 8
    assert one["solved"] > 0 or IS_PLAIN, "only native engines find much with 300 nodes"
    suite = ElementTree.parse(tmp_path / "x.xml").getroot()
    assert suite.get("tests") == str(len(one["positions"]))
    assert suite.get("failures") == str(len(one["positions"]) - two["solved"])


def test_files_are_asked_too_and_one_that_fails_has_solved_nothing(tmp_path: Path) -> None:
    (tmp_path / "bots.py").write_text(BOTS)
    small = GymSet(QUICK, shipped(games.load(QUICK)).positions[:3])
    (tmp_path / "small.toml").write_text(small.text())
    words = ("gym", "run", "--set", "small.toml", "--nodes", "1", "--json")
    first = json.loads(said(tmp_path, *words, "bots.py:First"))
    assert all(each["move"] for each in first["positions"])
    (tmp_path / "before.json").write_text(json.dumps(first))
    dead = json.loads(said(tmp_path, *words, "bots.py:Dies"))
    assert [each["fault"] for each in dead["positions"]] == ["crashed"] * 3
    told = said(tmp_path, "gym", "run", "greedy", "--set", "small.toml", "--compare", "before.json")
    assert "no longer solved:" in told


@pytest.mark.native
def test_positions_are_mined_from_games(tmp_path: Path) -> None:
    words = ("gym", "mine", "--game", QUICK, "--count", "2", "-o", "mine.toml", "--seed", "1")
    said(tmp_path, *words)
    mined = GymSet.parse((tmp_path / "mine.toml").read_text("utf-8"))
    mined.check(games.load(QUICK))
    assert len(mined.positions) == 2


def test_a_position_without_a_clear_answer_is_no_task() -> None:
    game = games.load(QUICK)
    assert Miner(game.start(1), game).task(game.start(1), "start", "") is None
