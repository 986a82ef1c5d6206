"""The short way of a usual move says, counts and leaves behind what the long way does.

A server whose tables have a listener takes the long way, unless the listener may wait. Three
servers, one without a listener, hear the same bytes at the same times.
"""

from __future__ import annotations

import asyncio
import random
import socket
from typing import Any

import pytest

from spielleiter import arrival
from spielleiter.arrival import TICK
from spielleiter.game import Game
from spielleiter.match import Event, PerMove
from spielleiter.protocol.lobby import Authenticate, Join, Message, Observe, Pause, RoomData, Step
from spielleiter.protocol.xml import encode
from spielleiter.server import EXAMPLE_PASSWORD, Server, Settings
from spielleiter.server.connection import XmlConnection
from spielleiter.server.speaker import XmlSpeaker
from spielleiter.server.timekeeper import Timekeeper
from tests.conftest import in_turns
from tests.peers import Time, spoken

EDITIONS = spoken()
each_edition = pytest.mark.parametrize(
    "edition",
    in_turns(EDITIONS, lambda game: game.name),
    ids=[f"{game.name}/{game.authority}" for game in EDITIONS],
)
PLAYERS = (0, 1)
ADMIN = 2


class Line(asyncio.Transport):
    """A transport that keeps what is written."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.written = b""
        self.is_closed = False

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def is_closing(self) -> bool:
        return self.is_closed

    def close(self) -> None:
        self.is_closed = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing is kept back."""

    def get_write_buffer_size(self) -> int:
        return 0


class Room:
    """One game of a server with two players and an administrator."""

    def __init__(
        self,
        edition: Game,
        *,
        is_heard: bool,
        may_wait: bool = False,
        players: tuple[int, int] = PLAYERS,
    ) -> None:
        settings = Settings(port=0, seed=1, clock=PerMove(2.0, 10.0))
        self.time, self.events = Time(), list[Event]()
        sinks = [self._note] if is_heard else []
        self.server = Server([edition], settings, sinks=sinks, time=self.time)
        self.lines = [Line() for _ in range(3)]
        self.clients = [XmlConnection(self.server.lobby, self.server.resources) for _ in self.lines]
        for client, line in zip(self.clients, self.lines, strict=True):
            client.connection_made(line)
            self._hear(client, b"<protocol>")
        self.say(ADMIN, Authenticate(EXAMPLE_PASSWORD))
        for player in players:
            self.say(player, Join(self.server.games[0].wire.game_type))
        (self.room,) = self.server.lobby.rooms.values()
        self.match, self.wire = self.room.match, self.room.wire
        self.room.table.sinks_may_wait = may_wait

    def _note(self, room: str, event: Event) -> None:
        self.events.append(event)

    def say(self, who: int, message: Message) -> None:
        if not self.lines[who].is_closed:
            self._hear(self.clients[who], encode(message, self.clients[who].dialect))

    def _hear(self, client: XmlConnection, data: bytes) -> None:
        client.get_buffer(-1)[: len(data)] = data
        client.buffer_updated(len(data))

    def wait(self, seconds: float) -> None:
        self.time.moment += seconds
        self.server.check_time()

    def story(self) -> tuple[object, ...]:
        """What everybody was told, what was counted, and how the match stands."""
        told = [line.written.replace(self.room.id.encode(), b"ROOM") for line in self.lines]
        metrics, match = self.server.metrics, self.match
        counted = (metrics.moves, metrics.counts, metrics.thinking.counts, metrics.lag.counts)
        standing = (match.position.text(), match.pending, match.asked, match.deadline, match._next)
        return (told, counted, metrics.thinking.total, standing, match.last_move, match.faults)


@each_edition
def test_the_short_way_leaves_behind_what_the_long_way_does(edition: Game) -> None:
    asyncio.run(_play_twice(edition, seeds=range(12)))


async def _play_twice(edition: Game, seeds: range) -> None:
    for seed in seeds:
        short, long = Room(edition, is_heard=False), Room(edition, is_heard=True)
        late = Room(edition, is_heard=True, may_wait=True)
        for number in range(150):
            for room in (short, long, late):
                _go_on(room, random.Random(f"{seed}/{number}"))
            assert short.story() == long.story() == late.story(), (seed, number)
            assert late.events == long.events, (seed, number)
            if short.match.ended is not None:
                break
        assert len(long.events) > 3


def _go_on(room: Room, lot: random.Random) -> None:
    """Mostly the next move; now and then something that is not usual."""
    what = lot.choices(("move", "wait", "watch", "hold", "other", "bad"), (90, 3, 2, 3, 1, 1))[0]
    room.time.moment += lot.random()
    room.time.note(waited=lot.random() / 2)
    if what == "wait":
        room.wait(lot.choice((0.5, 1.9, 2.5, 11.0)))
    elif what == "watch":
        room.say(ADMIN, Observe(room.room.id))
    elif what == "hold":
        room.say(ADMIN, lot.choice((Pause(room.room.id, True), Step(room.room.id))))
        room.say(ADMIN, Pause(room.room.id, lot.random() < 0.2))
    else:
        _move(room, what, lot)


def _move(room: Room, what: str, lot: random.Random) -> None:
    position = room.match.position
    if room.match.ended is not None or not (legal := position.legal_moves()):
        return
    sent = room.wire.sent(position, lot.choice(legal), ("a hint",) if lot.random() < 0.3 else ())
    seat = position.to_move() if what != "other" else 1 - position.to_move()
    if what == "bad":
        position = room.room.start.position
        sent = room.wire.sent(position, lot.choice(position.legal_moves()))
    room.say(seat, RoomData(room.room.id, sent.element))


@pytest.mark.parametrize("is_heard", [False, True])
def test_a_usual_game_goes_the_short_way(monkeypatch: pytest.MonkeyPatch, is_heard: bool) -> None:
    """Or the comparison above would compare the long way with itself."""
    judged: list[object] = []
    monkeypatch.setattr(XmlSpeaker, "judging", lambda _, sent: judged.append(sent))

    async def scene() -> None:
        room, lot = Room(EDITIONS[0], is_heard=is_heard, may_wait=True), random.Random(1)
        for _ in range(20):
            _move(room, "move", lot)
        assert room.server.metrics.moves == 20

    asyncio.run(scene())
    assert not judged


def test_a_client_that_plays_both_seats_is_told_the_same_on_both_ways() -> None:
    async def scene() -> None:
        short, long = (Room(EDITIONS[0], is_heard=heard, players=(0, 0)) for heard in (False, True))
        for number in range(20):
            for room in (short, long):
                legal = room.match.position.legal_moves()
                sent = room.wire.sent(room.match.position, random.Random(number).choice(legal))
                room.say(0, RoomData(room.room.id, sent.element))
            assert short.story() == long.story()

    asyncio.run(scene())


def test_after_less_than_the_kernel_may_be_wrong_by_it_is_not_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """What it would have said makes no difference, so a quick move need not pay for the call."""
    lot, asked, keeper = random.Random(3), 5.0, Timekeeper()
    now, kernel, calls = [0.0], [0.0], [0]

    def said(_: object) -> float:
        calls[0] += 1
        return kernel[0]

    monkeypatch.setattr(arrival, "age", said)
    monkeypatch.setattr(keeper, "now", lambda: now[0])
    with socket.socket() as sock:
        for _ in range(2_000):
            now[0] = at = asked + lot.uniform(0.0, 2 * TICK)
            kernel[0] = lot.uniform(0.0, at - asked)
            keeper.note(waited=lot.uniform(0.0, 2 * TICK))
            assert keeper.lag(at, sock, asked) == keeper.lag(at, sock)
    assert 2_000 < calls[0] < 4_000, "it is asked in some cases and in others not"
