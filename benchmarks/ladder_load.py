"""Load on the ladder: how long pages, pairings and ratings take in a store with a million games.

    python -m benchmarks.ladder_load [--database URL] [--teams N] [--versions N] [--games N]
                                     [--keep FOLDER] [--out FILE]

Without --database the store is a file (SQLite); with one it is filled there, and has to be empty.
--keep fills a folder (or finds it filled) and leaves it for the next time.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import platform
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from argon2 import PasswordHasher

from benchmarks.ladder_store import EDITION, Season, add_games, add_people, real_entry
from benchmarks.measure import calibration
from spielleiter.accounts.accounts import ArenaAccounts, open_accounts
from spielleiter.ladder.accounts_roster import AccountsRoster
from spielleiter.ladder.arena_ladder import FILE
from spielleiter.ladder.copying import has_ladder
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.game_queue import QueuedGame
from spielleiter.ladder.ladder import Ladder, LadderSettings
from spielleiter.ladder.roster import mark
from spielleiter.store import open_store
from spielleiter.web.app import create_app
from spielleiter.web.arena import Arena
from spielleiter.web.authentication import Authentication
from spielleiter.web.recorder import GameRecorder

PAGE, PAIRING, REFRESH = 100.0, 10.0, 5_000.0
"""What a page's data, the next pairing and a refreshed rating may take, in milliseconds."""
_FILTERS = (
    "result=lost",
    "seat=1&result=won",
    "fault=crashed",
    "fault=late",
    "reason=nothing",
    "opponent={version}",
    f"opponent={mark(6)}",
    "opening={number}",
)
"""What is wanted of a version's games; some of it does not exist at all."""
_QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@dataclass
class Timing:
    """How long something took, every time, in milliseconds."""

    what: str
    must: float
    times: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    """What this process spent of a processor, whoever else uses it; not what a server spent."""

    @contextlib.contextmanager
    def once(self) -> Iterator[None]:
        began, spent = time.perf_counter(), time.process_time()
        yield
        self.times.append(1_000 * (time.perf_counter() - began))
        self.cpu.append(1_000 * (time.process_time() - spent))

    @property
    def p95(self) -> float:
        """What one of twenty takes longer than."""
        return _p95(self.times)

    def row(self) -> dict[str, Any]:
        median = statistics.median(self.times)
        found = {
            "what": self.what,
            "p50_ms": median,
            "p95_ms": self.p95,
            "most_ms": max(self.times),
            "cpu_p50_ms": statistics.median(self.cpu),
            "cpu_p95_ms": _p95(self.cpu),
        }
        rounded = {name: round(x, 2) if isinstance(x, float) else x for name, x in found.items()}
        return rounded | {"must_ms": self.must, "times": len(self.times)}


def _p95(times: list[float]) -> float:
    return sorted(times)[max(0, round(0.95 * len(times)) - 1)]


class Site:
    """The arena's application, asked without a network."""

    def __init__(self, accounts: ArenaAccounts, ladder: Ladder, folder: Path) -> None:
        self._recorder = GameRecorder()
        arena = Arena(
            recorder=self._recorder,
            service=None,  # type: ignore[arg-type]  # no game is played here
            rights=Authentication(folder),
            accounts=accounts,
            ladder=ladder,
        )
        arena.library.ladder = ladder.record_of
        self._app, self._headers = (
            create_app(arena),
            {"authorization": f"Bearer {_token(accounts)}"},
        )
        self._loop = asyncio.new_event_loop()

    def get(self, path: str) -> httpx.Response:
        return self._loop.run_until_complete(self._get(path))

    def close(self) -> None:
        self._recorder.close()
        self._loop.close()

    async def _get(self, path: str) -> httpx.Response:
        transport = httpx.ASGITransport(self._app, client=("127.0.0.1", 40_000))
        async with httpx.AsyncClient(
            transport=transport, base_url="http://localhost:8080", headers=self._headers
        ) as client:
            return await client.get(path)


def _token(accounts: ArenaAccounts) -> str:
    """A token of somebody in the first team."""
    known = accounts.members.all()
    member = known[0] if known else accounts.members.register("Ada", "correct horse")
    if not known:
        accounts.teams.join(accounts.teams.invite("team0"), member.id)
    return accounts.logins.make_token(member.id, "benchmark", ("read",), days=1.0)


def pages(season: Season, ladder: Ladder) -> dict[str, Callable[[random.Random], str]]:
    """Every page of people, bots and the ladder: where its data comes from."""
    found = [each.id for each in ladder.results.newest(EDITION, 200)]
    last = season.of_a_bot * 2 * season.teams

    def version(lot: random.Random) -> str:
        return season.version(lot.randrange(last))

    def filtered(player: Callable[[random.Random], str], query: str, lot: random.Random) -> str:
        names = {"version": version(lot), "number": lot.randrange(season.games // 2)}
        return f"/api/ladder/versions/{player(lot)}?{query.format(**names)}"

    return {
        "ladders": lambda lot: "/api/ladder",
        "table": lambda lot: f"/api/ladder/{EDITION}?start={lot.randrange(2 * season.teams)}",
        "newest games": lambda lot: f"/api/ladder/{EDITION}/games",
        "older games": lambda lot: (
            f"/api/ladder/{EDITION}/games?before={lot.randrange(2, season.games)}"
        ),
        "feed": lambda lot: f"/api/ladder/{EDITION}/feed.atom",
        "version": lambda lot: f"/api/ladder/versions/{version(lot)}",
        "mark": lambda lot: f"/api/ladder/versions/{mark(5)}",
        "failed games": lambda lot: f"/api/ladder/{EDITION}/games?fault=crashed",
        "games by reason": lambda lot: f"/api/ladder/{EDITION}/games?reason=nothing",
        **{f"version: {each}": partial(filtered, version, each) for each in _FILTERS},
        **{f"mark: {each}": partial(filtered, lambda lot: mark(5), each) for each in _FILTERS},
        "game": lambda lot: f"/api/ladder/games/{lot.choice(found)}",
        "replay": lambda lot: f"/api/replays/ladder/{lot.choice(found)}",
        "teams": lambda lot: "/api/teams",
        "team": lambda lot: f"/api/teams/team{lot.randrange(season.teams)}",
        "own team": lambda lot: "/api/teams/team0",
        "bot": lambda lot: f"/api/bots/bot{lot.randrange(2 * season.teams)}",
        "own bot": lambda lot: "/api/bots/bot0",
        "me": lambda lot: "/api/me",
    }


def measure_pages(site: Site, season: Season, ladder: Ladder, times: int) -> Iterator[Timing]:
    for name, path in pages(season, ladder).items():
        lot, timing = random.Random(1), Timing(f"page: {name}", PAGE)
        site.get(path(lot))  # the first of all loads what all need
        for _ in range(times):
            wanted = path(lot)
            with timing.once():
                answer = site.get(wanted)
            assert answer.status_code == 200, f"{wanted}: {answer.text}"
        yield timing


def measure_games(ladder: Ladder, count: int) -> Iterator[Timing]:
    """Games are claimed and finished in turn, four of them at a time."""
    claims, ends = Timing("next pairing", PAIRING), Timing("result kept", PAGE)
    running: list[QueuedGame] = []
    name = str(time.time())
    for number in range(count):
        with claims.once():
            game = ladder.claim(f"{name} {number}")
        assert game is not None
        running.append(game)
        if len(running) == 4:
            done = running.pop(0)
            with ends.once():
                ladder.finish(done, _entry(done))
    yield from (claims, ends)


def _entry(game: QueuedGame) -> str:
    data = json.loads(real_entry()) | {"key": game.id, "players": game.pairing.players}
    return json.dumps(data)


def measure_ratings(ladder: Ladder) -> Timing:
    refreshed = Timing("ratings refreshed", REFRESH)
    for number in range(3):
        game = ladder.claim(f"{time.time()} rated {number}")
        assert game is not None
        ladder.finish(game, _entry(game))
        ladder._unrated.add(EDITION)
        with refreshed.once():
            ladder.rate_now()
    return refreshed


@contextlib.contextmanager
def opened(
    folder: Path, database: str | None, season: Season
) -> Iterator[tuple[Site, Ladder, dict[str, float]]]:
    """A site with such a season; how many seconds it took to make and to open it."""
    where = database or str(folder / FILE)
    took: dict[str, float] = {}
    with open_accounts(folder, database, hasher=_QUICK) as accounts:
        if not has_ladder(where):
            began = time.perf_counter()
            add_people(accounts, season)
            add_games(where, season)
            took["made_s"] = round(time.perf_counter() - began, 1)
        began = time.perf_counter()
        with (
            contextlib.closing(open_store(where)) as record,
            contextlib.closing(LadderDatabase(where)) as tables,
        ):
            ladder = Ladder(record, tables, AccountsRoster(accounts), LadderSettings((EDITION,), 4))
            took["opened_s"] = round(time.perf_counter() - began, 1)
            with contextlib.closing(Site(accounts, ladder, folder)) as site:
                yield site, ladder, took


def measured(folder: Path, database: str | None, season: Season, times: int = 40) -> dict[str, Any]:
    """Everything, so many times each."""
    with opened(folder, database, season) as (site, ladder, took):
        timings = [
            *measure_pages(site, season, ladder, times),
            *measure_games(ladder, 5 * times),
        ]
        timings.append(measure_ratings(ladder))
    return {
        "when": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": {"processor": platform.machine(), "system": platform.system()},
        "python": platform.python_version(),
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "database": "SQLite" if database is None else "PostgreSQL",
        "teams": season.teams,
        "versions": season.versions,
        "games": season.games,
        **took,
        "rows": [each.row() for each in timings],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--database")
    parser.add_argument("--teams", type=int, default=1_000)
    parser.add_argument("--versions", type=int, default=10_000)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    season = Season(given.teams, given.versions, given.games)
    with contextlib.ExitStack() as stack:
        folder = given.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(exist_ok=True)
        found = measured(folder, given.database, season) | {"C": calibration()}
    for row in found["rows"]:
        verdict = "" if row["p95_ms"] <= row["must_ms"] else "  TOO SLOW"
        spent = f"{row['cpu_p50_ms']:9.1f} {row['cpu_p95_ms']:9.1f} ms of a processor"
        print(f"{row['what']:20} {row['p50_ms']:9.1f} {row['p95_ms']:9.1f} ms,{spent}{verdict}")
    print({name: value for name, value in found.items() if name != "rows"}, file=sys.stderr)
    if given.out is not None:
        given.out.write_text(json.dumps(found, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
