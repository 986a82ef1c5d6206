"""A whole arena on loopback for tests: its own folder, free ports, the real processes."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import ClientConnection, connect

from spielleiter.programs.contest_store import opened_if_begun
from spielleiter.service.arena import ArenaSettings, OpenArena, open_arena
from tests.forked import copied_service

PASSWORD = "correct horse"
PATIENCE = 60.0
"""Seconds after which a test gives up: far more than anything here takes."""


def settings(folder: Path, **changes: Any) -> ArenaSettings:
    """Free ports, one process for players, no demo."""
    chosen: dict[str, Any] = {
        "host": "127.0.0.1",
        "port": 0,
        "xml_port": 0,
        "binary_port": 0,
        "data": folder,
        "games": 20,
        "players": 1,
        "thinking": 0.2,
        "demo": False,
        "names": (),
        "https": False,
        "password": "administrator",
        "verbose": 0,
    }
    return ArenaSettings(**chosen | changes)


@contextmanager
def arena(folder: Path, **changes: Any) -> Iterator[Visitor]:
    """An open arena and somebody who visits it."""
    ready = threading.Event()
    loop = asyncio.new_event_loop()
    box: dict[str, Any] = {}

    async def serve() -> None:
        box["stop"] = stop = asyncio.Event()
        chosen = settings(folder, **changes)
        async with open_arena(chosen, opened_if_begun, on_failure=stop.set) as is_open:
            box["open"] = is_open
            ready.set()
            await stop.wait()

    def run() -> None:
        try:
            loop.run_until_complete(serve())
        except BaseException as problem:
            box["problem"] = problem
        finally:
            ready.set()
            loop.close()

    thread = threading.Thread(target=run, name="arena")
    with copied_service():
        thread.start()
        assert ready.wait(PATIENCE)
    if "problem" in box:
        raise box["problem"]
    visitor = Visitor(box["open"], loop)
    try:
        yield visitor
    finally:
        visitor.http.close()
        if not loop.is_closed():
            with suppress(RuntimeError):  # it may close by itself
                loop.call_soon_threadsafe(box["stop"].set)
        thread.join(PATIENCE)
        assert not thread.is_alive()
        if "problem" in box:
            raise box["problem"]


@dataclass
class Visitor:
    """A browser, as far as the API can tell."""

    opened: OpenArena
    loop: asyncio.AbstractEventLoop
    http: httpx.Client = field(init=False)
    csrf: str = ""

    def __post_init__(self) -> None:
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.opened.port}", timeout=PATIENCE)

    def get(self, path: str, **query: Any) -> Any:
        """What the API says there."""
        answer = self.http.get(path, params=query)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def post(self, path: str, body: Any = None) -> httpx.Response:
        """Ask for a change."""
        return self.http.post(path, json=body, headers={"x-csrf-token": self.csrf})

    def log_in(self) -> None:
        """Become the organiser, whether there is a password or not."""
        known = self.get("/api/session")["password_set"]
        path = "/api/session" if known else "/api/first-password"
        answer = self.post(path, {"password": PASSWORD})
        assert answer.status_code in (200, 201), answer.text
        self.csrf = answer.json()["csrf"]

    def order(self, edition: str, *seats: dict[str, Any], **more: Any) -> Any:
        """Open a game."""
        body = {"edition": edition, "seats": seats, "delay": 0, **more}
        answer = self.post("/api/games", body)
        assert answer.status_code == 201, answer.text
        return answer.json()

    def seat(self, game: str, seat: int, token: str, lang: str = "en") -> ClientConnection:
        """Sit down as a person."""
        where = f"ws://127.0.0.1:{self.opened.port}/api/games/{game}/seats/{seat}"
        return connect(f"{where}?token={token}&lang={lang}", open_timeout=PATIENCE, proxy=None)

    @contextmanager
    def feed(self, game: str, after: int | None = None, lang: str = "en") -> Iterator[Any]:
        """What is told of a game: (number, kind, data), one after the other."""
        headers = {} if after is None else {"last-event-id": str(after)}
        path = f"/api/games/{game}/feed?lang={lang}"
        with self.http.stream("GET", path, headers=headers) as answer:
            assert answer.status_code == 200, answer.status_code
            yield messages(answer.iter_lines())

    def watch_to_the_end(self, game: str) -> list[tuple[int, str, Any]]:
        """Everything the feed tells until the game is over, the last message says so."""
        with self.feed(game) as told:
            heard = list(told)
        _, kind, last = heard[-1]
        told_of = last["game"]["summary"] if kind == "snapshot" else last["summary"]
        assert told_of["state"] == "finished"
        return heard


def messages(lines: Iterator[str]) -> Iterator[tuple[int, str, Any]]:
    """Server-sent events as numbers, kinds and data."""
    said: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        if line:
            said[name] = value
            continue
        if "data" in said:
            yield int(said["id"]), said["event"], json.loads(said["data"])
        said = {}


def person() -> dict[str, Any]:
    return {"kind": "person"}


def built_in(player: str = "random", level: int | None = None) -> dict[str, Any]:
    return {"kind": "built-in", "player": player, "level": level}


def external() -> dict[str, Any]:
    return {"kind": "external"}
