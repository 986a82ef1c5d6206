"""A server of ours in a thread, and clients that do what a test tells them."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from typing import Any, cast

from spielleiter import bots, games
from spielleiter.client import binary
from spielleiter.game import Bot, Outcome
from spielleiter.games.reversi import Move as Choice
from spielleiter.games.reversi import Position, maps, reference, wire
from spielleiter.match import Ended, Event, Opened, Played, Violated
from spielleiter.protocol.binary import (
    Connection,
    Disqualified,
    Group,
    Map,
    Message,
    Move,
    Moved,
    MoveRequest,
    Player,
    Side,
)
from spielleiter.server import Timekeeper, event_loop
from spielleiter.server.binary import BinarySettings, Board, Host, Notice

GAME = games.load("reversi")
PATIENCE = 60.0
UNHURRIED = 60.0
"""A limit that nobody oversteps, however busy the machine is."""


class Hosted:
    """A host in a thread of its own."""

    def __init__(
        self, board: Board, settings: BinarySettings, time: Timekeeper | None = None
    ) -> None:
        self.board, self.settings, self._time = board, settings, time or Timekeeper()
        self.events: dict[str, list[Event]] = {}
        self.notices: list[Notice] = []
        self.host: Host
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    @property
    def port(self) -> int:
        return self.host.port

    @property
    def ended(self) -> list[Ended]:
        """The end of every game, in the order in which they began."""
        last = [events[-1] for events in self.events.values()]
        return [event for event in last if isinstance(event, Ended)]

    def start(self) -> None:
        self._thread.start()
        assert self._ready.wait(PATIENCE)

    def wait(self, patience: float = PATIENCE) -> None:
        """Until all games are played."""
        self._thread.join(patience)
        assert not self._thread.is_alive(), "the games do not end"

    def stop(self) -> None:
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self.host.stop(), self._loop)
            self._thread.join(PATIENCE)

    def _run(self) -> None:
        with contextlib.closing(event_loop(self._time)) as self._loop:
            self._loop.run_until_complete(self._serve())

    async def _serve(self) -> None:
        self.host = Host(
            self.board,
            self.settings,
            sinks=[self._hear],
            notify=self.notices.append,
            time=self._time,
        )
        await self.host.start()
        self._ready.set()
        await self.host.finished()

    def _hear(self, room: str, event: Event) -> None:
        self.events.setdefault(room, []).append(event)


def board(name: str) -> Board:
    """A map of the catalogue."""
    return Board(f"{name}.map", maps.load(name), wire)


@contextlib.contextmanager
def hosted(name: str | Board, time: Timekeeper | None = None, **settings: Any) -> Iterator[Hosted]:
    """A server for games on a map of the catalogue; all of them are over at the end."""
    on = name if isinstance(name, Board) else board(name)
    server = Hosted(on, BinarySettings(**{"port": 0, **settings}), time)
    server.start()
    try:
        yield server
        server.wait()
    finally:
        server.stop()


# ---------------------------------------------------------------------------------------- clients


def connect(port: int, group: int | None = None) -> socket.socket:
    """A connection, which names its group if there is one."""
    sock = socket.create_connection(("127.0.0.1", port), PATIENCE)
    if group is not None:
        sock.sendall(Connection(Side.CLIENT).send(Group(group)))
    return sock


Reaction = Choice | bytes | None
"""What a scripted client answers: a move, whatever bytes, or nothing."""


class Scripted:
    """A client that follows the game and answers requests as a function says.

    The function gets the position and how often it was asked, and gives a move, bytes to be sent
    instead, or None after it has done something else with the socket.
    """

    def __init__(
        self, port: int, group: int, react: Callable[[Position, int, socket.socket], Reaction]
    ) -> None:
        self.socket = connect(port)
        self.connection = Connection(Side.CLIENT)
        self.socket.sendall(self.connection.send(Group(group)))
        self.messages: list[Message] = []
        self.asked = 0
        self._react = react
        self._position: Position
        self._player = 0
        self._thread = threading.Thread(target=self._play, daemon=True)
        self._thread.start()

    def wait(self) -> list[Message]:
        """Everything it heard until the end of the stream."""
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive(), "the client still waits"
        self.socket.close()
        return self.messages

    def _play(self) -> None:
        with contextlib.suppress(OSError):
            while (message := self._next()) is not None:
                self.messages.append(message)
                self._hear(message)

    def _next(self) -> Message | None:
        while (message := self.connection.next()) is None:
            data = self.socket.recv(65536)
            if not data:
                return None
            self.connection.feed(data)
        return message

    def _hear(self, message: Message) -> None:
        if isinstance(message, Map):
            self._position = cast(Position, wire.start(message.text))
        elif isinstance(message, Player):
            self._player = message.player
        elif isinstance(message, Disqualified):
            self._position.disqualify(message.player - 1)
        elif isinstance(message, Moved):
            self._follow(message.player)
            self._position.play(self._position.move(f"{message.x},{message.y}"))
        elif isinstance(message, MoveRequest):
            self._answer()

    def _follow(self, player: int) -> None:
        self._position = cast(Position, wire.follow(self._position, player))

    def _answer(self) -> None:
        self._follow(self._player)
        answer = self._react(self._position, self.asked, self.socket)
        self.asked += 1
        self.connection.send(Move(0, 0))  # whatever is really sent: the phase goes on
        if isinstance(answer, bytes):
            self.socket.sendall(answer)
        elif answer is not None:
            move = wire.write_move(self._position, answer)
            self.socket.sendall(struct.pack(">BIHHB", 5, 5, move.x, move.y, 0))


class Playing:
    """A bot that plays one game in a thread."""

    def __init__(self, port: int, bot: Bot | str = "random", group: int = 0, seed: int = 0) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self.socket.settimeout(PATIENCE)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.report: binary.BinaryReport | None = None
        self.failure: Exception | None = None
        self._bot = bots.load(bot, seed=seed) if isinstance(bot, str) else bot
        self._thread = threading.Thread(target=self._play, args=(group,), daemon=True)
        self._thread.start()

    def wait(self) -> binary.BinaryReport:
        """How it went."""
        self._thread.join(PATIENCE)
        if self.failure is not None:
            raise self.failure
        assert self.report is not None, "the bot still plays"
        return self.report

    def _play(self, group: int) -> None:
        try:
            with self.socket:
                self.report = binary.play(
                    self._bot, GAME, self.socket, group, warn=lambda trouble: None
                )
        except Exception as failure:
            self.failure = failure


def first_move(position: Position, asked: int, sock: socket.socket) -> Reaction:
    """The reaction of a client that behaves."""
    return position.legal_moves()[0]


# ----------------------------------------------------------------------------------------- judging


def judged(events: list[Event]) -> Outcome:
    """What the plain rules say about the moves and disqualifications of a match."""
    opened = events[0]
    assert isinstance(opened, Opened)
    position = reference.Position.parse(opened.position, "reversi")
    for event in events:
        if isinstance(event, Played):
            assert position.to_move() == event.seat
            position.play(position.move(event.move))
        elif isinstance(event, Violated):
            position.disqualify(event.seat)
    outcome = position.outcome()
    assert outcome is not None
    return outcome
