"""The strict server: tests a client with every legal variation of the protocol.

A real server plays the games behind a proxy between it and the client under test. The proxy changes
only what the protocol leaves open: it cuts the bytes elsewhere, delays them, adds what a client has
to skip. The opponent is ours; it and an administrator help where a scenario needs a crash, a pause
or an early end. What the referee saw decides whether the client passed.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace

from spielleiter.game import Game, Position
from spielleiter.match import Ended, Event, Fault, Kind, PerMove, Played
from spielleiter.protocol.element import Element
from spielleiter.protocol.lobby import (
    Authenticate,
    Cancel,
    Close,
    Join,
    JoinedGameRoom,
    JoinPrepared,
    Memento,
    Message,
    MoveRequest,
    Pause,
    Prepare,
    Prepared,
    RoomData,
    Slot,
)
from spielleiter.protocol.xml import Connection, Side
from spielleiter.server.door import Door, OwnConnections, Streams, Visitor
from spielleiter.server.listener import Server
from spielleiter.server.served_game import ServedGame
from spielleiter.server.settings import EXAMPLE_PASSWORD, OnStop, Settings
from spielleiter.text import Messages

Print = Callable[[str], object]
Starter = Callable[[int, str], Visitor]
"""Starts the client under test: the port, and the code of the seat that is reserved for it."""
Distortion = Callable[[bytes], AsyncIterator[bytes]]

_MESSAGE = re.compile(rb"\n  (?=<[^/])")
_HOST = "127.0.0.1"
_PATIENCE = 5.0
"""Seconds a client may take to notice the end."""


# -------------------------------------------------------------------------------------- distortions


async def as_it_is(data: bytes) -> AsyncIterator[bytes]:
    """Everything as it comes."""
    yield data


async def byte_by_byte(data: bytes) -> AsyncIterator[bytes]:
    """Every byte in a packet of its own."""
    for at in range(len(data)):
        yield data[at : at + 1]
        if at % 8 == 0:
            await asyncio.sleep(0)


async def cut_in_tags(data: bytes) -> AsyncIterator[bytes]:
    """Packets that end within tags, and within characters of more than one byte."""
    for piece in re.split(rb"(?<=<.)|(?<=[\xc3\xe2])", data):
        yield piece
        await asyncio.sleep(0)


async def two_at_once(data: bytes) -> AsyncIterator[bytes]:
    """Messages wait for each other and come in one packet."""
    await asyncio.sleep(0.03)
    yield data


async def strange_news(data: bytes) -> AsyncIterator[bytes]:
    """Unknown elements and attributes, to be skipped."""
    news = b'\n  <news from="server" about="nothing"><item/>text</news>'
    data = data.replace(b"<data class=", b'<data mood="strict" class=')
    yield _MESSAGE.sub(lambda found: news + found[0], data)


async def other_layout(data: bytes) -> AsyncIterator[bytes]:
    """No indentation at all, but comments and empty lines between the messages."""
    data = _MESSAGE.sub(b"\n\n<!-- <left/> --> \t\r\n", data)
    yield re.sub(rb">\n +(?=<)", b">", data)


async def slow_bytes(data: bytes) -> AsyncIterator[bytes]:
    """Every message spread over a tenth of a second."""
    drops = 25
    size = max(1, len(data) // drops)
    for at in range(0, len(data), size):
        yield data[at : at + size]
        await asyncio.sleep(0.1 / drops)


# -------------------------------------------------------------------------------------- scenarios


@dataclass(frozen=True, slots=True)
class Scenario:
    """One way to be strict."""

    name: str
    about: str
    distortion: Distortion = as_it_is
    client_begins: bool = True
    """The client takes the first seat."""
    after: int = 6
    """Plies after which `event` happens."""
    event: str = ""
    """`crash`, `pause`, `cancel` or `end`."""

    @property
    def seat(self) -> int:
        """The client's seat."""
        return 0 if self.client_begins else 1


ALL = (
    Scenario("plain", "a game without any disturbance"),
    Scenario("bytes", "every byte in a packet of its own", byte_by_byte),
    Scenario("cuts", "packets that end within tags", cut_in_tags, client_begins=False),
    Scenario("together", "several messages in one packet", two_at_once),
    Scenario("strange", "unknown elements and attributes", strange_news, client_begins=False),
    Scenario("layout", "comments, empty lines, no indentation", other_layout),
    Scenario("slow", "messages that arrive slowly", slow_bytes),
    Scenario("crash", "the opponent crashes", event="crash", client_begins=False),
    Scenario("pause", "the game is paused and goes on", event="pause"),
    Scenario("cancel", "the game is ended early", event="cancel", client_begins=False),
    Scenario("end", "the stream ends without a closing message", event="end"),
)
SCENARIOS = tuple(scenario.name for scenario in ALL)


async def serve_strictly(game: Game, settings: Settings, name: str, say: Print) -> int:
    """Wait for a client for each scenario and print what it failed; 1 if there was anything."""
    chosen = [scenario for scenario in ALL if name in (scenario.name, "all")]
    stage = Stage(game, settings, say)
    await stage.open()
    try:
        verdicts = [await stage.play(scenario) for scenario in chosen]
    finally:
        await stage.close()
    failed = sum(verdict is not None for verdict in verdicts)
    say(f"{len(chosen) - failed} of {len(chosen)} scenarios passed")
    return min(failed, 1)


_messages = Messages("spielleiter", "finding.weakness.")
_WEAKNESSES = {
    Kind.OUT_OF_TURN: "out-of-turn",
    Kind.UNREQUESTED: "unrequested",
    Kind.LATE: "late",
    Kind.SILENT: "silent",
    Kind.ILLEGAL: "illegal",
    Kind.LEFT: "left",
}


class Stage:
    """A real server, the distortion before it, and one scenario after the other."""

    def __init__(self, game: Game, settings: Settings, say: Print) -> None:
        self._say = say
        self._public = settings.checked()
        clock = PerMove(_plus(settings.clock.soft, 1.0), _plus(settings.clock.hard, 1.0))
        inner = replace(
            settings, host=_HOST, port=0, password=EXAMPLE_PASSWORD, clock=clock,
            metrics_port=None, paused=False, timeouts=True,
        )  # fmt: skip
        self._own = OwnConnections()
        self._server = Server([game], inner, sinks=[self._note], admits=self._own.admits)
        self._events: list[Event] = []
        self._news = asyncio.Event()
        self._clients: asyncio.Queue[Streams] = asyncio.Queue()
        self._random = random.Random(settings.seed)

    async def open(self) -> None:
        """Listen for clients."""
        await self._server.start()
        self._door = Door(self._public.host, self._public.port, self._clients.put_nowait)

    @property
    def port(self) -> int:
        """Where clients connect."""
        return self._door.port

    @property
    def strangers(self) -> int:
        """Connections of other programs that were refused in the present scenario."""
        return self._door.strangers

    async def close(self) -> None:
        """Close all connections."""
        self._door.close()
        await self._server.stop(OnStop.CANCEL)

    def _note(self, _: str, event: Event) -> None:
        self._events.append(event)
        self._news.set()

    async def _until(self, happened: Callable[[], bool]) -> None:
        while not happened():
            self._news.clear()
            await self._news.wait()

    # ----------------------------------------------------------------------------------- one play

    @property
    def events(self) -> Sequence[Event]:
        """The referee's events of the present scenario so far."""
        return self._events

    async def play(self, scenario: Scenario, start: Starter | None = None) -> str | None:
        """Play one scenario; the weakness it showed, or None.

        The next connection is the client. With `start` its seat is reserved, as in the contest,
        it is started when that is done, and the connections of others are closed.
        """
        self._say(f"{scenario.name}: {scenario.about} (connect to port {self.port})")
        self._events = []
        client: Streams | None = None
        helpers = _Helpers(self._server, self._own, self._random)
        try:
            await helpers.administrate()
            if start is not None:
                self._door.expect_nobody()
                self._door.expect(start(self.port, (await helpers.prepare())[scenario.seat]))
            client = await self._clients.get()
            if start is not None:
                self._door.refuse_others()
            weakness = await self._perform(scenario, client, helpers)
        finally:
            await helpers.close()
            if client is not None:
                client.abort()
            if start is not None:
                self._send_rest_away()
        moves = sum(isinstance(event, Played) for event in self._events)
        self._say(f"  FAILED: {weakness}" if weakness else f"  passed, {moves} moves")
        return weakness

    def _send_rest_away(self) -> None:
        """The next client is another program: connections of this one are not for it."""
        self._door.expect_nobody()
        while not self._clients.empty():
            self._clients.get_nowait().abort()

    async def _perform(self, scenario: Scenario, client: Streams, helpers: _Helpers) -> str | None:
        if not scenario.client_begins:
            await helpers.join(1 - scenario.seat)
        inner = await _connected(self._server, self._own)
        pumps = [
            asyncio.create_task(pump(client, inner, as_it_is)),
            asyncio.create_task(pump(inner, client, scenario.distortion)),
        ]
        try:
            if scenario.client_begins:
                await helpers.joined()
                await helpers.join(1 - scenario.seat)
            return await self._watch(scenario, client, inner, helpers, pumps)
        finally:
            for each in pumps:
                each.cancel()
            inner.abort()

    async def _watch(
        self,
        scenario: Scenario,
        client: Streams,
        inner: Streams,
        helpers: _Helpers,
        pumps: list[asyncio.Task[None]],
    ) -> str | None:
        if scenario.event:
            await self._until(lambda: self._ended() is not None or self._plies() >= scenario.after)
            if self._ended() is None and scenario.event == "end":
                return await _lets_go(client, pumps)
            if self._ended() is None:
                await helpers.act(scenario.event)
        await self._until(lambda: self._ended() is not None)
        ended = self._ended()
        assert ended is not None
        fault = ended.faults[scenario.seat]
        if fault is not None:
            return _weakness(fault)
        return await self._says_goodbye(pumps)

    async def _says_goodbye(self, pumps: list[asyncio.Task[None]]) -> str | None:
        """The result is out; a client that is still there later has not understood it."""
        await asyncio.wait(pumps, timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        if not any(each.done() for each in pumps):
            return _messages("still-there", seconds=round(_PATIENCE))
        return None

    def _plies(self) -> int:
        return sum(isinstance(event, Played) for event in self._events)

    def _ended(self) -> Ended | None:
        return next((event for event in self._events if isinstance(event, Ended)), None)


def _weakness(fault: Fault) -> str:
    return _messages(_WEAKNESSES[fault.kind], move=str(fault.move), detail=fault.detail)


def _plus(limit: float | None, more: float) -> float | None:
    return None if limit is None else limit + more


async def _lets_go(client: Streams, pumps: list[asyncio.Task[None]]) -> str | None:
    """End our stream; the client must end its own."""
    pumps[1].cancel()
    with contextlib.suppress(OSError):
        client.writer.write_eof()
    await asyncio.wait([pumps[0]], timeout=_PATIENCE)
    if not pumps[0].done():
        return _messages("stream-ended", seconds=round(_PATIENCE))
    return None


# ---------------------------------------------------------------------------------- those who help


async def _connected(server: Server, own: OwnConnections) -> Streams:
    return Streams(*await asyncio.open_connection(sock=own.connect(_HOST, server.port)))


async def pump(source: Streams, sink: Streams, distortion: Distortion) -> None:
    """Forward bytes until one side ends or aborts, then end the other."""
    with contextlib.suppress(ConnectionError):
        while data := await source.reader.read(65536):
            async for piece in distortion(data):
                if piece:
                    sink.writer.write(piece)
                    await sink.writer.drain()
    with contextlib.suppress(OSError):  # it may be gone as well
        sink.writer.write_eof()


@dataclass(slots=True)
class _Talker:
    """One of our own connections to the server."""

    streams: Streams
    connection: Connection
    waiting: list[Message] = field(default_factory=list)

    def say(self, *messages: Message) -> None:
        self.streams.writer.write(self.connection.send(*messages))

    async def messages(self) -> AsyncIterator[Message]:
        while data := await self.streams.reader.read(65536):
            for message in self.connection.receive(data):
                yield message


class _Helpers:
    """Our opponent and our administrator."""

    def __init__(self, server: Server, own: OwnConnections, chance: random.Random) -> None:
        self._server, self._own = server, own
        self._served: ServedGame = server.games[0]
        self._random = chance
        self._room: str | None = None
        self._codes: tuple[str, ...] = ()
        self._somebody = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self._talkers: list[_Talker] = []

    async def administrate(self) -> None:
        """Become administrator, and note who joins."""
        self._admin = await self._talker()
        self._admin.say(Authenticate(EXAMPLE_PASSWORD))
        self._tasks.append(asyncio.create_task(self._note_joins()))

    async def prepare(self) -> tuple[str, ...]:
        """Reserve all seats; their codes in the order of the seats."""
        slots = tuple(Slot(name, can_timeout=True, reserved=True) for name in ("one", "other"))
        self._admin.say(Prepare(self._served.wire.game_type, slots))
        await self._somebody.wait()
        return self._codes

    async def join(self, seat: int) -> None:
        """Let our player take the seat that is reserved for it, or any."""
        self._player = await self._talker()
        code = self._codes[seat] if self._codes else None
        game_type = self._served.wire.game_type
        self._player.say(JoinPrepared(code) if code else Join(game_type))
        self._tasks.append(asyncio.create_task(self._play()))
        await self.joined()

    async def joined(self) -> None:
        """Wait until somebody has a seat."""
        await self._somebody.wait()

    async def act(self, event: str) -> None:
        """Trigger the event of the scenario."""
        acts: dict[str, Callable[[], Awaitable[None]]] = {
            "crash": self._crash, "pause": self._pause, "cancel": self._cancel,
        }  # fmt: skip
        await acts[event]()

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        for talker in self._talkers:
            talker.say(Close())
            talker.streams.writer.close()

    async def _crash(self) -> None:
        self._player.streams.abort()

    async def _pause(self) -> None:
        self._admin.say(Pause(self._room, True))
        await asyncio.sleep(1.0)
        self._admin.say(Pause(self._room, False))

    async def _cancel(self) -> None:
        self._admin.say(Cancel(self._room))

    async def _talker(self) -> _Talker:
        connection = Connection(Side.CLIENT, self._served.wire.dialect)
        talker = _Talker(await _connected(self._server, self._own), connection)
        self._talkers.append(talker)
        return talker

    async def _note_joins(self) -> None:
        async for message in self._admin.messages():
            if isinstance(message, Prepared):
                self._codes = message.reservations
            if isinstance(message, JoinedGameRoom | Prepared):
                self._room = message.room
                self._somebody.set()

    async def _play(self) -> None:
        position: Position | None = None
        with contextlib.suppress(ConnectionError):
            async for message in self._player.messages():
                if isinstance(message, Memento) and isinstance(message.state, Element):
                    text = self._served.wire.read_state(message.state).position
                    position = self._served.game.parse(text)
                elif isinstance(message, MoveRequest) and position is not None:
                    move = self._random.choice(list(position.legal_moves()))
                    self._player.say(
                        RoomData(message.room, self._served.wire.sent(position, move).element)
                    )
