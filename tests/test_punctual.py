"""Players of both protocols keep 0.2 s a move on a machine that is busy with other things."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from spielleiter import games
from spielleiter.handin import project

GAMES, BUSY, AT_ONCE, SECONDS = 500, 20, 10, 0.2
"""Games through each server, other processes that never pause, games at once, time for a move."""


@pytest.mark.deep
@pytest.mark.native
@pytest.mark.parametrize("server", ["contest", "course"])
def test_no_game_is_lost_on_time_beside_busy_processes(server: str) -> None:
    editions = [
        name
        for name in games.names()
        if project.is_binary(games.load(name)) == (server == "course")
    ]
    options = {"by": server, "time": SECONDS, "games": GAMES, "busy": BUSY, "jobs": AT_ONCE}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.strength.punctual", *editions, *words],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=3600,
    )
    results = [json.loads(line) for line in run.stdout.splitlines()]
    assert [(result["late"], result["troubles"]) for result in results] == [(0, [])] * len(editions)
    assert sum(result["games"] for result in results) == GAMES
