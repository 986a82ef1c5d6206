"""Never disqualified: our clients on our server at the smallest time limit, on a busy machine."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from spielleiter.games.reversi.tests.stage import hosted
from spielleiter.match import Ended
from spielleiter.server import Timekeeper

SHORTEST = 0.2
CLIENT = """
import sys
from spielleiter import bots, games
from spielleiter.client import LostConnection, binary
game, port, seed = games.load("reversi"), int(sys.argv[1]), int(sys.argv[2])
played = 0
while True:
    try:
        binary.join(bots.load("greedy", seed=seed + played), game, port=port, group=seed % 99)
    except LostConnection:
        break
    played += 1
print(played)
"""
LONGEST = 3600.0
"""Seconds after which a thousand games have ended on any machine."""
LOAD = f"import time\nend = time.monotonic() + {LONGEST}\nwhile time.monotonic() < end: pass"


@contextmanager
def running(*programs: list[str]) -> Iterator[list[subprocess.Popen[str]]]:
    """Programs beside us; they are ended, by their id, when we are done."""
    started = [
        subprocess.Popen([sys.executable, *words], stdout=subprocess.PIPE, text=True)
        for words in programs
    ]
    try:
        yield started
    finally:
        for program in started:
            program.kill()
            program.communicate()


@contextmanager
def ticking() -> Iterator[Timekeeper]:
    """A clock that stands still while the machine does: a thread moves it on, a little each time
    that it is let. So nobody is out because all of us were kept from running for a second."""
    moment, over = [1000.0], threading.Event()

    def tick() -> None:
        while not over.wait(0.005):
            moment[0] += 0.005

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        yield Timekeeper(lambda: moment[0])
    finally:
        over.set()
        thread.join()


def crowded(games: int, clients: int, load: int, board: str, time: Timekeeper) -> list[Ended]:
    """That many games by so many client programs, while others keep the processors busy."""
    with (
        running(*[["-c", LOAD]] * load),
        hosted(board, time, games=games, limit=SHORTEST) as server,
    ):
        words = [["-c", CLIENT, str(server.port), str(seed * 1000)] for seed in range(clients)]
        with running(*words) as programs:
            server.wait(LONGEST)
            played = [int(program.communicate(timeout=120)[0]) for program in programs]
    assert sum(played) == games * server.host.seats
    return server.ended


def test_nobody_is_disqualified_in_a_few_games_on_a_busy_machine() -> None:
    with ticking() as time:
        ends = crowded(games=6, clients=2, load=1, board="p2_06x06_classic", time=time)
    assert len(ends) == 6
    assert all(ended.regular for ended in ends)


@pytest.mark.deep
def test_nobody_is_disqualified_in_a_thousand_games_on_a_busy_machine() -> None:
    """By the true clock others' work decides as well: `tests/test_punctual.py` is for that."""
    with ticking() as time:
        ends = crowded(games=1000, clients=12, load=2, board="p3_06x06_cramped", time=time)
    assert len(ends) == 1000
    assert all(ended.regular for ended in ends)
