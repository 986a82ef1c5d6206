"""Players keep 0.2 s a move on the course's server on a machine that is busy with other things."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from spielleiter import games
from spielleiter.handin import project

EDITIONS = [name for name in games.names() if project.is_binary(games.load(name))]
GAMES, BUSY, AT_ONCE, SECONDS = 500, 20, 10, 0.2
"""How many games, other processes that never pause, games at once, time for a move."""


@pytest.mark.deep
@pytest.mark.native
@pytest.mark.skipif(not EDITIONS, reason="no game installed speaks the course's protocol")
def test_no_game_is_lost_on_time_beside_busy_processes() -> None:
    options = {"by": "course", "time": SECONDS, "games": GAMES, "busy": BUSY, "jobs": AT_ONCE}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.strength.punctual", *EDITIONS, *words],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=3600,
    )
    results = [json.loads(line) for line in run.stdout.splitlines()]
    assert [(result["late"], result["troubles"]) for result in results] == [(0, [])] * len(EDITIONS)
    assert sum(result["games"] for result in results) == GAMES
