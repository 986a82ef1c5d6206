"""Clients of ours for tests of the server: real sockets on the loopback, nothing faked."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.game import AUTHORITIES, Game
from spielleiter.match import PerMove
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import (
    Authenticate,
    Join,
    JoinPrepared,
    Memento,
    Message,
    MoveRequest,
    Prepare,
    Prepared,
    Result,
    RoomData,
    Slot,
)
from spielleiter.protocol.xml import Connection, Side
from spielleiter.server import EXAMPLE_PASSWORD, OnStop, ServedGame, Server, Settings, Timekeeper

PATIENCE = 60.0
"""Real seconds to wait for something that should come at once."""
UNHURRIED = PerMove(60.0, 90.0)
"""For games in which real time runs: how fast anybody is on a busy machine is not tested there."""

_OPEN: list[Peer] = []
"""Connections to be closed at the end of the scene."""

M = TypeVar("M", bound=Message)


def spoken() -> list[Game]:
    """Every edition that speaks the contest's protocol: documented, or as the servers did it."""
    return [
        game
        for name in games.names()
        for authority, wire in zip(AUTHORITIES, ("document", "real"), strict=True)
        if _speaks(game := games.load(name, authority).speaking(wire))
    ]


def _speaks(game: Game) -> bool:
    try:
        ServedGame.of(game)
    except (UsageError, ImportError, AttributeError):
        return False
    return True


class Time(Timekeeper):
    """A clock that stands still until it is told to go on."""

    def __init__(self) -> None:
        super().__init__(lambda: self.moment)
        self.moment = 1000.0


@contextlib.asynccontextmanager
async def serving(
    served: Sequence[Game], settings: Settings | None = None, **options: Any
) -> AsyncIterator[Server]:
    """A server on a free port, stopped at the end whatever happens; in no hurry by itself."""
    chosen = replace(settings or Settings(), port=0)
    if chosen.clock == PerMove():
        chosen = replace(chosen, clock=UNHURRIED)
    server = Server(served, chosen, **options)
    await server.start()
    port = server.port
    try:
        yield server
    finally:
        await server.stop(OnStop.CANCEL)
        loop = asyncio.get_running_loop()  # another test's server may have had the same port
        for peer in [peer for peer in _OPEN if peer.port == port and peer.loop is loop]:
            await peer.gone()


class Peer:
    """One connection to the server under test."""

    def __init__(
        self, table: ServedGame, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.table = table
        self.reader, self.writer = reader, writer
        self.connection = Connection(Side.CLIENT, table.wire.dialect)
        self.waiting: list[Message] = []
        self.heard: list[Message] = []
        self.ended = False
        self.port: int = writer.get_extra_info("peername")[1]
        self.loop = asyncio.get_running_loop()
        _OPEN.append(self)

    @classmethod
    async def at(cls, server: Server, table: ServedGame | None = None) -> Peer:
        streams = await asyncio.open_connection("127.0.0.1", server.port)
        return cls(table or server.games[0], *streams)

    @classmethod
    async def admin_at(cls, server: Server, table: ServedGame | None = None) -> Peer:
        peer = await cls.at(server, table)
        peer.say(Authenticate(EXAMPLE_PASSWORD))
        return peer

    def say(self, *messages: Message) -> None:
        self.writer.write(self.connection.send(*messages))

    def join(self) -> None:
        self.say(Join(self.table.wire.game_type))

    async def hear(self, kind: type[M]) -> M:
        """The next message of that kind; what comes before it is remembered in `heard`."""
        message = await self._hear((kind,))
        assert isinstance(message, kind)
        return message

    async def _hear(self, kinds: tuple[type[Any], ...]) -> Message:
        while True:
            while self.waiting:
                message = self.waiting.pop(0)
                self.heard.append(message)
                if any(isinstance(message, kind) for kind in kinds):
                    return message
            assert not self.ended, f"the server hung up before any {kinds}"
            await self._read()

    async def hear_end(self) -> list[Message]:
        """Everything until the server hangs up."""
        while not self.ended:
            await self._read()
        rest, self.waiting = self.waiting, []
        return rest

    async def _read(self) -> None:
        try:
            data = await asyncio.wait_for(self.reader.read(65536), PATIENCE)
        except ConnectionError:
            data = b""
        self.ended = not data
        self.waiting += self.connection.receive(data)

    def close(self) -> None:
        self.writer.close()

    async def gone(self) -> None:
        """Close and wait until that is done."""
        _OPEN.remove(self)
        self.writer.close()
        with contextlib.suppress(ConnectionError):
            await self.writer.wait_closed()

    # --------------------------------------------------------------------------------- playing

    def position(self, memento: Memento) -> Any:
        assert isinstance(memento.state, Element)
        return self.table.game.parse(self.table.wire.read_state(memento.state).position)

    async def asked(self) -> tuple[str, Any] | Result:
        """The room and position of the next request; or the result."""
        while True:
            message = await self._hear((MoveRequest, Result))
            if isinstance(message, Result):
                return message
            assert isinstance(message, MoveRequest)
            memento = next(m for m in reversed(self.heard) if isinstance(m, Memento))
            assert message.room is not None
            return message.room, self.position(memento)

    def play(self, asked: tuple[str, Any], move: Any) -> None:
        room, position = asked
        element = self.table.wire.sent(position, move).element
        self.say(RoomData(room, element))

    async def play_on(self, seed: int, moves: int = 1000) -> Result | None:
        """Random legal moves until the result, or until that many have been made."""
        chance = random.Random(seed)
        for _ in range(moves):
            asked = await self.asked()
            if isinstance(asked, Result):
                return asked
            self.play(asked, chance.choice(list(asked[1].legal_moves())))
        return None


async def prepared(
    admin: Peer, names: Sequence[str] = ("Alice", "Bob"), *, pause: bool = False, timed: bool = True
) -> Prepared:
    """A room prepared by an administrator, all seats reserved."""
    slots = tuple(Slot(name, timed, True, pause) for name in names)
    admin.say(Prepare(admin.table.wire.game_type, slots, pause))
    return await admin.hear(Prepared)


async def seated(server: Server, room: Prepared, table: ServedGame | None = None) -> list[Peer]:
    """Players for all reserved seats of a room, in seat order."""
    players = []
    for code in room.reservations:
        player = await Peer.at(server, table)
        player.say(JoinPrepared(code))
        players.append(player)
    return players
