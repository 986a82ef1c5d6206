"""Attacks on the game servers while real games run: none of those is disturbed."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks import server_load
from spielleiter import games
from spielleiter.client import binary
from spielleiter.game import Bot
from spielleiter.match import Ended, Event, PerMove
from spielleiter.protocol.lobby import Joined
from spielleiter.server import ServedGame, Server, Settings, Timekeeper, event_loop
from spielleiter.server.binary import BinarySettings, Board, Host
from spielleiter.service.service import speech_of
from tests.attack.network import BINARY, XML
from tests.peers import PATIENCE, UNHURRIED, Peer, prepared, seated, spoken

ROOT = Path(__file__).parents[2]
NEWEST = max(spoken(), key=lambda game: (game.name.split("-")[1], game.authority))
COURSE = next(games.load(name) for name in games.names() if speech_of(name) == "binary")


async def attack(protocol: str, port: int, count: int, *more: str) -> dict[str, int]:
    """How many conversations of each kind were held."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.attack.network", protocol, str(port),
        "--count", str(count), *more, cwd=ROOT, stdout=subprocess.PIPE,
    )  # fmt: skip
    out, _ = await process.communicate()
    assert process.returncode == 0
    done: dict[str, int] = json.loads(out)
    return done


# ------------------------------------------------------------------------------------------- XML


async def one_game(server: Server, admin: Peer, seed: int) -> None:
    """Two announced players who play to the end."""
    players = await seated(server, await prepared(admin))
    await asyncio.gather(*(player.play_on(seed + n) for n, player in enumerate(players)))
    for player in players:
        await player.gone()


async def games_until(done: asyncio.Event, server: Server, seed: int) -> None:
    admin = await Peer.admin_at(server)
    while not done.is_set():
        await one_game(server, admin, seed)
        seed += 2


async def besieged(server: Server, games: int, count: int) -> dict[str, int]:
    """Play so many games at a time, one after the other, while others attack."""
    over = asyncio.Event()
    await server.start()
    players = [
        asyncio.create_task(games_until(over, server, 1000 * number)) for number in range(games)
    ]
    done = await attack("xml", server.port, count)
    over.set()
    await asyncio.gather(*players)
    await server.stop()
    return done


def siege(games: int, count: int, clock: PerMove) -> tuple[list[Ended], dict[str, int]]:
    """How the announced games ended, and what attackers did meanwhile."""
    ended: list[Ended] = []

    def note(room: str, event: Event) -> None:
        if isinstance(event, Ended) and server.lobby.rooms[room].prepared:
            ended.append(event)

    time = Timekeeper()
    server = Server([NEWEST], Settings(port=0, clock=clock, seed=1), sinks=[note], time=time)
    with contextlib.closing(event_loop(time)) as loop:
        return ended, loop.run_until_complete(besieged(server, games, count))


def test_no_attack_on_the_xml_server_disturbs_a_game() -> None:
    ended, done = siege(games=2, count=20 * len(XML), clock=UNHURRIED)
    assert ended
    assert all(end.regular for end in ended)
    assert done.keys() >= XML.keys() - {"huge", "never-reads"}, "they may be cut off"


def beset(tables: int, count: int, pace: float) -> tuple[dict[str, int], int]:
    """What attackers did to a server of its own process, and how many games were played meanwhile.

    Native clients play them, at a pace as in a contest; an irregular result fails.
    """
    with (
        server_load.server("--soft", "10", "--hard", "20") as process,
        server_load.Load(process.port, starts=count // 8 + 1_000).going_on(tables, pace) as report,
    ):
        done = asyncio.run(attack("xml", process.port, count))
    assert report["irregular"] == 0
    return done, int(report["games"])


@pytest.mark.deep
@pytest.mark.skipif(sys.platform != "linux", reason="native clients wait with epoll")
def test_100_000_hostile_conversations_disturb_none_of_20_games() -> None:
    done, played = beset(tables=20, count=100_000, pace=0.2)
    assert played >= 20
    assert sum(done.values()) == 100_000


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_with_few_files_a_server_under_a_flood_lives_and_its_log_stays_short() -> None:
    import resource

    command = [sys.executable, "-m", "spielleiter", "serve", NEWEST.name, "--port", "0", "-v"]
    command += ["--authority", NEWEST.authority, "--soft", "60", "--hard", "90"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (128, 128)),
    )
    assert process.stdout is not None
    found = re.search(r":(\d+) for ", process.stdout.readline())
    assert found is not None
    port = int(found[1])
    served = ServedGame.of(NEWEST)

    async def joined() -> Peer:
        peer = Peer(served, *await asyncio.open_connection("127.0.0.1", port))
        peer.join()
        await peer.hear(Joined)
        return peer

    async def scene() -> None:
        players = [await joined(), await joined()]
        flood = [socket.create_connection(("127.0.0.1", port), PATIENCE) for _ in range(400)]
        players += [await joined(), await joined()]
        await asyncio.gather(*(player.play_on(n) for n, player in enumerate(players)))
        for sock in flood:
            sock.close()
        for player in players:
            await player.gone()

    try:
        asyncio.run(asyncio.wait_for(scene(), 120))
        assert process.poll() is None
    finally:
        process.terminate()
        _, log = process.communicate(timeout=PATIENCE)
    assert log.count("\n") < 200
    assert "Traceback" not in log


# ------------------------------------------------------------------------------ the course's bytes


@contextlib.contextmanager
def hosted(told: dict[str, list[Event]], **settings: Any) -> Iterator[Host]:
    """A course server in a thread of its own, for games without end."""
    time, started = Timekeeper(), threading.Event()
    wire = COURSE.part("wire")
    board = Board("siege.map", wire.map_of(COURSE.start()), wire)
    loop, hosts = event_loop(time), list[Host]()

    async def serve() -> None:
        host = Host(
            board,
            BinarySettings(port=0, games=None, **settings),
            sinks=[lambda room, event: told.setdefault(room, []).append(event)],
            time=time,
        )
        await host.start()
        hosts.append(host)
        started.set()
        await host.finished()

    thread = threading.Thread(target=lambda: loop.run_until_complete(serve()), daemon=True)
    thread.start()
    assert started.wait(PATIENCE)
    try:
        yield hosts[0]
    finally:
        asyncio.run_coroutine_threadsafe(hosts[0].stop(), loop).result(PATIENCE)
        thread.join(PATIENCE)
        loop.close()


class Patient(Bot):
    """Plays the first legal move, as soon as the attack is over."""

    name = "patient"

    def __init__(self, begun: threading.Barrier, over: threading.Event) -> None:
        self._begun, self._over = begun, over

    def choose(self, position: Any, clock: Any) -> Any:
        if not self._over.is_set():  # the first move of a game
            self._begun.wait(PATIENCE)
            assert self._over.wait(10 * PATIENCE)
        return position.legal_moves()[0]


def course_siege(pairs: int, count: int) -> tuple[list[binary.BinaryReport], dict[str, int]]:
    """What real players of the course's protocol report after an attack in the midst of a game."""
    told: dict[str, list[Event]] = {}
    begun, over = threading.Barrier(pairs + 1), threading.Event()
    reports: list[binary.BinaryReport] = []

    def play(bot: Bot, port: int) -> None:
        reports.append(binary.join(bot, COURSE, "127.0.0.1", port, 7))

    with hosted(told) as host:
        seats = host.seats
        players = [
            threading.Thread(target=play, args=(Patient(begun, over), host.port), daemon=True)
            for _ in range(pairs * seats)
        ]
        for player in players:
            player.start()
        begun.wait(PATIENCE)
        done = asyncio.run(attack("binary", host.port, count))
        over.set()
        for player in players:
            player.join(10 * PATIENCE)
    return reports, done


def test_no_attack_on_the_course_server_disturbs_a_game() -> None:
    reports, done = course_siege(pairs=2, count=20 * len(BINARY))
    assert len(reports) == 2 * COURSE.start().seats
    assert not any(report.disqualified for report in reports)
    assert done.keys() >= BINARY.keys() - {"huge", "garbage", "sits-and-babbles"}


@pytest.mark.deep
def test_20_000_hostile_conversations_with_the_course_server_disturb_none_of_10_games() -> None:
    reports, done = course_siege(pairs=10, count=20_000)
    assert len(reports) == 10 * COURSE.start().seats
    assert not any(report.disqualified for report in reports)
    assert sum(done.values()) == 20_000
