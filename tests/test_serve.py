"""`spielleiter serve` as a program: options, files, signals."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from spielleiter import client
from spielleiter.protocol.lobby import EndOfDocument, Joined, Left, Memento, MoveRequest, Result
from spielleiter.server import ServedGame
from tests.contests import ran
from tests.official import Ours
from tests.peers import Peer, spoken

NEWEST = max(spoken(), key=lambda game: (game.name.split("-")[1], game.authority))
TABLE = ServedGame.of(NEWEST)


@contextlib.contextmanager
def serve(
    folder: Path, *options: str, limits: tuple[float, float] = (60.0, 60.0)
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """The program and its port; killed at the end if it still lives."""
    command = [sys.executable, "-m", "spielleiter", "serve", NEWEST.name, "--port", "0", *options]
    command += ["--authority", NEWEST.authority, "--soft", str(limits[0])]
    command += ["--hard", str(limits[1])]
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = process.stdout.readline()
        found = re.match(r"listening on 127\.0\.0\.1:(\d+) for ", line)
        if found is None:
            raise AssertionError(line + process.stderr.read())
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


async def peer(port: int) -> Peer:
    return Peer(TABLE, *await asyncio.open_connection("127.0.0.1", port))


async def pair(port: int) -> list[Peer]:
    players = [await peer(port), await peer(port)]
    for player in players:
        player.join()
        await player.hear(Joined)
    return players


async def leave(*players: Peer) -> None:
    for player in players:
        await player.gone()


def test_two_built_in_players_meet_on_the_server(tmp_path: Path) -> None:
    with serve(tmp_path) as (_, port):

        async def scene() -> None:
            games = [
                asyncio.to_thread(client.join, Ours(), "127.0.0.1", port, game=NEWEST.name)
                for _ in range(2)
            ]
            first, second = await asyncio.wait_for(asyncio.gather(*games), 120)
            assert first.result == second.result
            assert {first.seat, second.seat} == {0, 1}

        asyncio.run(scene())


@pytest.mark.skipif(os.name == "nt", reason="no such signals there")
def test_a_termination_ends_games_writes_replays_and_says_goodbye(tmp_path: Path) -> None:
    with serve(tmp_path, "--saveReplay", "--compressed", "--on-stop", "cancel") as (process, port):

        async def scene() -> None:
            players = await pair(port)
            await players[0].play_on(1, moves=1)
            await players[1].hear(MoveRequest)
            process.send_signal(signal.SIGTERM)
            for player in players:
                await player.hear(Result)
                await player.hear(Left)
                assert isinstance((await player.hear_end())[-1], EndOfDocument)
            await leave(*players)

        asyncio.run(asyncio.wait_for(scene(), 120))
        assert process.wait(60) == 0
    (replay,) = (tmp_path / "replays").iterdir()
    assert replay.name.endswith("__.xml.gz")
    with serve(tmp_path, "--loadGameFile", str(replay), "--turn", "1") as (_, port):

        async def again() -> None:
            players = await pair(port)
            assert players[0].position(await players[0].hear(Memento)).ply == 1
            await leave(*players)

        asyncio.run(asyncio.wait_for(again(), 120))


@pytest.mark.skipif(os.name == "nt", reason="no such signals there")
def test_a_second_signal_ends_games_that_were_to_finish(tmp_path: Path) -> None:
    with serve(tmp_path) as (process, port):

        async def scene() -> None:
            players = await pair(port)
            await players[0].hear(MoveRequest)
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            assert "stopping" in await asyncio.to_thread(process.stderr.readline)
            process.send_signal(signal.SIGINT)
            for player in players:
                await player.hear(Result)
            await leave(*players)

        asyncio.run(asyncio.wait_for(scene(), 120))
        assert process.wait(60) == 0


def test_server_properties_are_read_and_options_win(tmp_path: Path) -> None:
    (tmp_path / "server.properties").write_text("port = 1\npaused = true\npassword = secret\n")
    with serve(tmp_path) as (_, port):

        async def scene() -> None:
            players = await pair(port)
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(players[0].hear(Memento), 0.3)
            await leave(*players)

        asyncio.run(asyncio.wait_for(scene(), 120))


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--host", "0.0.0.0"], "example password"),
        (["--loadGameFile", "no-such-file"], "no-such-file"),
        (["--strict", "kindness"], "kindness"),
        (["no-such-game"], "no-such-game"),
    ],
)
def test_what_cannot_be_is_said_in_plain_words(
    tmp_path: Path, options: list[str], complaint: str
) -> None:
    done = ran(tmp_path, "serve", "--port", "0", *options)
    assert done.returncode == 2
    assert complaint in done.stderr
    assert "Traceback" not in done.stderr
