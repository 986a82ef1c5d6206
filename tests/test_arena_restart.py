"""Whatever happened is there after the arena was killed; what was running is broken off."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from spielleiter import games
from spielleiter.match import Match, PerMove
from spielleiter.match.inputs import Join, MoveSent
from spielleiter.store import open_store
from spielleiter.store.address import STORE
from spielleiter.web.game_state import GameInfo
from spielleiter.web.models import SeatKind
from spielleiter.web.recorder import GameRecorder
from tests.arenas import PASSWORD, PATIENCE, Visitor, arena, built_in
from tests.contests import kept

EDITION = games.names()[0]
SEATS = games.load(EDITION).start().seats


@contextmanager
def started(folder: Path, **how: Any) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """The real command, and its address."""
    words = ["arena", "--port", "0", "--xml-port", "0", "--binary-port", "0", "--players", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "spielleiter", *words, "--data", str(folder), "--no-demo"],
        stdout=subprocess.PIPE,
        **how,
    )
    assert process.stdout is not None
    greeting = process.stdout.readline().decode()
    try:
        yield process, greeting.split()[-1].rstrip("/")
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate(timeout=PATIENCE)


def ordered(http: httpx.Client, csrf: str, **more: object) -> str:
    body = {"edition": EDITION, "seats": [built_in("random")] * SEATS, "delay": 0, **more}
    answer = http.post("/api/games", json=body, headers={"x-csrf-token": csrf})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def stepped(http: httpx.Client, csrf: str, game: str, turns: int) -> int:
    """Let a held game go on for so many turns; the number of the last event that was told."""
    for turn in range(1, turns + 1):
        answer = http.post(f"/api/games/{game}/step", headers={"x-csrf-token": csrf})
        assert answer.status_code == 204, answer.text
        until(partial(has_come_to, turn, http, game))
    return int(seen(http, game)["event"])


def has_come_to(turn: int, http: httpx.Client, game: str) -> bool:
    return bool(seen(http, game)["summary"]["turn"] == turn)


def seen(http: httpx.Client, game: str) -> Any:
    return http.get(f"/api/games/{game}").json()


def until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.mark.skipif(os.name == "nt", reason="Windows knows no SIGKILL")
def test_after_a_kill_finished_games_are_there_and_running_ones_are_broken_off(
    tmp_path: Path,
) -> None:
    with (
        started(tmp_path) as (process, address),
        httpx.Client(base_url=address, timeout=PATIENCE) as http,
    ):
        csrf = http.post("/api/first-password", json={"password": PASSWORD}).json()["csrf"]
        finished = ordered(http, csrf)
        with http.stream("GET", f"/api/games/{finished}/feed") as feed:
            for _ in feed.iter_lines():
                pass
        told = seen(http, finished)
        running = ordered(http, csrf, paused=True)
        last = stepped(http, csrf, running, turns=3)
        until(lambda: kept(tmp_path / STORE, f"{running}/{last}") == 1)
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
    with arena(tmp_path) as visitor:
        again = visitor.get(f"/api/games/{finished}")
        assert again["turns"] == told["turns"]
        assert again["summary"]["result"] == told["summary"]["result"]
        assert again["position"] == told["position"]
        broken = visitor.get(f"/api/games/{running}")
        assert broken["summary"]["state"] == "aborted"
        assert broken["summary"]["turn"] == 3
        check_that_spectators_are_told(visitor, running, broken["event"])
        assert [g["id"] for g in visitor.get("/api/games")["games"]] == [running, finished]
        assert visitor.get("/api/games", state="aborted")["games"][0]["id"] == running
        check_that_it_is_played_on(visitor, running)


def check_that_spectators_are_told(visitor: Visitor, broken: str, last: int) -> None:
    """Who had seen all events comes back and hears that there will be no more, once."""
    with visitor.feed(broken, after=last - 1) as told:
        ((number, kind, data),) = told
    assert (number, kind) == (last, "snapshot")
    assert data["game"]["summary"]["state"] == "aborted"
    headers = {"last-event-id": str(last)}
    assert visitor.http.get(f"/api/games/{broken}/feed", headers=headers).status_code == 204


def check_that_it_is_played_on(visitor: Visitor, broken: str) -> None:
    visitor.log_in()
    start = {"game": broken, "turn": 2}
    game = visitor.order(EDITION, *[built_in("random")] * SEATS, start=start)["id"]
    visitor.watch_to_the_end(game)


@pytest.mark.parametrize(
    "to_all",
    [pytest.param(False, marks=pytest.mark.deep), True],
    ids=["to one process", "to all of them"],
)
def test_a_stop_by_signal_tells_everybody_and_ends_with_success(
    to_all: bool, tmp_path: Path
) -> None:
    if to_all and os.name == "nt":
        pytest.skip("only POSIX has groups of processes")
    with (
        started(tmp_path, stderr=subprocess.PIPE, start_new_session=to_all) as (process, address),
        httpx.Client(base_url=address, timeout=PATIENCE) as http,
    ):
        csrf = http.post("/api/first-password", json={"password": PASSWORD}).json()["csrf"]
        game = ordered(http, csrf, delay=10)
        with http.stream("GET", f"/api/games/{game}/feed") as feed:
            lines = feed.iter_lines()
            while "snapshot" not in next(lines):
                pass
            if to_all:
                os.killpg(process.pid, signal.SIGTERM)
            else:
                process.send_signal(signal.SIGTERM)
            assert "event: end" in list(lines)
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert b"leaked" not in process.stderr.read()


# ------------------------------------------------------------------------------ without a network


def played(recorder: GameRecorder, name: str, plies: int) -> Match:
    """The first moves of a game, told to a recorder."""
    seats = SEATS
    match = Match(games.load(EDITION).start(1), clock=PerMove(None, None), names=["x"] * seats)
    kind: SeatKind = "built-in"
    recorder.announce(name, GameInfo((kind,) * seats, "arena", 1_000.0))
    recorder.record(name, match.opened)
    for seat in range(seats):
        for event in match.handle(Join(0.0, seat)):
            recorder.record(name, event)
    for ply in range(plies):
        move, seat = match.position.legal_moves()[0], match.position.to_move()
        for event in match.handle(MoveSent(float(ply), seat, move)):
            recorder.record(name, event)
    return match


def test_pages_of_the_lobby_show_every_game_once_newest_first(tmp_path: Path) -> None:
    async def fill() -> None:
        recorder = GameRecorder(open_store(tmp_path / "a.db"))
        for number in range(7):
            played(recorder, f"game-{number}", plies=number)
        recorder.close()

    asyncio.run(fill())
    store = open_store(tmp_path / "a.db")
    recorder = GameRecorder(store)
    pages, before = [], None
    while True:
        page, before = recorder.summaries("en", before=before, limit=3)
        pages.append([summary.id for summary in page])
        if before is None:
            break
    assert pages == [
        ["game-6", "game-5", "game-4"],
        ["game-3", "game-2", "game-1"],
        ["game-0"],
    ]
    found, _ = recorder.summaries("en")
    assert [summary.turn for summary in found] == [6, 5, 4, 3, 2, 1, 0]
    assert {summary.state for summary in found} == {"aborted"}
    assert not list(store.check())
    recorder.close()
    store.close()


def test_events_of_games_that_nobody_opened_are_left_alone() -> None:
    recorder = GameRecorder()
    match = Match(games.load(EDITION).start(1))
    (event,) = match.handle(Join(0.0, 0))
    recorder.record("unknown", event)
    assert recorder.is_empty
