"""Each lesson of the course is a bot that beats the one before."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from spielleiter import Bot, Clock, bots, games
from tests.conftest import IS_PLAIN

ROOT = Path(__file__).parents[5]
LESSONS = ROOT / "examples" / "lessons"
GAME = games.load("piranhas-2026")
PAGES = (ROOT / "docs" / "author" / "lessons.md", ROOT / "docs" / "de" / "kurs.md")


def lesson(number: int, options: str = "") -> Bot:
    return bots.load(f"{LESSONS / f'lesson{number}.py'}{options}", seed=1)


def played(players: tuple[Bot, Bot], seed: int) -> int | None:
    """Who wins from a start by lot, after two moves by lot."""
    position = GAME.start(seed)
    for _ in range(2):
        moves = position.legal_moves()
        position.play(moves[seed % len(moves)])
    while (outcome := position.outcome()) is None:
        player = players[position.to_move()]
        position.play(player.choose(position.copy(), Clock()))
    return outcome.winner


def score(first: Bot, second: Bot, pairs: int) -> Counter[str]:
    """Won and lost games of the first, each start from both seats."""
    names: dict[int | None, str] = {0: "won", 1: "lost", None: "drawn"}
    there = [played((first, second), seed) for seed in range(pairs)]
    back = [played((second, first), seed) for seed in range(pairs)]
    return Counter([names[w] for w in there] + [names[None if w is None else 1 - w] for w in back])


@pytest.mark.parametrize(
    ("stronger", "weaker", "pairs"),
    [
        (lesson(2), lesson(1), 5),
        (lesson(3), lesson(2), 2 if IS_PLAIN else 8),
        pytest.param(lesson(4), lesson(3), 2, marks=(pytest.mark.native, pytest.mark.deep)),
        pytest.param(lesson(5, ":depth=2"), lesson(4, ":depth=2"), 1, marks=pytest.mark.native),
        pytest.param(
            *(lesson(5, ":depth=2"), lesson(4, ":depth=2"), 2),
            marks=(pytest.mark.native, pytest.mark.deep),
        ),
    ],
    ids=["2-1", "3-2", "4-3", "5-4", "5-4 again"],
)
def test_a_lesson_beats_the_one_before(stronger: Bot, weaker: Bot, pairs: int) -> None:
    games_played = score(stronger, weaker, pairs)
    assert games_played["won"] > games_played["lost"], games_played


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_course_shows_every_lesson(page: Path) -> None:
    text = page.read_text("utf-8")
    for number in range(1, 6):
        assert f"examples/lessons/lesson{number}.py" in text
