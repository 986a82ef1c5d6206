"""Who may come in: floods of connections keep nobody out, and passwords cannot be guessed."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import socket
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from spielleiter import games
from spielleiter.protocol.binary import Connection, Group, Side
from spielleiter.protocol.lobby import (
    Authenticate,
    EndOfDocument,
    ErrorPacket,
    Joined,
    JoinPrepared,
    JoinRoom,
    Welcome,
)
from spielleiter.server import (
    EXAMPLE_PASSWORD,
    Server,
    ServerLimits,
    Settings,
    Timekeeper,
    event_loop,
)
from spielleiter.server.acceptor import Acceptor
from spielleiter.server.admission import Admission, Quotas, address_of
from spielleiter.server.binary import BinarySettings, Board, Host, Reserved
from spielleiter.server.log import FloodFilter
from spielleiter.server.password_guard import FREE, LONGEST, PasswordGuard
from spielleiter.service.service import speech_of
from tests.peers import PATIENCE, Peer, Time, prepared, serving, spoken

NEWEST = max(spoken(), key=lambda game: (game.name.split("-")[1], game.authority))

COURSE = next(games.load(name) for name in games.names() if speech_of(name) == "binary")


def run(scene: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(scene, 120))


class Guest:
    """A connection without a socket."""

    def __init__(self, address: str = "a") -> None:
        self.address = address
        self.sent_away = ""

    def send_away(self, why: str) -> None:
        self.sent_away = why


def admission(time: Time, strangers: int = 4, of_one: int = 2) -> Admission:
    return Admission(Quotas(10, strangers, of_one, 8), time.now)


# ------------------------------------------------------------------------------------- strangers


def test_of_one_address_the_stranger_goes_who_has_waited_longest() -> None:
    inside = admission(Time())
    first, second, third, other = Guest(), Guest(), Guest(), Guest("b")
    for guest in (first, other, second, third):
        assert inside.arrive(guest)
    assert first.sent_away
    assert not any(guest.sent_away for guest in (second, third, other))


def test_where_strangers_are_too_many_in_all_the_largest_crowd_loses_one() -> None:
    inside = admission(Time(), strangers=3)
    crowd, single, newcomer = [Guest(), Guest()], Guest("b"), Guest("c")
    for guest in (single, *crowd, newcomer):
        assert inside.arrive(guest)
    assert crowd[0].sent_away
    assert not any(guest.sent_away for guest in (single, crowd[1], newcomer))


def test_whoever_has_a_seat_stays_however_many_others_come() -> None:
    inside = admission(Time())
    players = [Guest() for _ in range(8)]
    for player in players:
        inside.arrive(player)
        inside.settle(player)
    for _ in range(50):
        assert inside.arrive(Guest())
    assert not any(player.sent_away for player in players)
    assert inside.strangers == 2


def test_places_are_kept_for_those_who_were_announced() -> None:
    inside = admission(Time(), strangers=10, of_one=10)
    uninvited = [Guest(str(number)) for number in range(9)]
    for guest in uninvited:
        inside.arrive(guest)
        if inside.may_settle(guest, announced=2):
            inside.settle(guest)
    assert len(inside) - inside.strangers == 7, "one place in ten, and two for those announced"
    assert inside.may_settle(uninvited[0], announced=2), "who plays may play on"


def test_one_address_does_not_get_all_places_for_players() -> None:
    inside = Admission(Quotas(100, 50, 50, 5), Time().now)
    guests = [Guest() for _ in range(6)]
    for guest in guests:
        inside.arrive(guest)
        if inside.may_settle(guest, announced=0):
            inside.settle(guest)
    assert len(inside) - inside.strangers == 5
    other = Guest("b")
    inside.arrive(other)
    assert inside.may_settle(other, announced=0)


def test_without_a_stranger_to_go_there_is_no_room() -> None:
    inside = Admission(Quotas(1, 1, 1, 1), Time().now)
    player = Guest()
    inside.arrive(player)
    inside.settle(player)
    assert not inside.arrive(Guest("b"))
    inside.leave(player)
    assert inside.arrive(Guest("b"))
    assert len(inside) == 1


def test_after_its_game_a_player_is_the_last_stranger_to_go() -> None:
    inside = admission(Time())
    player, stranger = Guest(), Guest()
    inside.arrive(player)
    inside.settle(player)
    inside.arrive(stranger)
    inside.unsettle(player)
    inside.arrive(Guest())
    assert stranger.sent_away
    assert not player.sent_away


def test_accepting_rests_while_strangers_press_so_that_each_can_introduce_himself() -> None:
    time = Time()
    inside = admission(time)
    for _ in range(2):
        inside.arrive(Guest())
    assert inside.rest() == 0.0
    inside.arrive(Guest())
    assert inside.rest() > 0.0, "somebody had to go who had just come"
    time.moment += 5.0
    inside.arrive(Guest())
    assert inside.rest() == 0.0


def test_connections_in_vain_slow_accepting_down() -> None:
    time = Time()
    inside = Admission(Quotas(5000, 2500, 2500, 2500), time.now)

    def come_and_go(times: int) -> float:
        for _ in range(times):
            guest = Guest()
            inside.arrive(guest)
            inside.leave(guest)
        return inside.rest()

    assert come_and_go(1000) == 0.0
    assert come_and_go(2000) > 0.0
    time.moment += 60.0
    assert come_and_go(1000) == 0.0


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        (("192.0.2.7", 4000), "192.0.2.7"),
        (("::ffff:192.0.2.7", 4000, 0, 0), "192.0.2.7"),
        (("2001:db8::1:2:3:4", 4000, 0, 0), "2001:db8::/64"),
        (("2001:db8::9:8:7:6", 4000, 0, 0), "2001:db8::/64"),
        (("fe80::1%eth0", 4000, 0, 2), "fe80::/64"),
        ("", ""),
        (("somewhere", 1), "somewhere"),
    ],
)
def test_an_address_is_that_of_one_household(peer: object, address: str) -> None:
    assert address_of(peer) == address


# ---------------------------------------------------------------------------------- over the wire


async def crowd(server: Server, count: int, say: bytes = b"") -> list[socket.socket]:
    """So many connections that the server has seen."""
    loop = asyncio.get_running_loop()
    flood = []
    for _ in range(count):
        sock = socket.socket()
        sock.setblocking(False)
        await loop.sock_connect(sock, ("127.0.0.1", server.port))
        with contextlib.suppress(ConnectionError):
            await loop.sock_sendall(sock, say)
        flood.append(sock)
    return flood


def test_a_flood_of_silent_connections_does_not_keep_out_a_slow_starter() -> None:
    settings = Settings(limits=ServerLimits(connections=60))

    async def scene() -> None:
        async with serving([NEWEST], settings) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            flood = await crowd(server, 200, b"<protocol>")
            players = []
            for code in room.reservations:
                player = await Peer.at(server)
                player.say(JoinPrepared(code))
                await player.hear(Joined)
                players.append(player)
                flood += await crowd(server, 100)
            for player in players:
                await player.hear(Welcome)
            assert len(server.lobby.clients) <= 60
            for sock in flood:
                sock.close()

    run(scene())


def test_strangers_who_join_leave_places_to_those_who_were_announced() -> None:
    settings = Settings(limits=ServerLimits(connections=20, per_address=20))

    async def scene() -> None:
        async with serving([NEWEST], settings) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            for _ in range(15):  # and the administrator: 16 of 20, 2 are kept, 2 announced
                uninvited = await Peer.at(server)
                uninvited.join()
                await uninvited.hear(Joined)
            late = await Peer.at(server)
            late.join()
            assert "without a reservation" in (await late.hear(ErrorPacket)).message
            for code in room.reservations:
                player = await Peer.at(server)
                player.say(JoinPrepared(code))
                await player.hear(Joined)

    run(scene())


def test_a_seat_is_not_for_another_program_that_has_seen_its_code() -> None:
    """A code stands in the command line of the program that it is for."""

    async def scene() -> None:
        async with serving([NEWEST]) as server:
            admin = await Peer.admin_at(server)
            room = await prepared(admin)
            thief, player = await Peer.at(server), await Peer.at(server)
            own = player.writer.get_extra_info("sockname")
            answers = [None, None]  # it is being started

            def is_player(peer: tuple[str, int], _: tuple[str, int]) -> bool | None:
                return answers.pop() if answers else peer == own

            for seat in server.lobby.rooms[str(room.room)].seats:
                seat.is_player = is_player
            thief.say(JoinPrepared(room.reservations[0]))
            assert "reservation" in (await thief.hear(ErrorPacket)).message
            assert not answers
            player.say(JoinPrepared(room.reservations[0]))
            await player.hear(Joined)

    run(scene())


def test_a_seat_with_a_listener_of_its_own_is_taken_by_no_other() -> None:
    async def scene() -> None:
        async with serving([NEWEST]) as server:
            room = await prepared(await Peer.admin_at(server))
            own = socket.create_server(("127.0.0.1", 0))
            acceptor = await server.listen_on(own, "its own")
            server.lobby.rooms[str(room.room)].seats[0].listener = "its own"
            thief = await Peer.at(server)
            thief.say(JoinPrepared(room.reservations[0]))
            await thief.hear(ErrorPacket)
            streams = await asyncio.open_connection("127.0.0.1", acceptor.port)
            player = Peer(server.games[0], *streams)
            player.say(JoinPrepared(room.reservations[0]))
            await player.hear(Joined)
            acceptor.close()
            await player.gone()

    run(scene())


def test_whoever_does_not_finish_its_first_message_is_closed() -> None:
    async def scene() -> None:
        clock = Time()
        async with serving([NEWEST], time=clock) as server:
            slow, quick = await Peer.at(server), await Peer.at(server)
            quick.say(JoinRoom("none"))
            await quick.hear(ErrorPacket)
            for letter in b"<protocol><join game":
                slow.writer.write(bytes((letter,)))
                await slow.writer.drain()
                clock.moment += server.settings.limits.greeting / 15
            server.sweep()
            await slow.hear_end()
            quick.say(JoinRoom("none"))
            await quick.hear(ErrorPacket)

    run(scene())


def test_whoever_is_refused_again_and_again_is_closed() -> None:
    settings = Settings(limits=ServerLimits(refusals=10))

    async def scene() -> None:
        async with serving([NEWEST], settings) as server:
            tiresome = await Peer.at(server)
            tiresome.say(*(JoinRoom(str(number)) for number in range(30)))
            heard = await tiresome.hear_end()
            assert sum(isinstance(each, ErrorPacket) for each in heard) == 10
            assert isinstance(heard[-1], EndOfDocument)

    run(scene())


def test_a_flood_of_the_metrics_page_keeps_few_connections_open() -> None:
    async def scene() -> None:
        async with serving([NEWEST], Settings(metrics_port=0)) as server:
            loop = asyncio.get_running_loop()
            flood = []
            for _ in range(40):
                sock = socket.socket()
                sock.setblocking(False)
                await loop.sock_connect(sock, ("127.0.0.1", server.metrics_port))
                flood.append(sock)
            with contextlib.suppress(ConnectionError):
                assert await asyncio.wait_for(loop.sock_recv(flood[-1], 1), PATIENCE) == b""
            for sock in flood:
                sock.close()

    run(scene())


# ------------------------------------------------------------------------- the course's protocol


def course(scene: Callable[[Timekeeper], Coroutine[Any, Any, None]]) -> None:
    time = Timekeeper()
    with contextlib.closing(event_loop(time)) as loop:
        loop.run_until_complete(asyncio.wait_for(scene(time), 120))


def board() -> Board:
    wire = COURSE.part("wire")
    return Board("map", wire.map_of(COURSE.start()), wire)


async def silent(port: int, count: int) -> list[asyncio.StreamWriter]:
    return [(await asyncio.open_connection("127.0.0.1", port))[1] for _ in range(count)]


async def named(port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A client of the course that names its group."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(Connection(Side.CLIENT).send(Group(7)))
    await writer.drain()
    return reader, writer


def test_silent_connections_to_a_course_server_do_not_keep_out_its_players() -> None:
    async def scene(time: Timekeeper) -> None:
        host = Host(board(), BinarySettings(port=0, connections=20), time=time)
        await host.start()
        flood = await silent(host.port, 60)
        players = []
        for _ in range(host.seats):
            players.append(await named(host.port))
            flood += await silent(host.port, 5)
        for reader, _ in players:
            assert await asyncio.wait_for(reader.read(5), PATIENCE), "the map"
        await host.stop()
        for writer in (*flood, *(writer for _, writer in players)):
            writer.close()

    course(scene)


def test_silent_connections_to_the_port_of_a_seat_do_not_keep_out_its_player() -> None:
    async def scene(time: Timekeeper) -> None:
        taken, seated = list[int](), asyncio.Event()

        def sit(seat: int) -> None:
            taken.append(seat)
            seated.set()

        settings = BinarySettings(port=0)
        reserved = Reserved(board(), settings, time, tell=lambda event: None, seated=sit)
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        await reserved.open(1, listener)
        flood = await silent(port, 50)
        _, player = await named(port)
        await asyncio.wait_for(seated.wait(), PATIENCE)
        assert taken == [1]
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection("127.0.0.1", port)
        reserved.close()
        for writer in (*flood, player):
            writer.close()

    course(scene)


def seat_of(time: Timekeeper) -> tuple[Reserved, asyncio.Event]:
    """A course's game, and the news that one of its seats is taken."""
    seated = asyncio.Event()
    reserved = Reserved(
        board(), BinarySettings(port=0), time,
        tell=lambda event: None, seated=lambda seat: seated.set(),
    )  # fmt: skip
    return reserved, seated


async def closed(*clients: asyncio.StreamReader) -> None:
    for reader in clients:
        with contextlib.suppress(ConnectionError):
            assert await asyncio.wait_for(reader.read(), PATIENCE) == b""


def test_strangers_at_the_port_of_a_seat_do_not_push_out_a_player_who_takes_its_time() -> None:
    async def scene(time: Timekeeper) -> None:
        reserved, seated = seat_of(time)
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as player:
            reserved.is_player = lambda seat, peer, own: peer == player.getsockname()
            await reserved.open(1, listener)
            strangers = [await asyncio.open_connection("127.0.0.1", port) for _ in range(60)]
            await closed(*(reader for reader, _ in strangers))
            player.sendall(Connection(Side.CLIENT).send(Group(7)))
            await asyncio.wait_for(seated.wait(), PATIENCE)
            reserved.close()
        for _, writer in strangers:
            writer.close()

    course(scene)


def test_where_a_player_has_a_listener_of_its_own_the_port_of_its_seat_is_for_nobody() -> None:
    async def scene(time: Timekeeper) -> None:
        reserved, seated = seat_of(time)
        public, own = (socket.create_server(("127.0.0.1", 0)) for _ in range(2))
        ports = [each.getsockname()[1] for each in (public, own)]
        reserved.is_player = lambda seat, peer, own: None  # it is being started
        await reserved.open(1, public)
        stranger = await named(ports[0])
        await reserved.open(1, own)
        reserved.is_player = lambda seat, peer, own: True
        await closed(stranger[0])
        assert not seated.is_set()
        player = await named(ports[1])
        await asyncio.wait_for(seated.wait(), PATIENCE)
        reserved.close()
        for _, writer in (stranger, player):
            writer.close()

    course(scene)


# ------------------------------------------------------------------------------------- passwords


def test_guessing_the_password_takes_twice_as_long_with_every_guess() -> None:
    time = Time()
    guard = PasswordGuard("right", time.now)
    for _ in range(FREE - 1):
        assert not guard.admits("a", "wrong")
    for guess in range(14):
        assert not guard.admits("a", "wrong")
        time.moment += min(LONGEST, 2.0**guess) - 0.1
        assert not guard.admits("a", "right"), "locked out"
        assert guard.admits("b", "right"), "but nobody else"
        time.moment += 0.2
    assert guard.admits("a", "right")
    assert not guard.admits("a", "wrong")
    assert guard.admits("a", "right"), "whoever knows it has not guessed"


def test_wrong_administrator_passwords_lock_out_and_are_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def scene() -> None:
        clock = Time()
        async with serving([NEWEST], time=clock) as server:
            guesser, organiser = await Peer.at(server), await Peer.at(server)
            for _ in range(FREE):
                guesser.say(Authenticate("guess"))
                await guesser.hear(ErrorPacket)
            organiser.say(Authenticate(EXAMPLE_PASSWORD))
            await organiser.hear(ErrorPacket)
            clock.moment += 2.0
            organiser.say(Authenticate(EXAMPLE_PASSWORD))
            await prepared(organiser)

    with caplog.at_level(logging.WARNING, "spielleiter.server"):
        run(scene())
    (record,) = (each for each in caplog.records if "password" in each.message)
    assert record.__dict__["about"] == {"address": "127.0.0.1", "attempts": 3, "seconds": 1.0}


# -------------------------------------------------------------------------------- files and the log


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit there")
def test_an_acceptor_without_a_free_file_waits_and_says_so_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    import resource

    arrived = asyncio.Event()

    class Client(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            arrived.set()
            transport.close()

    async def scene() -> None:
        sock = socket.create_server(("127.0.0.1", 0))
        caller = socket.create_connection(sock.getsockname())
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        asked = itertools.count()
        enough = asyncio.Event()
        acceptor = Acceptor(sock, Client, make_room=lambda: enough.set() if next(asked) else None)
        resource.setrlimit(resource.RLIMIT_NOFILE, (sock.fileno(), hard))
        try:
            await asyncio.wait_for(enough.wait(), PATIENCE)
            assert not arrived.is_set()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        await asyncio.wait_for(arrived.wait(), PATIENCE)
        acceptor.close()
        await acceptor.wait_closed()
        caller.close()

    with caplog.at_level(logging.ERROR, "spielleiter.server"):
        run(scene())
    assert [record.message for record in caplog.records] == ["cannot accept connections"]


def test_strangers_cannot_fill_the_log() -> None:
    flood = FloodFilter()

    def passes(sentence: str, at: float, **about: object) -> logging.LogRecord | None:
        record = logging.makeLogRecord({"msg": sentence, "about": about})
        record.created = at
        return record if flood.filter(record) else None

    assert sum(passes("refused", 0.001 * n, peer="x") is not None for n in range(1000)) == 50
    assert passes("game began", 1.0, room="1") is not None
    after = passes("refused", 61.0, peer="x")
    assert after is not None
    assert after.__dict__["about"]["left_out"] == 950
