"""The server over real sockets: whole games, several seasons on one port, limits, stopping."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import random
import select
import selectors
import socket
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from spielleiter.arrival import TICK
from spielleiter.errors import TextError, UsageError
from spielleiter.game import Game
from spielleiter.match import Ended, Event, Match, PerMove, Played
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import (
    Cancel,
    Close,
    EndOfDocument,
    ErrorPacket,
    FreeReservation,
    Join,
    Joined,
    JoinedGameRoom,
    JoinPrepared,
    Left,
    Memento,
    MoveRequest,
    Observe,
    Observed,
    Pause,
    Paused,
    Result,
    RoomData,
    SetTimeout,
    Welcome,
)
from spielleiter.server import (
    OnStop,
    ServedGame,
    Server,
    ServerLimits,
    Settings,
    Start,
    Timekeeper,
    event_loop,
)
from spielleiter.server.replay import load
from spielleiter.server.settings import read_properties, with_properties
from spielleiter.store.event_json import from_json, to_json
from tests.conftest import in_turns
from tests.peers import Peer, Time, prepared, seated, serving, spoken
from tests.walks import near_the_end

SPOKEN = spoken()
NEWEST = max(SPOKEN, key=lambda game: (game.name.split("-")[1], game.authority))
each_edition = pytest.mark.parametrize(
    "edition",
    in_turns(SPOKEN, lambda game: game.name),
    ids=[f"{game.name}/{game.authority}" for game in SPOKEN],
)


def late(served: ServedGame, prepared: bool) -> Start:
    """Games that are nearly over, for tests of what is done with whole ones."""
    return Start(served.game.parse(near_the_end(served.game, 8)))


def run(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scene, 120))


# ------------------------------------------------------------------------------------ whole games


@each_edition
def test_two_clients_play_a_whole_game_and_both_see_every_position(edition: Game) -> None:
    told: dict[str, list[Event]] = defaultdict(list)

    async def scene() -> None:
        sink: Callable[[str, Event], None] = lambda room, event: told[room].append(event)  # noqa: E731
        async with serving([edition], sinks=[sink]) as server:
            first, second = await Peer.at(server), await Peer.at(server)
            first.join()
            await first.hear(Joined)
            second.join()
            results = await asyncio.gather(first.play_on(1), second.play_on(2))
            await first.hear(Left)
            await second.hear(Left)
            assert results[0] == results[1]
            _all_positions_were_seen(told, first, second)

    run(scene())


def _all_positions_were_seen(told: dict[str, list[Event]], *players: Peer) -> None:
    (events,) = told.values()
    stored = [from_json(to_json(event)) for event in events]
    match = Match.restored(stored, players[0].table.game.parse)
    assert isinstance(events[-1], Ended)
    assert events[-1].regular
    assert match.position.outcome() == events[-1].outcome
    for player in players:
        seen = [player.position(m) for m in player.heard if isinstance(m, Memento)]
        assert len(seen) == 1 + sum(isinstance(event, Played) for event in events)
        assert seen[-1].text() == match.position.text()


@each_edition
def test_an_observer_sees_what_the_players_see(edition: Game) -> None:
    async def scene() -> None:
        async with serving([edition]) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            admin.say(Observe(room.room))
            await admin.hear(Observed)
            players = await seated(server, room)
            results = await asyncio.gather(*(p.play_on(n) for n, p in enumerate(players)))
            assert await admin.hear(Result) == results[0]
            states = [m.state for m in admin.heard if isinstance(m, Memento)]
            if admin.table.wire.dialect.observe_sends_state:
                assert states.pop(0) == states[0]
            assert states == [m.state for m in players[0].heard if isinstance(m, Memento)]

    run(scene())


def test_what_is_sent_does_not_wait_for_the_receipt_of_what_was_sent_before() -> None:
    """Otherwise the system keeps every second state back for up to 40 ms."""

    async def scene() -> None:
        async with serving([NEWEST]) as server:
            peer = await Peer.at(server)
            peer.join()
            await peer.hear(Joined)
            (client,) = server.lobby.clients
            assert client.socket is not None
            assert client.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 4) != bytes(4)

    run(scene())


def test_a_connection_can_play_one_game_after_the_other() -> None:
    async def scene() -> None:
        async with serving([NEWEST], start=late) as server:
            players = [await Peer.at(server), await Peer.at(server)]
            for game in range(3):
                for player in players:
                    player.join()
                    await player.hear(Joined)
                await asyncio.gather(*(p.play_on(game + n) for n, p in enumerate(players)))
                for player in players:
                    await player.hear(Left)

    run(scene())


def test_one_server_plays_many_games_at_the_same_time() -> None:
    async def scene() -> None:
        async with serving([NEWEST], start=late) as server:
            admin = await Peer.admin_at(server)
            rooms = [await prepared(admin) for _ in range(20)]
            tables = [await seated(server, room) for room in rooms]
            results = await asyncio.gather(*(p.play_on(n) for n, t in enumerate(tables) for p in t))
            assert all(result is not None for result in results)
            assert server.lobby.rooms == {}

    run(scene())


# ------------------------------------------------------------------------------- several seasons


def test_games_share_a_port_and_are_told_apart_by_their_type() -> None:
    served = [game for game in SPOKEN if game.authority == "server"]
    types = {ServedGame.of(game).wire.game_type: game for game in served}

    async def scene() -> None:
        async with serving(list(types.values()), start=late) as server:
            firsts = [await Peer.at(server, table) for table in server.games]
            for peer in firsts:
                peer.join()
            rooms = [(await peer.hear(Joined)).room for peer in firsts]
            assert len(set(rooms)) == len(server.games)
            seconds = [await Peer.at(server, table) for table in server.games]
            for peer in seconds:
                peer.join()
            assert [(await peer.hear(Joined)).room for peer in seconds] == rooms
            games = [(first, second) for first, second in zip(firsts, seconds, strict=True)]
            await asyncio.gather(*(p.play_on(n) for n, pair in enumerate(games) for p in pair))

    run(scene())


def test_who_names_no_game_gets_any_open_room_or_the_first_game() -> None:
    async def scene() -> None:
        async with serving([NEWEST]) as server:
            first, second = await Peer.at(server), await Peer.at(server)
            first.say(Join(None))
            room = (await first.hear(Joined)).room
            second.say(Join(None))
            assert (await second.hear(Joined)).room == room

    run(scene())


# ------------------------------------------------------------------- what the document of a season
# ------------------------------------------------------------------- says and its server did not


def to_the_letter(flag: str) -> list[Game]:
    return [game for game in SPOKEN if getattr(ServedGame.of(game).wire.dialect, flag)]


@pytest.mark.parametrize("edition", to_the_letter("observe_sends_state"), ids=lambda g: g.name)
def test_who_begins_to_observe_gets_the_present_state(edition: Game) -> None:
    async def scene() -> None:
        async with serving([edition]) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            players = await seated(server, room)
            await players[0].play_on(1, moves=1)
            await players[1].asked()
            admin.say(Observe(room.room))
            await admin.hear(Observed)
            assert admin.position(await admin.hear(Memento)).ply == 1

    run(scene())


@pytest.mark.parametrize("edition", to_the_letter("observe_sends_state"), ids=lambda g: g.name)
def test_even_before_the_game_has_begun(edition: Game) -> None:
    async def scene() -> None:
        async with serving([edition]) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            admin.say(Observe(room.room))
            await admin.hear(Observed)
            assert admin.position(await admin.hear(Memento)).ply == 0

    run(scene())


@pytest.mark.parametrize("edition", to_the_letter("closes_after_game"), ids=lambda g: g.name)
def test_the_document_ends_after_the_result(edition: Game) -> None:
    async def scene() -> None:
        async with serving([edition]) as server:
            admin = await Peer.admin_at(server)
            players = await seated(server, await prepared(admin))
            await asyncio.gather(*(p.play_on(n) for n, p in enumerate(players)))
            for player in players:
                rest = await player.hear_end()
                assert isinstance(rest[-1], EndOfDocument)

    run(scene())


@pytest.mark.parametrize("edition", to_the_letter("passes_hints"), ids=lambda g: g.name)
def test_hints_reach_observers_and_not_the_opponent(edition: Game) -> None:
    async def scene() -> None:
        async with serving([edition]) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            admin.say(Observe(room.room))
            players = await seated(server, room)
            await asyncio.gather(*(player.play_on(1, moves=1) for player in players))
            asked = await players[0].asked()
            assert not isinstance(asked, Result)
            wire, position = admin.table.wire, asked[1]
            sent = wire.sent(position, position.legal_moves()[0], ["good", "<better>"])
            players[0].say(RoomData(room.room, sent.element))
            for watcher, hints in ((admin, ("good", "<better>")), (players[1], ())):
                memento = await watcher.hear(Memento)
                while watcher.position(memento).ply <= position.ply:
                    memento = await watcher.hear(Memento)
                assert isinstance(memento.state, Element)
                assert wire.read_state(memento.state).hints == hints

    run(scene())


@pytest.mark.parametrize("edition", to_the_letter("condition_in_state"), ids=lambda g: g.name)
def test_the_last_state_tells_how_the_game_ended_even_if_by_a_violation(edition: Game) -> None:
    async def scene() -> None:
        async with serving([edition]) as server:
            admin = await Peer.admin_at(server)
            players = await seated(server, await prepared(admin))
            await players[0].hear(MoveRequest)
            players[1].close()
            await players[0].hear(Result)
            last = next(m for m in reversed(players[0].heard) if isinstance(m, Memento))
            assert isinstance(last.state, Element)
            assert last.state.child("condition") is not None

    run(scene())


@each_edition
def test_an_illegal_move_loses_and_the_result_says_why(edition: Game) -> None:
    async def scene() -> None:
        async with serving([edition]) as server:
            admin = await Peer.admin_at(server)
            players = await seated(server, await prepared(admin))
            asked = await players[0].asked()
            assert not isinstance(asked, Result)
            moves = map(asked[1].move_at, range(asked[1].actions))
            players[0].play(asked, next(move for move in moves if asked[1].why_illegal(move)))
            result = await players[1].hear(Result)
            reasons = [score.reason for score in result.scores]
            reasons += [winner.reason for winner in result.winners]
            assert max(len(reason or "") for reason in reasons) > 10
            assert result.winners[-1].name in ("Bob", None)
            await players[1].hear(Left)

    run(scene())


LATE: dict[int, list[type[Any]]] = {
    2019: [Close, EndOfDocument],
    2021: [ErrorPacket, Close, EndOfDocument],
    2026: [ErrorPacket],
    2027: [ErrorPacket],
}
"""What a season's official server answers to a request about a room that is gone."""


@pytest.mark.parametrize(
    "edition", [game for game in SPOKEN if game.wire == "real"], ids=lambda game: game.name
)
def test_a_second_move_after_the_end_gets_the_official_answer_of_its_season(edition: Game) -> None:
    async def scene() -> None:
        async with serving([edition]) as server:
            admin = await Peer.admin_at(server)
            players = await seated(server, await prepared(admin))
            asked = await players[0].asked()
            assert not isinstance(asked, Result)
            players[1].close()
            await players[0].hear(Left)
            players[0].play(asked, asked[1].legal_moves()[0])
            expected = LATE[int(edition.name.split("-")[1])]
            answers = [await players[0].hear(kind) for kind in expected]
            assert players[0].heard[-len(answers) :] == answers  # and nothing in between
            for packet in (answer for answer in answers if isinstance(answer, ErrorPacket)):
                assert packet.message.endswith(f"Couldn't find a room with id {asked[0]}")
            await _is_let_go_or_plays_on(players[0], stays=expected == [ErrorPacket])

    run(scene())


async def _is_let_go_or_plays_on(player: Peer, *, stays: bool) -> None:
    """Only a season that keeps the connection gives it another seat."""
    if stays:
        player.join()
        await player.hear(Joined)
    else:
        assert await player.hear_end() == []


def test_a_sink_that_fails_disturbs_nobody() -> None:
    def fail(_: str, event: Event) -> None:
        raise RuntimeError("no space left")

    async def scene() -> None:
        async with serving([NEWEST], sinks=[fail]) as server:
            admin = await Peer.admin_at(server)
            players = await seated(server, await prepared(admin))
            results = await asyncio.gather(*(p.play_on(n) for n, p in enumerate(players)))
            assert results[0] is not None

    run(scene())


# ------------------------------------------------------------------------------------------- time


def test_a_silent_player_loses_when_the_hard_limit_rings() -> None:
    settings = Settings(clock=PerMove(0.05, 0.2))

    async def scene() -> None:
        async with serving([NEWEST], settings) as server:
            admin = await Peer.admin_at(server)
            players = await seated(server, await prepared(admin))
            result = await players[1].hear(Result)
            assert result.winners[0].team == players[1].table.wire.teams[1]
            assert server.metrics.counts["ended", "silent"] == 1

    run(scene())


def test_a_seat_without_timeout_may_think_for_ever() -> None:
    async def scene() -> None:
        clock = Time()
        async with serving([NEWEST], time=clock) as server:
            admin = await Peer.admin_at(server)
            first, second = await seated(server, await prepared(admin, timed=False))
            asked = await first.asked()
            assert not isinstance(asked, Result)
            clock.moment += 1_000_000
            server.check_time()
            first.play(asked, asked[1].legal_moves()[0])
            await second.hear(MoveRequest)

    run(scene())


def test_a_player_is_never_charged_for_our_own_delay() -> None:
    """The move arrives at once, but the server is busy with something else for ten limits."""
    settings = Settings(port=0, clock=PerMove(0.1, 60.0))
    clock = Time()
    loop = event_loop(clock)
    receipts: list[Played] = []

    def note(_: str, event: Event) -> None:
        if isinstance(event, Played):
            receipts.append(event)

    server = Server([NEWEST], settings, time=clock, sinks=[note])
    loop.run_until_complete(server.start())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run(asyncio.wait_for(_answer_while_busy(server, clock, loop), 120))
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(OnStop.CANCEL), loop).result(60)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
    assert receipts[0].receipt.lag == pytest.approx(1.0)
    assert receipts[0].spent <= 0.1


async def _answer_while_busy(server: Server, clock: Time, loop: asyncio.AbstractEventLoop) -> None:
    first, second = await Peer.at(server), await Peer.at(server)
    first.join()
    await first.hear(Joined)
    second.join()
    asked = await first.asked()
    assert not isinstance(asked, Result)
    busy = threading.Event()

    def work() -> None:
        busy.set()
        lines = [line._transport.get_extra_info("socket").fileno() for line in server.lobby.clients]
        select.select(lines, [], [], 60)  # the move is there, and nobody looks at it yet
        clock.moment += 1.0

    loop.call_soon_threadsafe(work)
    await asyncio.to_thread(busy.wait)
    first.play(asked, asked[1].legal_moves()[0])
    await second.hear(MoveRequest)
    await first.gone()
    await second.gone()


# ----------------------------------------------------------------------------------------- limits


def test_the_server_takes_no_more_connections_than_it_may() -> None:
    settings = Settings(limits=ServerLimits(connections=2))

    async def scene() -> None:
        async with serving([NEWEST], settings) as server:
            first, second = await Peer.at(server), await Peer.at(server)
            first.join()
            await first.hear(Joined)
            second.join()
            await second.hear(Joined)
            third = await Peer.at(server)
            refused, end = await third.hear_end()
            assert isinstance(refused, ErrorPacket)
            assert "Too many connections" in refused.message
            assert isinstance(end, EndOfDocument)
            first.close()
            await second.hear(Left)

    run(scene())


def test_the_server_opens_no_more_rooms_than_it_may() -> None:
    settings = Settings(limits=ServerLimits(rooms=1))

    async def scene() -> None:
        async with serving([NEWEST], settings) as server:
            admin = await Peer.admin_at(server)
            await prepared(admin)
            guest = await Peer.at(server)
            guest.join()
            assert "Too many rooms" in (await guest.hear(ErrorPacket)).message

    run(scene())


def test_one_connection_gets_no_more_seats_than_it_may() -> None:
    settings = Settings(limits=ServerLimits(seats=3))

    async def scene() -> None:
        async with serving([NEWEST], settings) as server:
            greedy = await Peer.at(server)
            for _ in range(4):
                greedy.join()
            assert "too many seats" in (await greedy.hear(ErrorPacket)).message

    run(scene())


def test_a_message_that_is_too_long_ends_the_connection_and_nothing_else() -> None:
    settings = Settings(limits=ServerLimits(message=1000))

    async def scene() -> None:
        async with serving([NEWEST], settings) as server:
            players = [await Peer.at(server), await Peer.at(server)]
            for player in players:
                player.join()
                await player.hear(Joined)
            bully = await Peer.at(server)
            bully.writer.write(b"<protocol><join gameType='" + b"x" * 5000)
            assert await bully.hear_end() == []
            results = await asyncio.gather(*(p.play_on(n) for n, p in enumerate(players)))
            assert results[0] is not None

    run(scene())


def test_idle_connections_and_rooms_nobody_comes_to_are_closed_but_not_those_who_wait() -> None:
    async def scene() -> None:
        clock = Time()
        async with serving([NEWEST], time=clock) as server:
            admin = await Peer.admin_at(server)
            await prepared(admin)
            idler, player = await Peer.at(server), await Peer.at(server)
            idler.writer.write(b"<protocol>")
            player.join()
            await player.hear(Joined)
            while (
                any(line.heard == 0 for line in server.lobby.clients)
                or len(server.lobby.clients) < 3
            ):
                await asyncio.sleep(0)
            clock.moment += server.settings.limits.idle + 1
            server.sweep()
            assert await idler.hear_end() == []
            (room,) = server.lobby.rooms.values()
            assert room.seats[0].client in server.lobby.clients
            assert len(server.lobby.clients) == 2

    run(scene())


def test_a_slow_observer_is_dropped_and_the_game_goes_on() -> None:
    settings = Settings(limits=ServerLimits(observer_queue=20_000))

    async def scene() -> None:
        async with serving([NEWEST], settings) as server:
            admin, sleeper = await Peer.admin_at(server), await _sleeper(server)
            room = await prepared(admin)
            sleeper.say(Observe(room.room))
            players = await seated(server, room)
            results = await asyncio.gather(*(p.play_on(n) for n, p in enumerate(players)))
            assert results[0] is not None
            assert server.metrics.counts["dropped", "slow observer"] == 1

    run(scene())


async def _sleeper(server: Server) -> Peer:
    """An administrator who never reads, on a connection with the smallest buffers there are."""
    known = set(server.lobby.clients)
    sock = socket.socket()
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    sock.setblocking(False)
    await asyncio.get_running_loop().sock_connect(sock, ("127.0.0.1", server.port))
    reader, writer = await asyncio.open_connection(sock=sock, limit=1024)
    peer = Peer(server.games[0], reader, writer)
    writer.write(b'<protocol><authenticate password="examplepassword"/>')
    while not any(line.is_admin for line in server.lobby.clients - known):
        await asyncio.sleep(0)
    (line,) = server.lobby.clients - known
    line._transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2048)
    peer.connection.send(Close())  # the document is open
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    return peer


# --------------------------------------------------------------------------------------- stopping


def test_stopping_cancels_running_games_and_says_goodbye() -> None:
    async def scene() -> None:
        async with serving([NEWEST]) as server:
            admin = await Peer.admin_at(server)
            players = await seated(server, await prepared(admin))
            await players[0].hear(MoveRequest)
            await server.stop(OnStop.CANCEL)
            for player in players:
                await player.hear(Result)
                await player.hear(Left)
                assert isinstance((await player.hear_end())[-1], EndOfDocument)

    run(scene())


def test_stopping_can_wait_for_running_games_but_opens_no_new_ones() -> None:
    async def scene() -> None:
        async with serving([NEWEST]) as server:
            admin = await Peer.admin_at(server)
            players = await seated(server, await prepared(admin))
            await players[0].hear(MoveRequest)
            players[0].waiting.append(MoveRequest(next(iter(server.lobby.rooms))))
            stopping = asyncio.create_task(server.stop(OnStop.FINISH))
            await asyncio.sleep(0)
            admin.join()
            assert "stopping" in (await admin.hear(ErrorPacket)).message
            results = await asyncio.gather(*(p.play_on(n) for n, p in enumerate(players)))
            assert results[0] is not None
            await stopping
            assert server.metrics.counts["ended", "regular"] == 1

    run(scene())


# ------------------------------------------------------------------------------ replays, set-ups


@pytest.mark.parametrize("compressed", [False, True])
def test_a_replay_can_be_loaded_at_any_turn(tmp_path: Path, compressed: bool) -> None:
    settings = Settings(replays=tmp_path / "replays", compressed=compressed)

    async def play() -> None:
        async with serving([NEWEST], settings) as server:
            admin = await Peer.admin_at(server)
            players = await seated(server, await prepared(admin, ("Ä b", "c/d")))
            await asyncio.gather(*(p.play_on(n) for n, p in enumerate(players)))

    run(play())
    (path,) = (tmp_path / "replays").iterdir()
    table = ServedGame.of(NEWEST)
    assert path.name.startswith(f"replay_{table.wire.game_type}_")
    assert path.name.endswith("_Ä_b_c_d.xml" + ".gz" * compressed)
    data = path.read_bytes()
    text = (gzip.decompress(data) if compressed else data).decode()
    assert text.startswith('<protocol>\n<room roomId="')
    assert text.endswith("\n</room>\n</protocol>")
    for turn in (0, 1, 7):
        found, start = load(path, turn, [table])
        assert found is table
        assert start.position.ply == turn
        assert (start.last is None) == (turn == 0)
    with pytest.raises(TextError):
        load(path, 10_000, [table])


def test_a_game_starts_where_it_is_told_to() -> None:
    start = NEWEST.start(7)
    start.play(start.legal_moves()[0])

    async def scene() -> None:
        async with serving([NEWEST], start=lambda *_: Start(start)) as server:
            players = [await Peer.at(server), await Peer.at(server)]
            for player in players:
                player.join()
                await player.hear(Joined)
            assert players[0].position(await players[0].hear(Memento)).text() == start.text()
            await players[start.to_move()].hear(MoveRequest)

    run(scene())


def test_the_same_seed_gives_the_same_set_ups() -> None:
    def drawn(seed: int) -> list[str]:
        server = Server([NEWEST], Settings(seed=seed))
        starts = [server.start_of(server.games[0], False) for _ in range(5)]
        return [start.position.text() for start in starts]

    assert drawn(1) == drawn(1) != drawn(2)


# -------------------------------------------------------------------------------- administrators


def test_every_administrator_hears_of_joins_after_all_that_follows_from_them() -> None:
    async def scene() -> None:
        async with serving([NEWEST]) as server:
            admin = await Peer.admin_at(server)
            await prepared(admin)
            players = [await Peer.at(server), await Peer.at(server)]
            for player in players:
                player.join()
                await player.hear(Joined)
            assert (await players[1].hear(Welcome)).colour == players[1].table.wire.colours[1]

    run(scene())


def test_an_unused_code_of_a_cancelled_room_is_still_answered_once() -> None:
    async def scene() -> None:
        async with serving([NEWEST]) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            admin.say(Observe(room.room), Cancel(room.room))
            await admin.hear(Left)
            late = await Peer.at(server)
            late.say(JoinPrepared(room.reservations[0]))
            assert (await late.hear(Joined)).room == room.room
            late.say(JoinPrepared(room.reservations[0]))
            await late.hear(ErrorPacket)

    run(scene())


def test_pausing_holds_the_game_after_the_pending_move() -> None:
    async def scene() -> None:
        async with serving([NEWEST]) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            admin.say(Observe(room.room))
            players = await seated(server, room)
            asked = await players[0].asked()
            assert not isinstance(asked, Result)
            admin.say(Pause(room.room, True))
            assert (await admin.hear(Paused)).paused
            players[0].play(asked, asked[1].legal_moves()[0])
            assert admin.position(await admin.hear(Memento)).ply == 1
            admin.say(Pause(room.room, False))
            await players[1].hear(MoveRequest)
            assert [m for m in players[0].heard if isinstance(m, MoveRequest)].__len__() == 1

    run(scene())


def knowing(request: str) -> list[Game]:
    return [game for game in SPOKEN if request in ServedGame.of(game).wire.dialect.also_requests]


@pytest.mark.parametrize("edition", knowing("timeout"), ids=lambda g: f"{g.name}/{g.authority}")
def test_the_time_limits_of_a_seat_can_be_switched_off_later(edition: Game) -> None:
    async def scene() -> None:
        clock = Time()
        async with serving([edition], time=clock) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            admin.say(SetTimeout(room.room, 0, False), Observe(room.room))
            await admin.hear(Observed)
            players = await seated(server, room)
            asked = await players[0].asked()
            assert not isinstance(asked, Result)
            clock.moment += 3600
            server.check_time()
            players[0].play(asked, asked[1].legal_moves()[0])
            await players[1].hear(MoveRequest)
            clock.moment += 3600
            server.check_time()
            await players[0].hear(Result)

    run(scene())


@pytest.mark.parametrize(
    "edition", knowing("freeReservation"), ids=lambda g: f"{g.name}/{g.authority}"
)
def test_a_reserved_seat_can_be_given_free(edition: Game) -> None:
    async def scene() -> None:
        async with serving([edition]) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            admin.say(FreeReservation(room.reservations[0]), Observe(room.room))
            await admin.hear(Observed)
            guest, friend = await Peer.at(server), await Peer.at(server)
            guest.join()
            assert (await guest.hear(Joined)).room == room.room
            friend.say(JoinPrepared(room.reservations[1]))
            await guest.hear(MoveRequest)

    run(scene())


# ------------------------------------------------------------------------------- settings, pages


def test_the_example_password_stays_at_home() -> None:
    with pytest.raises(UsageError, match="example password"):
        Server([NEWEST], Settings(host="0.0.0.0"))
    Server([NEWEST], Settings(host="0.0.0.0", password="something else"))
    Server([NEWEST], Settings(host="::1"))


def test_a_taken_port_is_said_in_one_sentence() -> None:
    async def scene() -> None:
        async with serving([NEWEST]) as server:
            with pytest.raises(UsageError, match="cannot listen"):
                await Server([NEWEST], replace(server.settings, port=server.port)).start()

    run(scene())


def test_server_properties_are_read_as_the_official_server_reads_them() -> None:
    text = (
        "# a remark\nport = 4711\npassword: secret\n\npaused=true\ntimeout = false\nlocal = false\n"
    )
    settings = with_properties(Settings(), read_properties(text))
    assert (settings.port, settings.password, settings.host) == (4711, "secret", "0.0.0.0")
    assert settings.paused
    assert not settings.timeouts


@pytest.mark.parametrize("text", ["port = many", "paused = perhaps", "colour = red", "nonsense"])
def test_properties_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        with_properties(Settings(), read_properties(text))


def test_the_metrics_page_tells_what_happened() -> None:
    async def scene() -> None:
        async with serving([NEWEST], Settings(metrics_port=0)) as server:
            peer = await Peer.at(server)
            peer.join()
            await peer.hear(Joined)
            page = await _get(server.metrics_port, "/metrics")
            assert "spielleiter_connections 1.0\n" in page
            assert "spielleiter_rooms 1.0\n" in page
            assert 'spielleiter_lag_seconds_bucket{le="+Inf"} 0.0' in page
            assert "404" in await _get(server.metrics_port, "/nothing")

    run(scene())


async def _get(port: int, path: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/1.1\r\nHost: here\r\n\r\n".encode())
    page = await asyncio.wait_for(reader.read(), 60)
    writer.close()
    return page.decode()


def test_the_timekeeper_knows_for_how_long_bytes_may_have_waited() -> None:
    now = [10.0]
    keeper = Timekeeper(lambda: now[0])
    assert (keeper.lag(10.0), keeper.busy()) == (0.0, 0.0)
    keeper.note(waited=0.0)
    now[0] = 10.5
    assert keeper.busy() == 0.5
    keeper.note(waited=0.5, began=10.4)
    assert keeper.heard_until() == 10.4
    assert keeper.lag(10.6) == pytest.approx(0.6)
    now[0] = 12.0
    keeper.note(waited=0.0)
    assert keeper.lag(12.0) == 0.0


def test_what_arrives_while_a_poll_returns_to_us_was_not_heard(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Others may have the processor between the poll and our look at the clock."""
    now, usual = [10.0], selectors.DefaultSelector.select
    keeper = Timekeeper(lambda: now[0])

    def delayed(selector: Any, timeout: float | None = None) -> list[Any]:
        found = usual(selector, timeout)
        now[0] += 0.1
        return found

    monkeypatch.setattr(selectors.DefaultSelector, "select", delayed)
    with contextlib.closing(event_loop(keeper)) as loop:
        loop.run_until_complete(asyncio.sleep(0.001))
        assert keeper.heard_until() == pytest.approx(now[0] - 0.1)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="no word of the kernel there")
@pytest.mark.parametrize("polled", [0.0, 100.0], ids=["stopped as it polled", "stopped at work"])
def test_the_kernel_knows_better_for_how_long_bytes_have_waited(polled: float) -> None:
    keeper = Timekeeper()
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
        server.accept()[0] as here,
    ):
        before = keeper.now()
        client.sendall(b"a move")
        after = keeper.now()
        time.sleep(0.3)
        here.recv(100)
        keeper.note(waited=polled)
        read = keeper.now()
        waited = keeper.lag(read, here)
        end = keeper.now()
    assert read - after <= waited <= end - before + 2 * TICK, "never less: that would be charged"


# ---------------------------------------------------------------------------------- shared ports


def _finished(game: Game) -> Any:
    position, chance = game.start(1), random.Random(1)
    while position.outcome() is None:
        position.play(chance.choice(list(position.legal_moves())))
    return position


def test_a_game_that_is_over_when_it_begins_holds_up_nobody() -> None:
    async def scene() -> None:
        over = Start(_finished(NEWEST))
        async with serving([NEWEST], start=lambda served, prepared: over) as server:
            admin = await Peer.admin_at(server)
            for _ in range(2):
                players = [await Peer.at(server) for _ in range(2)]
                for player in players:
                    player.join()
                    told = await admin.hear(JoinedGameRoom)
                for player in players:
                    await player.hear(Result)
                assert told.players == 2
            assert not server.lobby.rooms

    run(scene())


def test_a_client_that_names_no_game_gets_the_one_of_its_port() -> None:
    served = {ServedGame.of(game).wire.game_type: game for game in SPOKEN}
    several = [game for game in served.values() if not _names_game_type(game)]

    async def scene() -> None:
        async with serving(several) as server:
            ports = {game.name: await server.open_port(0, game.name) for game in several}
            for each in server.games:
                players = []
                for _ in range(2):
                    streams = await asyncio.open_connection("127.0.0.1", ports[each.game.name])
                    players.append(Peer(each, *streams))
                    players[-1].say(Join(None))
                memento = await players[0].hear(Memento)
                assert isinstance(memento.state, Element)
                assert each.wire.recognises(memento.state)

    run(scene())


def _names_game_type(game: Game) -> bool:
    return ServedGame.of(game).wire.dialect.names_game_type
