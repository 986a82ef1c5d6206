"""Nobody pays for time in which all of us stood still; whoever was late is late all the same."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks import load_players
from spielleiter.match import (
    Ended,
    Event,
    Kind,
    Match,
    PerMove,
    Played,
)
from spielleiter.protocol.lobby import Joined, MoveRequest, Result
from spielleiter.server import ServedGame, Table, Timekeeper
from spielleiter.stalls import AWAKENING, StallLog
from spielleiter.store.event_json import from_json, to_json
from tests.peers import PATIENCE, Peer, spoken

NEWEST = max(spoken(), key=lambda game: (game.name.split("-")[1], game.authority))
SERVED = ServedGame.of(NEWEST)
only_posix = pytest.mark.skipif(os.name == "nt", reason="no such signals there")


class Clock:
    """A clock that is told what time it is."""

    def __init__(self) -> None:
        self.moment = 1000.0

    def __call__(self) -> float:
        return self.moment

    def tick(self, gaps: StallLog, seconds: float) -> None:
        """Time goes on, and somebody looks at the clock."""
        for _ in range(round(seconds / 0.05)):
            self.moment += 0.05
            gaps.look()


# --------------------------------------------------------------------------------- noticing gaps


def test_a_clock_that_jumps_shows_that_we_stood_still() -> None:
    clock = Clock()
    gaps = StallLog(clock)
    clock.tick(gaps, 2.0)
    assert gaps.total == 0.0
    clock.moment += 5.0
    assert gaps.total == pytest.approx(5.0)
    clock.tick(gaps, 2.0)
    assert gaps.total == pytest.approx(5.0)


def test_only_the_part_of_a_gap_counts_in_which_somebody_was_thinking() -> None:
    clock = Clock()
    gaps = StallLog(clock)
    clock.moment += 10.0
    gaps.look()
    clock.tick(gaps, 3.0)
    assert gaps.during(1000.0, 1013.0) == pytest.approx(10.0)
    assert gaps.during(1004.0, 1013.0) == pytest.approx(6.0)
    assert gaps.during(1010.5, 1013.0) == 0.0


def test_who_answered_in_the_midst_of_a_gap_did_not_stand_still() -> None:
    clock = Clock()
    gaps = StallLog(clock)
    clock.moment += 10.0
    gaps.look()
    assert gaps.during(1000.0, 1005.0) == 0.0
    almost_over = 1010.0 - AWAKENING / 2
    assert gaps.during(1000.0, almost_over) == pytest.approx(almost_over - 1000.0)


# ------------------------------------------------------------------------------- a referee's table


@contextlib.contextmanager
def table(clock: Clock, gaps: StallLog, told: list[Event]) -> Iterator[Table]:
    """A game in which the first player has been asked, with two seconds for a move."""
    position = NEWEST.start(1)
    match = Match(position, at=clock(), clock=PerMove(2.0, 10.0))
    yield Table("1", match, time=Timekeeper(clock, gaps), sinks=[lambda _, each: told.append(each)])


def test_a_standstill_is_credited_to_whoever_was_thinking_and_the_receipt_says_so() -> None:
    async def scene() -> None:
        clock, told = Clock(), list[Event]()
        gaps = StallLog(clock)
        with table(clock, gaps, told) as game:
            game.join(0)
            game.join(1)
            clock.tick(gaps, 1.0)
            clock.moment += 20.0
            game.check_time()
            clock.tick(gaps, 0.5)
            game.play(0, game.match.position.legal_moves()[0])
        (played,) = (event for event in told if isinstance(event, Played))
        assert played.receipt.gap == pytest.approx(20.0)
        assert played.spent == pytest.approx(1.5)
        assert from_json(to_json(played)) == played

    asyncio.run(scene())


def test_who_is_late_in_spite_of_a_standstill_loses() -> None:
    async def scene() -> None:
        clock, told = Clock(), list[Event]()
        gaps = StallLog(clock)
        with table(clock, gaps, told) as game:
            game.join(0)
            game.join(1)
            clock.moment += 20.0
            clock.tick(gaps, 2.5)
            game.play(0, game.match.position.legal_moves()[0])
        assert isinstance(ended := told[-1], Ended)
        assert [fault and fault.kind for fault in ended.faults] == [Kind.LATE, None]

    asyncio.run(scene())


def test_the_referee_waits_longer_by_as_long_as_we_stood_still() -> None:
    async def scene() -> None:
        clock, told = Clock(), list[Event]()
        gaps = StallLog(clock)
        with table(clock, gaps, told) as game:
            game.join(0)
            game.join(1)
            clock.moment += 20.0
            clock.tick(gaps, 9.5)
            game.check_time()
            assert game.match.ended is None
            clock.tick(gaps, 1.0)
            game.check_time()
        assert isinstance(ended := told[-1], Ended)
        assert [fault and fault.kind for fault in ended.faults] == [Kind.SILENT, None]

    asyncio.run(scene())


class Credit:
    """Half a second of every turn was the machine's."""

    def __init__(self) -> None:
        self.asked_for: list[int] = []

    def asking(self, seat: int) -> None:
        self.asked_for.append(seat)

    def asked(self, seat: int) -> None:
        assert self.asked_for[-1] == seat, "it was said before the request left"

    def credit(self, seat: int) -> float:
        return 0.5


@pytest.mark.parametrize(("thinks", "charged"), [(1.5, 1.5), (2.4, 1.9), (2.6, None)])
def test_what_a_program_could_not_help_is_excused_where_it_would_be_late(
    thinks: float, charged: float | None
) -> None:
    async def scene() -> None:
        clock, told = Clock(), list[Event]()
        gaps, credit = StallLog(clock), Credit()
        with table(clock, gaps, told) as game:
            game.time_credit = credit
            game.join(0)
            game.join(1)
            clock.tick(gaps, thinks)
            game.play(0, game.match.position.legal_moves()[0])
        assert credit.asked_for[0] == 0
        spent = [event.spent for event in told if isinstance(event, Played)]
        assert spent == ([] if charged is None else [pytest.approx(charged)])

    asyncio.run(scene())


def test_a_receipt_written_before_there_were_gaps_is_read() -> None:
    old: dict[str, Any] = {"asked": 1.0, "first_byte": 2.0, "last_byte": 2.0}
    old |= {"judged": 2.0, "lag": 0.25}
    told = {"kind": "played", "number": 1, "at": 2.0, "seat": 0, "move": "x", "spent": 0.75}
    event = from_json(told | {"receipt": old, "hints": []})
    assert isinstance(event, Played)
    assert (event.receipt.gap, event.receipt.spent) == (0.0, 0.75)


# ------------------------------------------------------------------------------------- for real


@contextlib.contextmanager
def server(
    soft: float, hard: float, game: str = NEWEST.name, authority: str = NEWEST.authority
) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """`spielleiter serve` and its port."""
    command = [sys.executable, "-m", "spielleiter", "serve", game, "--port", "0"]
    command += ["--authority", authority, "--soft", str(soft), "--hard", str(hard)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        found = re.search(r":(\d+) for ", process.stdout.readline())
        assert found is not None
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


async def pair(port: int) -> list[Peer]:
    """Two players of one game."""
    players = []
    for _ in range(2):
        player = Peer(SERVED, *await asyncio.open_connection("127.0.0.1", port))
        player.join()
        await player.hear(Joined)
        players.append(player)
    return players


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no word of the kernel there")
def test_a_server_that_was_stopped_charges_nobody_but_who_was_late() -> None:
    """One game answers at once, one after the limit, one when the server goes on again."""
    limit = 3.0

    async def scene(process: subprocess.Popen[str], port: int) -> None:
        begun = time.monotonic()
        games = [await pair(port) for _ in range(3)]
        asked: list[Any] = [await players[0].asked() for players in games]
        process.send_signal(signal.SIGSTOP)
        await answer(games[0][0], asked[0])
        before = time.monotonic() - begun
        await asyncio.sleep(limit + 1.0)
        await answer(games[1][0], asked[1])
        await asyncio.sleep(AWAKENING + 1.0)
        process.send_signal(signal.SIGCONT)
        woken = time.monotonic()
        await answer(games[2][0], asked[2])
        if before + (time.monotonic() - woken) > 0.9 * limit:
            pytest.skip("this machine is too busy to tell")
        await games[0][1].hear(MoveRequest)
        result = await games[1][0].hear(Result)
        assert [score.parts[0] for score in result.scores] == [0, 2]
        await games[2][1].hear(MoveRequest)
        for player in (player for players in games for player in players):
            await player.gone()

    with server(limit, 60.0) as (process, port):
        asyncio.run(asyncio.wait_for(scene(process, port), 120))


async def answer(player: Peer, asked: Any) -> None:
    player.play(asked, next(iter(asked[1].legal_moves())))
    await player.writer.drain()


def _play(port: int, games: int, tell: Any) -> None:
    player = load_players.Player(port, seed=1)
    tell.send(player.play(player.open(100), games))


@pytest.mark.deep
@only_posix
@pytest.mark.parametrize("players_too", [False, True], ids=["server", "everybody"])
def test_in_500_games_no_stop_of_1_to_20_seconds_loses_a_game(players_too: bool) -> None:
    with server(2.0, 10.0, load_players.GAME, "server") as (process, port):
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        client = context.Process(target=_play, args=(port, 500, theirs))
        client.start()
        stops = iter([1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 20.0])
        while not ours.poll(0.15):  # 500 games take two seconds
            assert client.is_alive()
            stop = [process.pid, client.pid] if players_too else [process.pid]
            for pid in stop:
                os.kill(pid or 0, signal.SIGSTOP)
            time.sleep(next(stops, 1.0))
            for pid in stop:
                os.kill(pid or 0, signal.SIGCONT)
        report = ours.recv()
        client.join(PATIENCE)
        assert next(stops, None) is None, "every stop fell into the games"
        assert (report.games, report.irregular) == (500, 0)
