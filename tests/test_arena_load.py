"""A crowd before one game: everybody hears of it and nobody costs much. More is a benchmark."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from benchmarks.arena_load import ArenaProcess, arena, process, watch
from spielleiter import games
from tests.arenas import PASSWORD, built_in

FIRST, CROWD = 50, 200
"""Spectators before whom the arena has done everything once, and those whose memory is counted."""
MOST_KILOBYTES = 100


def held_game(opened: ArenaProcess, http: httpx.Client) -> str:
    """A game that waits for the next step."""
    csrf = http.post("/api/first-password", json={"password": PASSWORD}).json()["csrf"]
    http.headers["x-csrf-token"] = csrf
    edition = games.names()[0]
    seats = [built_in("random")] * games.load(edition).start().seats
    order = {"edition": edition, "seats": seats, "paused": True}
    return str(http.post("/api/games", json=order).json()["id"])


@contextlib.contextmanager
def spectators(opened: ArenaProcess, watched: list[str]) -> Iterator[Any]:
    """One for every entry of `watched`, all of them greeted."""
    with process(watch, opened.port, watched) as crowd:
        assert crowd.poll(60), "not all were let in"
        crowd.recv()
        yield crowd


@pytest.mark.skipif(sys.platform != "linux", reason="asks the system for the memory of a process")
def test_two_hundred_spectators_hear_every_move_and_cost_less_than_100_kb_each() -> None:
    with (
        arena() as opened,
        httpx.Client(base_url=f"http://127.0.0.1:{opened.port}", timeout=60) as http,
    ):
        game = held_game(opened, http)
        with spectators(opened, [game] * FIRST) as first:
            before = opened.memory()
            with spectators(opened, [game] * CROWD) as crowd:
                grown = opened.memory() - before
                assert http.post(f"/api/games/{game}/step").status_code == 204
                with http.stream("GET", f"/api/games/{game}/feed") as feed:
                    for line in feed.iter_lines():
                        if line == "event: move" or '"turn":1' in line:
                            break
                for each in (first, crowd):
                    each.send(("until", 3))  # snapshot, turn, move
                    assert each.poll(60), "somebody has not heard of the move"
                    assert min(each.recv()) >= 3
        assert grown / CROWD / 1024 < MOST_KILOBYTES
