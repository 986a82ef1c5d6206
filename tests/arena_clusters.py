"""A whole arena whose games a Ray cluster plays; run as a program of its own: FOLDER.

A machine is lost in the middle, and the arena is killed and started again. See `tests/clusters.py`:
all machines are this one, but each keeps files in a folder of its own. The arena is the command
`spielleiter arena --runner ray`, its organiser a browser.
"""

from __future__ import annotations

import hashlib
import json
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
from ray.cluster_utils import Cluster

from spielleiter.accounts.accounts import open_accounts
from spielleiter.ladder.arena_ladder import FILE as LADDER
from spielleiter.ladder.ladder import SPOILT
from spielleiter.ladder.results import GAME
from spielleiter.season.season import CONTEST, RECORD
from spielleiter.season.season_player import FOLDER
from spielleiter.store import open_store
from spielleiter.store.private import private_folder
from tests.browser import arenas
from tests.clusters import SMALL
from tests.contests import QUICK, said
from tests.independent_table import table
from tests.people import add_released, add_team
from tests.test_season import BOT
from tests.test_whole_season import Visitor, until

TEAMS, GAMES = 5, 4
FORM = {"name": "League", "game": QUICK, "format": "league", "games": GAMES, "seed": 3}
PLAYED = TEAMS * (TEAMS - 1) // 2 * GAMES


def main(folder: Path) -> None:
    data, caches = folder / "data", [folder / "cache 0", folder / "cache 1"]
    versions = seeded(data)
    head: dict[str, Any] = {"num_cpus": 0, "include_dashboard": False, **SMALL}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        machines = [
            cluster.add_node(num_cpus=2, env_vars={"XDG_CACHE_HOME": str(each)}, **SMALL)
            for each in caches
        ]
        there = ("--no-demo", "--ladder", "1", "--runner", "ray", "--address", cluster.address)
        arena = arenas.start(data, *there)
        try:
            organiser = visitor(arena)
            organiser.post("/api/first-password", {"password": arenas.PASSWORD})
            season = started(organiser, versions)
            until(lambda: 0 < season_games(data, season) < PLAYED)
            cluster.remove_node(machines[0], allow_graceful=False)
            until(lambda: season_games(data, season) >= PLAYED // 2)
        finally:
            arena.kill()
        with arenas.arena(data, *there) as arena:
            organiser = visitor(arena)
            organiser.post("/api/session", {"password": arenas.PASSWORD})
            before = len(ladder_games(data))
            until(lambda: organiser.ask("GET", f"/api/seasons/{season}")["is_over"])
            until(lambda: len(ladder_games(data)) >= before + 4)
            check_pages(organiser, data, season)
    finally:
        cluster.shutdown()  # type: ignore[no-untyped-call, unused-ignore]
    check_season(data, season)
    check_ladder(data)
    check_files(data, caches)


def seeded(data: Path) -> dict[str, str]:
    """Teams with a released version each: what uploads leave."""
    with open_accounts(private_folder(data)) as accounts:
        return {
            (team := add_team(accounts, f"Team {number}")): add_released(
                accounts,
                team,
                f"Bot {number}",
                edition=QUICK,
                content=BOT.replace("{number}", str(number)).encode(),
            ).id
            for number in range(TEAMS)
        }


def visitor(arena: arenas.Arena) -> Visitor:
    return Visitor(httpx.Client(base_url=arena.address, timeout=300.0))


def started(organiser: Visitor, versions: dict[str, str]) -> str:
    """A season that all have entered and of which everything may be played."""
    season: str = organiser.post("/api/seasons", {"form": FORM})["id"]
    path = f"/api/seasons/{season}"
    organiser.post(f"{path}/actions", {"action": "open"})
    for team, version in versions.items():
        organiser.ask("PUT", f"{path}/entries/{team}", json={"version": version})
    organiser.post(f"{path}/actions", {"action": "start"})
    until(lambda: organiser.ask("GET", path)["check"]["state"] != "running")
    view = organiser.ask("GET", path)
    assert view["state"] == "running", view["check"]
    organiser.post(f"{path}/days", {"day": len(view["days"])})
    return season


def entries(path: Path, kind: str) -> list[Any]:
    with closing(open_store(path)) as record:
        return [(entry.key, json.loads(entry.data)) for entry in record.read(kind)]


def season_games(data: Path, season: str) -> int:
    return len(entries(data / FOLDER / season / RECORD, GAME))


def ladder_games(data: Path) -> list[Any]:
    return entries(data / LADDER, GAME)


def check_pages(organiser: Visitor, data: Path, season: str) -> None:
    """What pages count is what the record has, and the table is the one that it says."""
    view = organiser.ask("GET", f"/api/seasons/{season}")
    names = {each["team"]: each["name"] for each in view["entries"]}
    contest = organiser.ask("GET", f"/api/contests/{view['contest']}")
    shown = [row["team"] for row in contest["phases"][-1]["standings"]]
    path = str(data / FOLDER / season / RECORD)
    assert shown == [names[team] for team, _ in table(path)]
    assert contest["played"] == PLAYED
    at_most = len(ladder_games(data))
    total = organiser.ask("GET", f"/api/ladder/{QUICK}")["games"]
    assert at_most <= total <= len(ladder_games(data)), total


def check_season(data: Path, season: str) -> None:
    folder = data / FOLDER / season
    assert said(folder, "contest", "verify", CONTEST).startswith(f"{PLAYED} games verified")
    found = entries(folder / RECORD, GAME)
    assert len({key for key, _ in found}) == len(found) == PLAYED
    assert not any(each["faults"] for _, each in found)
    print(f"{PLAYED} games of the season; spoilt: {entries(folder / RECORD, SPOILT)}")


def check_ladder(data: Path) -> None:
    found = ladder_games(data)
    assert len({key for key, _ in found}) == len(found)
    assert not any(each["faults"] for _, each in found)
    with closing(open_store(data / LADDER)) as record:
        assert list(record.check()) == []
    print(f"{len(found)} games of the ladder; spoilt: {entries(data / LADDER, SPOILT)}")


def check_files(data: Path, caches: list[Path]) -> None:
    """Both machines were sent the files that they needed, each under the hash of its content."""
    known = {hashlib.sha256(path.read_bytes()).hexdigest() for path in data.glob("bots/*/*")}
    for cache in caches:
        kept = list((cache / "spielleiter" / "versions").iterdir())
        assert kept, f"{cache} was sent nothing"
        for path in kept:
            assert path.stem == hashlib.sha256(path.read_bytes()).hexdigest()
            assert path.stem in known


if __name__ == "__main__":
    main(Path(sys.argv[1]))
