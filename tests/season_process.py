"""Plays a season in a process of its own, to be killed: FOLDER, id of the season, DATABASE or "".

It prints a line when it is open, and one when the whole season is played.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from spielleiter.programs.contest_store import contest_state
from spielleiter.season import season_player
from tests.test_season import site_in

PAUSE = "0.001"
"""Seconds that a bot takes for a move: so kills hit games."""


def main(folder: Path, season: str, database: str) -> None:
    os.environ["BOT_SLEEPS"] = PAUSE
    season_player._AFTER_A_FAILURE = 0.5
    with site_in(folder, quick=False, database=database or None) as site:
        site.seasons.recover()
        print("open", flush=True)
        site.player.start()
        while not is_over(site.file(season)):
            time.sleep(0.1)
        site.player.stop()
    print("done", flush=True)


def is_over(file: Path) -> bool:
    """Whether the whole season is played, as its record says."""
    definition, state = contest_state(file)
    return definition.schedule(state).finished(state.results)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
