"""Plays a season in a process of its own, to be killed: FOLDER, id of the season."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.test_season import site_in


def main(folder: Path, season: str) -> None:
    with site_in(folder, quick=False) as site:
        found = site.seasons.find(season)
        site.seasons.release(season, found.released + 2)
        print("playing", flush=True)
        site.work(season)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
