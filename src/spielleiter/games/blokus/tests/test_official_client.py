"""The official Python client of 2027 plays whole games on our server."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.games.blokus import Position
from tests.official import COURSES, Course, Official, environment, play_courses
from tests.walks import near_the_end

PROGRAM = Path(__file__).with_name("official_player.py")
GAME = games.load("blokus-2027", "server")
SIDE = 20
ENDED_WITH_MONO = f"B{'.' * 19}/{'/'.join(['.' * 20] * 19)} 9 PENTO_I 0 1fbfff 1fbfff 1fbfff YRG B"
"""The smallest position of a colour that has placed everything."""


def board(position: Position) -> list[list[str | None]]:
    markup = GAME.part("wire").wire(GAME).state(position)
    rows: list[list[str | None]] = [[None] * SIDE for _ in range(SIDE)]
    for x, y, content in re.findall(r'<field x="(\d+)" y="(\d+)" content="(\w+)"/>', markup):
        rows[int(y)][int(x)] = content
    return rows


def has_finished(position: Position) -> bool:
    """Whether a colour has placed everything, so that `lastMoveMono` is not empty."""
    return "0" in position.text().split(" ")[3:7]


def play(courses: tuple[Course, ...], folder: Path) -> None:
    client = environment("socha==5.1.0", "setuptools<70")
    official = Official(client, PROGRAM, has_finished, "Unknown property entry:color")
    play_courses(GAME, official, courses, board, folder)


def test_two_official_clients_play_a_game_to_its_end_on_our_server(tmp_path: Path) -> None:
    """Its last third: the client takes a tenth of a second of a processor for a move."""
    play((replace(COURSES[2], start=near_the_end(GAME, 20)),), tmp_path)


def test_the_official_client_does_not_understand_that_a_colour_has_placed_everything(
    tmp_path: Path,
) -> None:
    """Neither on the official server: its words are those of the scenario 10n-last-piece-mono."""
    play((Course((True, False), reserved=False, start=ENDED_WITH_MONO),), tmp_path)


@pytest.mark.deep
def test_the_official_client_plays_a_hundred_games_on_our_server(tmp_path: Path) -> None:
    play(COURSES * 20, tmp_path)
