"""Players keep 0.2 s a move on both servers on a machine that is busy with other things."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from spielleiter import games
from spielleiter.client import seasons
from spielleiter.handin import project

EDITIONS = {
    "contest": [season.game.name for season in seasons.seasons() if season.game.name[-1].isdigit()],
    "course": [name for name in games.names() if project.is_binary(games.load(name))],
}
AT_ONCE = {"contest": 4, "course": 10}
"""Who judges: final editions that are played there, and how many games at once."""
GAMES, BUSY, SECONDS = 500, 20, 0.2
"""How many games, other processes that never pause, time for a move."""


@pytest.mark.deep
@pytest.mark.native
@pytest.mark.parametrize("judge", EDITIONS)
def test_no_game_is_lost_on_time_beside_busy_processes(judge: str) -> None:
    if not (editions := EDITIONS[judge]):
        pytest.skip(f"no game installed is played on the {judge}'s server")
    options = {
        "by": judge,
        "time": SECONDS,
        "games": GAMES,
        "busy": BUSY,
        "jobs": AT_ONCE[judge],
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    run = subprocess.run(
        [sys.executable, "-m", "benchmarks.strength.punctual", *editions, *words],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=3600,
    )
    results = [json.loads(line) for line in run.stdout.splitlines()]
    assert [(result["late"], result["failed"]) for result in results] == [(0, 0)] * len(editions)
    assert sum(result["games"] for result in results) == GAMES
