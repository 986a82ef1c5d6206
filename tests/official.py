"""The contest's own Python clients, from the package index, in virtual environments of their own.

A game's tests bring a small program that runs inside such an environment, plays moves drawn from
what is in `SEED`, and writes what it saw as JSON lines into the file `SEEN`:
`{"turn": 0, "board": …}` for every state.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spielleiter import client
from spielleiter.game import Bot, Clock, Game
from spielleiter.match import Ended, Event, Opened, Played
from spielleiter.server import ServedGame, Settings
from spielleiter.server.served_game import Start
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
        # Its own pip would take longer than all that it installs.
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(workshop)], check=True)
        pip = [sys.executable, "-m", "pip", "--python", str(_python(workshop))]
        install = [*pip, "install", "--quiet", "--no-compile", *requirements]
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


def _never(position: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Official:
    """An official client: the Python it runs in, and the program that plays."""

    python: Path
    program: Path
    stumbles: Callable[[Any], bool] = _never
    """Whether the client breaks off when it is told that position, by a fault of its own …"""
    fault: str = ""
    """… and how it complains then."""

    async def play(self, port: int, code: str | None, seen: Path, seed: str) -> str:
        """Play a game; what the client complained of when it broke off, "" if it did not."""
        arguments = ["--host", "127.0.0.1", "--port", str(port)]
        arguments += ["--reservation", code] if code else []
        process = await asyncio.create_subprocess_exec(
            self.python,
            self.program,
            *arguments,
            cwd=seen.parent,
            env={**os.environ, "SEEN": str(seen), "SEED": seed},
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, complaint = await asyncio.wait_for(process.communicate(), PATIENCE)
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        return complaint.decode()[-2000:] if process.returncode else ""


async def _ours(port: int, code: str | None, game: Game) -> str:
    await asyncio.to_thread(
        client.join, Ours(), "127.0.0.1", port, reservation=code, game=game.name
    )
    return ""


@dataclass(frozen=True, slots=True)
class Course:
    """How a test's game is set up: who sits where, whether seats are reserved, where it begins."""

    official: tuple[bool, bool]
    reserved: bool
    start: str | None = None
    """A position; None: drawn from the seed."""


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
    """Play the games, always the same ones: the clients must see the very positions they had.

    Each ends regularly, unless it comes to a position at which the client is known to stumble.
    """

    async def play_all() -> None:
        several = asyncio.Semaphore(AT_ONCE)

        async def one(seed: int, course: Course) -> None:
            async with several:
                play = play_course(game, official, course, board, folder, seed)
                await asyncio.wait_for(play, PATIENCE)

        async with asyncio.TaskGroup() as group:
            for seed, course in enumerate(courses):
                group.create_task(one(seed, course))

    asyncio.run(play_all())


async def play_course(
    game: Game,
    official: Official,
    course: Course,
    board: Callable[[Any], Any],
    folder: Path,
    seed: int,
) -> None:
    """One game on a server of its own."""
    told: dict[str, list[Event]] = defaultdict(list)
    here = folder / str(seed)
    here.mkdir()
    complaints = await _play(game, official, course, told, here, seed)
    (events,) = told.values()
    ended = events[-1]
    assert isinstance(ended, Ended)
    positions = list(_positions(game, events))
    good = list(itertools.takewhile(lambda each: not official.stumbles(each), positions))
    if len(good) < len(positions):
        broken = tuple(official.fault in each for each in complaints)
        assert broken == course.official, complaints
    else:
        assert not any(complaints), complaints
        assert ended.regular, ended
    notes = list(here.glob("seen-*"))
    assert len(notes) == (sum(course.official) if good else 0)
    for path in notes:
        seen = [json.loads(line) for line in path.read_text().splitlines()]
        assert seen == [{"turn": each.ply, "board": board(each)} for each in good]


async def _play(
    game: Game,
    official: Official,
    course: Course,
    told: dict[str, list[Event]],
    here: Path,
    seed: int,
) -> list[str]:
    """Play the game; what those who broke off complained of, "" for who did not."""

    def note(room: str, event: Event) -> None:
        told[room].append(event)

    given = Start(game.parse(course.start)) if course.start else None

    def start(table: ServedGame, prepared: bool) -> Start | None:
        return given

    settings = Settings(clock=UNHURRIED, seed=seed)
    async with serving([game], settings, sinks=[note], start=start) as server:
        codes: Sequence[str | None] = (None, None)
        if course.reserved:
            codes = (await prepared(await Peer.admin_at(server))).reservations
        players = []
        async with asyncio.TaskGroup() as group:
            for seat, is_official in enumerate(course.official):
                code = codes[seat]
                players.append(
                    group.create_task(
                        official.play(server.port, code, here / f"seen-{seat}", f"{seed}.{seat}")
                        if is_official
                        else _ours(server.port, code, game)
                    )
                )
                while not (course.reserved or _players(server) or players[0].done()):
                    await asyncio.sleep(0.01)  # who comes first plays first
        return [player.result() for player in players]


def _players(server: Any) -> int:
    return sum(len(line.rooms) for line in server.lobby.clients)


def _positions(game: Game, events: Sequence[Event]) -> Iterator[Any]:
    opened = events[0]
    assert isinstance(opened, Opened)
    position = game.parse(opened.position)
    yield position.copy()
    for event in events:
        if isinstance(event, Played):
            position.play(position.move(event.move))
            yield position.copy()
