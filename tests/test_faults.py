"""Clients that die, lie and attack: the server lives, and games of others are not disturbed."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import multiprocessing
import random
import sys
from collections.abc import Iterator
from multiprocessing.process import BaseProcess

import pytest

from spielleiter.protocol.lobby import JoinPrepared, Left, Prepared, Result
from spielleiter.server import Server, ServerLimits, Settings
from tests import talks
from tests.peers import PATIENCE, UNHURRIED, Peer, prepared, seated, serving, spoken

SPOKEN = spoken()
NEWEST = max(SPOKEN, key=lambda game: (game.name.split("-")[1], game.authority))


def settled(server: Server, lines: int) -> bool:
    """Whether nothing is left of the games but that many connections."""
    lobby = server.lobby
    return not (lobby.rooms or lobby._open or lobby._codes) and len(server.lobby.clients) == lines


async def until_settled(server: Server, lines: int) -> None:
    async with asyncio.timeout(PATIENCE):
        while not settled(server, lines):
            await asyncio.sleep(0.01)


# ---------------------------------------------------------------------------------- sudden deaths


def victims(port: int, codes: list[str], seed: int) -> None:
    """In a process of its own: one player for each code, until the process is killed."""

    async def play() -> None:
        from spielleiter.server import ServedGame

        async def one(number: int, code: str) -> None:
            streams = await asyncio.open_connection("127.0.0.1", port)
            peer = Peer(ServedGame.of(NEWEST), *streams)
            peer.say(JoinPrepared(code))
            await peer.play_on(seed + number)

        await asyncio.gather(*(one(number, code) for number, code in enumerate(codes)))
        await asyncio.sleep(3600)

    asyncio.run(play())


async def massacre(processes: int, games_each: int, seed: int) -> None:
    """Kill whole processes of players at random moments; their opponents must win."""
    chance = random.Random(seed)
    async with serving([NEWEST], Settings(clock=UNHURRIED)) as server:
        admin = await Peer.admin_at(server)
        for number in range(processes):
            seat = number % 2
            rooms = [await prepared(admin) for _ in range(games_each)]
            codes = [room.reservations[seat] for room in rooms]
            process = _killable(server.port, codes, seed + 1000 * number)
            survivors = []
            for room in rooms:
                peer = await Peer.at(server)
                peer.say(JoinPrepared(room.reservations[1 - seat]))
                survivors.append(peer)
            playing = [asyncio.create_task(p.play_on(n)) for n, p in enumerate(survivors)]
            while any(_waits(server, room) for room in rooms):
                await asyncio.sleep(0.01)
            await asyncio.sleep(chance.uniform(0.0, 0.5))
            process.kill()
            process.join()
            for result in await asyncio.wait_for(asyncio.gather(*playing), 2 * PATIENCE):
                assert result is not None
                _won_or_regular(result, survivors[0].table.wire.teams[1 - seat])
            for peer in survivors:
                await peer.hear(Left)
                await peer.gone()
        await until_settled(server, lines=1)
        assert server.metrics.counts["dropped", "our own mistake"] == 0
        assert server.metrics.connections == 1
        assert server.metrics.rooms == 0


def _waits(server: Server, prepared_room: Prepared) -> bool:
    room = server.lobby.rooms.get(str(prepared_room.room))
    return room is not None and not room.match.began


def _killable(port: int, codes: list[str], seed: int) -> BaseProcess:
    process = multiprocessing.get_context("spawn").Process(
        target=victims, args=(port, codes, seed), daemon=True
    )
    process.start()
    return process


def _won_or_regular(result: Result, team: str) -> None:
    (winner,) = result.winners
    assert winner.regular or winner.team == team, winner


def test_opponents_of_killed_players_win_and_nothing_is_left_behind() -> None:
    asyncio.run(massacre(processes=2, games_each=5, seed=1))


@pytest.mark.deep
def test_a_thousand_games_with_killed_players() -> None:
    asyncio.run(massacre(processes=50, games_each=20, seed=2))


@pytest.mark.parametrize("moves", [0, 1, 5])
@pytest.mark.parametrize("seat", [0, 1])
def test_whoever_vanishes_loses_at_once(moves: int, seat: int) -> None:
    async def scene() -> None:
        async with serving([NEWEST], Settings(clock=UNHURRIED)) as server:
            admin = await Peer.admin_at(server)
            players = await seated(server, await prepared(admin))
            other = asyncio.create_task(players[1 - seat].play_on(1))
            await players[seat].play_on(2, moves=moves)
            players[seat].writer.transport.abort()
            result = await other
            assert result is not None
            _won_or_regular(result, players[0].table.wire.teams[1 - seat])
            assert not result.winners[0].regular

    asyncio.run(asyncio.wait_for(scene(), 2 * PATIENCE))


# ---------------------------------------------------------------------------------------- attacks

BOMB = (
    b'<?xml version="1.0"?><!DOCTYPE p [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    b'<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><protocol><join gameType="&c;"/>'
)
CLASSICS = [
    BOMB,
    b"<protocol>" + b"<a>" * 5_000,
    b"<protocol><join " + b" ".join(b'a%d="1"' % n for n in range(5_000)) + b"/>",
    b'<protocol><join gameType="' + b"x" * 200_000 + b'"/>',
    b"<protocol><!--" + b"-" * 200_000,
    b"<protocol>" + b"<join/>" * 2_000,
    b"<protocol><room roomId='" + b"&#x10FFFF;" * 5_000,
    b"\x00" * 1_000,
    b"\xff\xfe" + "<protocol><join/>".encode("utf-16-le"),
    b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"<protocol><room roomId='x'><data class='" + b"a" * 10_000 + b"'/></room>",
    b"<protocol><![CDATA[" + b"]" * 10_000,
    b"<protocol><?php evil ?>" * 100,
    b"",
]


def attacks(count: int, seed: int) -> Iterator[bytes]:
    """Classics, random bytes, and recorded conversations cut, swapped, repeated and flipped."""
    chance = random.Random(seed)
    streams = [stream.data[:4_000] for stream in talks.streams(by_client=True) if stream.data]
    for number in range(count):
        if number < len(CLASSICS) or chance.random() < 0.02:
            yield CLASSICS[number % len(CLASSICS)]
        elif chance.random() < 0.1:
            yield chance.randbytes(chance.randrange(2_000))
        else:
            yield _mutated(chance.choice(streams), chance)


def _mutated(data: bytes, chance: random.Random) -> bytes:
    mutant = bytearray(data)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(mutant) + 1)
        end = min(len(mutant), at + chance.randrange(1, 40))
        kind = chance.randrange(4)
        if kind == 0:
            mutant[at:end] = b""
        elif kind == 1:
            mutant[at:at] = mutant[at:end] * chance.randrange(1, 5)
        elif kind == 2:
            mutant[at:end] = chance.randbytes(end - at)
        elif mutant and at < len(mutant):
            mutant[at] ^= 1 << chance.randrange(8)
    return bytes(mutant)


async def siege(count: int, seed: int) -> None:
    """Throw attacks at a server on which others play; then see that all is as it was.

    Rooms that a recorded administrator prepared stay until they have been idle for too long.
    """
    settings = Settings(limits=ServerLimits(connections=400, rooms=300, idle=4.0))
    async with serving([NEWEST], settings) as server:
        admin = await Peer.admin_at(server)
        room = await prepared(admin, timed=False)
        players = await seated(server, room)
        asked = await players[0].asked()
        assert not isinstance(asked, Result)
        before = _memory()
        gate = asyncio.Semaphore(100)
        async with asyncio.TaskGroup() as tasks:
            for number, data in enumerate(attacks(count, seed)):
                await gate.acquire()
                tasks.create_task(_attack(server, data, number, gate))
        players[0].play(asked, asked[1].legal_moves()[0])
        results = await asyncio.gather(players[0].play_on(1), players[1].play_on(2))
        assert results[0] is not None
        assert results[0].winners[0].regular
        await until_settled(server, lines=3)
        assert server.metrics.counts["dropped", "our own mistake"] == 0
        assert _memory() - before < 64 * 1024 * 1024


async def _attack(server: Server, data: bytes, number: int, gate: asyncio.Semaphore) -> None:
    """Send it in one of several manners, then hang up in one of several."""
    try:
        with contextlib.suppress(ConnectionError, TimeoutError):
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            try:
                if number % 7 == 0:  # in drops
                    for at in range(0, min(len(data), 200), 5):
                        writer.write(data[at : at + 5])
                        await asyncio.sleep(0)
                else:
                    writer.write(data)
                if number % 3 == 0:  # half-open
                    with contextlib.suppress(OSError):
                        writer.write_eof()
                if number % 5 == 0:
                    await asyncio.wait_for(reader.read(1000), 0.05)
            finally:
                writer.transport.abort() if number % 2 else writer.close()
                with contextlib.suppress(ConnectionError):
                    await writer.wait_closed()
    finally:
        gate.release()


def _memory() -> int:
    """Bytes in use, as far as this system tells."""
    gc.collect()
    if sys.platform != "linux":
        return 0
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


@pytest.fixture
def quiet() -> Iterator[None]:
    """Without warnings about the attackers' broken connections: pytest would keep them all."""
    logger = logging.getLogger("asyncio")
    logger.setLevel(logging.ERROR)
    yield
    logger.setLevel(logging.NOTSET)


@pytest.mark.usefixtures("quiet")
def test_hostile_input_disturbs_nobody() -> None:
    asyncio.run(asyncio.wait_for(siege(1_000, seed=1), 120))


@pytest.mark.deep
@pytest.mark.usefixtures("quiet")
def test_a_hundred_thousand_hostile_inputs() -> None:
    asyncio.run(siege(100_000, seed=2))
