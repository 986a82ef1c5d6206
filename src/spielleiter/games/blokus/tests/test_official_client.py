"""The official Python client of 2027 plays whole games on our server."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from spielleiter import games
from tests.official import COURSES, Course, Official, environment, play_courses

PROGRAM = Path(__file__).with_name("official_player.py")
GAME = games.load("blokus-2027", "server")
SIDE = 20


def board(position: Any) -> list[list[str | None]]:
    markup = GAME.part("wire").wire(GAME).state(position)
    rows: list[list[str | None]] = [[None] * SIDE for _ in range(SIDE)]
    for x, y, content in re.findall(r'<field x="(\d+)" y="(\d+)" content="(\w+)"/>', markup):
        rows[int(y)][int(x)] = content
    return rows


def play(courses: tuple[Course, ...], folder: Path) -> None:
    official = Official(environment("socha==5.1.0", "setuptools<70"), PROGRAM)
    play_courses(GAME, official, courses, board, folder)


def test_the_official_client_plays_whole_games_on_our_server(tmp_path: Path) -> None:
    play(COURSES[:3], tmp_path)


@pytest.mark.deep
def test_the_official_client_plays_a_hundred_games_on_our_server(tmp_path: Path) -> None:
    play(COURSES * 20, tmp_path)
