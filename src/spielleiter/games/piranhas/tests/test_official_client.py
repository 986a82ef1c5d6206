"""The official Python client of 2026 plays whole games on our server."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.games.piranhas import Position
from tests.official import COURSES, Course, Official, environment, play_courses
from tests.walks import near_the_end

PROGRAM = Path(__file__).with_name("official_player.py")
GAME = games.load("piranhas-2026", "server")


def board(position: Position) -> list[list[str]]:
    markup = GAME.part("wire").wire(GAME).state(position)
    fields = re.findall(r"<field>(\w+)</field>", markup)
    return [fields[row : row + 10] for row in range(0, 100, 10)]


def play(courses: tuple[Course, ...], folder: Path) -> None:
    official = Official(environment("socha==4.3.9", "setuptools<70"), PROGRAM)
    play_courses(GAME, official, courses, board, folder)


def test_two_official_clients_play_a_game_to_its_end_on_our_server(tmp_path: Path) -> None:
    """Its last third: the client takes a tenth of a second of a processor for a move."""
    play((replace(COURSES[2], start=near_the_end(GAME, 20)),), tmp_path)


@pytest.mark.deep
def test_the_official_client_plays_a_hundred_games_on_our_server(tmp_path: Path) -> None:
    play(COURSES * 20, tmp_path)
