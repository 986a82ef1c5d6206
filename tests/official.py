"""The contest's own Python clients, from the package index, in virtual environments of their own.

A game's tests bring a small program that runs inside such an environment, plays with random moves
and writes what it saw as JSON lines: `{"turn": 0, "board": …}` for every state.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielleiter import client
from spielleiter.game import Bot, Clock, Game
from spielleiter.match import Ended, Event, Opened, Played
from spielleiter.server import Settings
from tests.peers import UNHURRIED, Peer, prepared, serving
from tests.system import missing

CACHE = Path(__file__).parents[1] / "build" / "clients"
PATIENCE = 120.0
AT_ONCE = 3


# ---------------------------------------------------------------------------------- environments


def environment(*requirements: str) -> Path:
    """The Python of an environment with these packages, made once and kept in the build folder."""
    home = CACHE / requirements[0].replace("==", "-")
    if not home.exists():
        _make(home, requirements)
    return _python(home)


def _make(home: Path, requirements: Sequence[str]) -> None:
    CACHE.mkdir(parents=True, exist_ok=True)
    workshop = Path(tempfile.mkdtemp(dir=CACHE, prefix=".making-"))
    try:
        subprocess.run([sys.executable, "-m", "venv", str(workshop)], check=True)
        install = [str(_python(workshop)), "-m", "pip", "install", "--quiet", *requirements]
        done = subprocess.run(install, capture_output=True, text=True)
        if done.returncode:
            missing(f"the official client cannot be installed: {done.stderr[-200:]}")
        workshop.rename(home)
    except OSError:
        if not home.exists():  # somebody else may have been faster
            raise
    finally:
        shutil.rmtree(workshop, ignore_errors=True)


def _python(home: Path) -> Path:
    return home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


# ----------------------------------------------------------------------------------------- games


class Ours(Bot):
    """A built-in player: the legal moves one after the other."""

    name = "ours"

    def choose(self, position: Any, clock: Clock) -> Any:
        moves = position.legal_moves()
        return moves[(7 * position.ply) % len(moves)]


@dataclass(frozen=True, slots=True)
class Official:
    """An official client: the Python it runs in, and the program that plays."""

    python: Path
    program: Path

    async def play(self, port: int, code: str | None, seen: Path) -> None:
        arguments = ["--host", "127.0.0.1", "--port", str(port)]
        arguments += ["--reservation", code] if code else []
        process = await asyncio.create_subprocess_exec(
            self.python,
            self.program,
            *arguments,
            cwd=seen.parent,
            env={**os.environ, "SEEN": str(seen)},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, complaint = await asyncio.wait_for(process.communicate(), PATIENCE)
        except TimeoutError:
            process.kill()
            raise
        assert process.returncode == 0, complaint.decode()[-2000:]


async def _ours(port: int, code: str | None, game: Game) -> None:
    await asyncio.to_thread(
        client.join, Ours(), "127.0.0.1", port, reservation=code, game=game.name
    )


@dataclass(frozen=True, slots=True)
class Course:
    """How a test's game is set up: who sits where, and whether seats are reserved."""

    official: tuple[bool, bool]
    reserved: bool


COURSES = (
    Course((True, False), reserved=False),
    Course((False, True), reserved=True),
    Course((True, True), reserved=True),
    Course((True, False), reserved=True),
    Course((True, True), reserved=False),
)


def play_courses(
    game: Game,
    official: Official,
    courses: Sequence[Course],
    board: Callable[[Any], Any],
    folder: Path,
) -> None:
    """Play the games; each must end regularly, with the very positions that the clients saw."""

    async def play_all() -> None:
        several = asyncio.Semaphore(AT_ONCE)

        async def one(course: Course, here: Path) -> None:
            async with several:
                await asyncio.wait_for(play_course(game, official, course, board, here), PATIENCE)

        await asyncio.gather(*(one(each, folder / str(n)) for n, each in enumerate(courses)))

    asyncio.run(play_all())


async def play_course(
    game: Game, official: Official, course: Course, board: Callable[[Any], Any], here: Path
) -> None:
    """One game on a server of its own."""
    told: dict[str, list[Event]] = defaultdict(list)
    here.mkdir()
    await _play(game, official, course, told, here)
    (events,) = told.values()
    assert isinstance(events[-1], Ended)
    assert events[-1].regular, events[-1]
    happened = list(_positions(game, events, board))
    notes = list(here.glob("seen-*"))
    assert len(notes) == sum(course.official)
    for path in notes:
        assert [json.loads(line) for line in path.read_text().splitlines()] == happened


async def _play(
    game: Game, official: Official, course: Course, told: dict[str, list[Event]], here: Path
) -> None:
    def note(room: str, event: Event) -> None:
        told[room].append(event)

    async with serving([game], Settings(clock=UNHURRIED), sinks=[note]) as server:
        codes: Sequence[str | None] = (None, None)
        if course.reserved:
            codes = (await prepared(await Peer.admin_at(server))).reservations
        players = []
        for seat, is_official in enumerate(course.official):
            code = codes[seat]
            seen = here / f"seen-{seat}"
            players.append(
                asyncio.create_task(
                    official.play(server.port, code, seen)
                    if is_official
                    else _ours(server.port, code, game)
                )
            )
            while not course.reserved and _players(server) <= seat:
                await asyncio.sleep(0.01)
        await asyncio.gather(*players)


def _players(server: Any) -> int:
    return sum(len(line.rooms) for line in server._lines)


def _positions(game: Game, events: Sequence[Event], board: Callable[[Any], Any]) -> Any:
    opened = events[0]
    assert isinstance(opened, Opened)
    position = game.parse(opened.position)
    yield {"turn": position.ply, "board": board(position)}
    for event in events:
        if isinstance(event, Played):
            position.play(position.move(event.move))
            yield {"turn": position.ply, "board": board(position)}
