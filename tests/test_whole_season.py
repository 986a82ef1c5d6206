"""A season from the first upload to the final table, as its users have it: over HTTP, with an arena
of its own, bots that were really uploaded and checked, and the sandbox at its level `isolated`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from spielleiter import games
from spielleiter.handin.project import create
from spielleiter.season.season import CONTEST, RECORD
from spielleiter.season.season_player import FOLDER
from tests.browser import arenas
from tests.contests import QUICK, said
from tests.independent_table import table

PASSWORD = "open sesame seeds"
PATIENCE = 1_200.0
"""Seconds that checks of uploads, and the games of a match day, may take on a busy machine."""
FORM = {"name": "School league", "game": QUICK, "format": "league", "games": 2, "seed": 3}

pytestmark = [pytest.mark.deep, pytest.mark.usefixtures("box")]


@dataclass
class Visitor:
    """Somebody who is logged in."""

    client: httpx.Client

    def ask(self, method: str, path: str, **more: Any) -> Any:
        answer = self.client.request(method, path, **more)
        assert answer.is_success, f"{method} {path}: {answer.text}"
        return answer.json() if answer.content else None

    def post(self, path: str, body: Any = None) -> Any:
        found = self.ask("POST", path, json=body or {})
        if isinstance(found, dict) and "csrf" in found:
            self.client.headers["x-csrf-token"] = found["csrf"]
        return found


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.5)


@contextmanager
def visitors(arena: arenas.Arena) -> Iterator[Callable[[], Visitor]]:
    """Makes visitors who know nothing of each other."""
    with ExitStack() as stack:
        yield lambda: Visitor(
            stack.enter_context(httpx.Client(base_url=arena.address, timeout=PATIENCE))
        )


def uploaded(member: Visitor, name: str, bot: bytes) -> tuple[Visitor, str, str]:
    """A member with a team whose bot waits for its check; the team and the version."""
    member.post("/api/members", {"name": f"In {name}", "password": PASSWORD, "code": ""})
    team = member.post("/api/teams", {"name": name})["id"]
    made = member.post(f"/api/teams/{team}/bots", {"edition": QUICK, "name": f"Bot of {name}"})
    sent = member.ask(
        "POST", f"/api/bots/{made['id']}/versions", params={"name": "bot.py"}, content=bot
    )
    return member, team, sent["id"]


def test_uploaded_bots_play_a_season_to_its_final_table(tmp_path: Path) -> None:
    create(tmp_path / "first", games.load(QUICK))
    bot = (tmp_path / "first" / "bot.py").read_bytes()
    data = tmp_path / "data"
    with arenas.arena(data, "--no-demo", "--ladder", "1") as arena:
        with visitors(arena) as visitor:
            season, file = played(visitor, bot)
        path = str(data / FOLDER / season / RECORD)
        assert file["state"] == "finished"
        contest = httpx.get(f"{arena.address}api/contests/{file['contest']}").json()
    names = {each["team"]: each["name"] for each in file["entries"]}
    shown = [row["team"] for row in contest["phases"][-1]["standings"]]
    assert shown == [names[team] for team, _ in table(path)]
    verified = said(data / FOLDER / season, "contest", "verify", CONTEST)
    assert "annul" in said(data / FOLDER / season, "contest", "rulings", CONTEST)
    assert verified


def played(visitor: Callable[[], Visitor], bot: bytes) -> tuple[str, Any]:
    """A season from its first day to its last; its id, and how it looks in the end."""
    organiser = visitor()
    organiser.post("/api/first-password", {"password": arenas.PASSWORD})
    season = organiser.post("/api/seasons", {"form": FORM})["id"]
    form = FORM | {"late_until": 3, "unofficial": True}
    organiser.ask("PUT", f"/api/seasons/{season}", json={"form": form})
    organiser.post(f"/api/seasons/{season}/actions", {"action": "open"})
    teams = [
        uploaded(visitor(), name, bot + f"\n# {name}\n".encode())
        for name in ("Kraken", "Nautilus", "Calypso", "Latecomers")
    ]

    def view() -> Any:
        return organiser.ask("GET", f"/api/seasons/{season}")

    def days_played() -> int:
        return sum(day["over"] for day in view()["days"])

    def act(action: str) -> None:
        organiser.post(f"/api/seasons/{season}/actions", {"action": action})

    for member, team, version in teams:
        until(lambda: member.ask("GET", f"/api/versions/{version}")["state"] != "waiting")  # noqa: B023
        found = member.ask("GET", f"/api/versions/{version}")
        assert found["state"] == "released", found["findings"]
        if team != teams[-1][1]:
            member.ask("PUT", f"/api/seasons/{season}/entries/{team}", json={"version": version})
    act("start")
    until(lambda: view()["state"] == "running" or view()["check"]["state"] == "failed")
    assert view()["state"] == "running", view()["check"]
    organiser.post(f"/api/seasons/{season}/days")  # by button
    until(lambda: days_played() >= 1)
    late, team, version = teams[-1]
    late.ask("PUT", f"/api/seasons/{season}/entries/{team}", json={"version": version})
    until(lambda: len(view()["entries"]) == len(teams))
    order = {"form": view()["form"], "times": {str(view()["released"] + 1): time.time() + 1.0}}
    organiser.ask("PUT", f"/api/seasons/{season}", json=order)  # at a time
    until(lambda: view()["released"] >= 2)
    act("pause")
    organiser.post(
        f"/api/seasons/{season}/rulings",
        {"action": "annul", "scope": "day 1", "reason": "power cut"},
    )
    act("resume")
    organiser.post(f"/api/seasons/{season}/days", {"day": len(view()["days"])})
    until(lambda: view()["is_over"])
    act("finish")
    return season, view()
