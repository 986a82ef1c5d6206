"""A server in a thread of this process that programs connect to, for both protocols.

A game server books tables. Every seat of a booked table has an address. The game begins with
`BookedTable.begin`, so players can connect long before.
"""

from __future__ import annotations

import abc
import asyncio
import contextlib
import secrets
import socket
import threading
import uuid
from collections.abc import Callable, Coroutine
from functools import partial
from importlib.util import find_spec
from typing import Any, TypeVar

from spielleiter.errors import UsageError
from spielleiter.game import Game, Position, Seat
from spielleiter.match import Began, Ended, Event, Seated
from spielleiter.programs.settings import ANYWHERE, HOST
from spielleiter.server import Server, ServerLimits, Settings, Start, Timekeeper, event_loop
from spielleiter.server import binary as course
from spielleiter.server.acceptor import Acceptor
from spielleiter.server.seat import RoomSeat
from spielleiter.server.speaker import XmlSpeaker
from spielleiter.server.table import TimeCredit
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.time_control import TimeControl

Result = TypeVar("Result")
_START = 30.0
_CONNECTIONS, _STRANGERS = 500, 64
"""Limits for connections: only the players of two games are expected."""


class EventLog:
    """The events of a table so far: written by the server's thread, read by another."""

    def __init__(self, on_event: Callable[[Event], None] = lambda event: None) -> None:
        self.events: list[Event] = []
        self.seated: set[Seat] = set()
        self.full = self.ended = False
        self.on_event = on_event
        """Called with every event in the server's thread, before any player or reader gets it."""
        self._changed = threading.Event()

    def add(self, event: Event) -> None:
        """Add an event; wakes readers if they wait for it."""
        self.on_event(event)
        self.events.append(event)
        if isinstance(event, Seated):
            self.take_seat(event.seat)
        elif isinstance(event, Began):
            self.full = True
            self._changed.set()
        elif isinstance(event, Ended):
            self.ended = True
            self._changed.set()

    def take_seat(self, seat: Seat) -> None:
        """Note a taken seat."""
        self.seated.add(seat)
        self._changed.set()

    def wait(self, seconds: float) -> None:
        """Wait for a change, with a timeout."""
        if self._changed.wait(seconds):
            self._changed.clear()


class BookedTable(abc.ABC):
    """A game that waits for its players."""

    events: EventLog

    @abc.abstractmethod
    def give_credit(self, credit: TimeCredit) -> None:
        """Credit players with time that is not theirs."""

    @abc.abstractmethod
    def let_events_wait(self, may_wait: bool = True) -> None:
        """Whether players may hear of an ordinary move before `events`: they are asked sooner."""

    @abc.abstractmethod
    def address(self, seat: Seat) -> dict[str, str]:
        """Values for the placeholders of a command: {port} and the like."""

    @abc.abstractmethod
    def open(self, seat: Seat, listener: socket.socket) -> None:
        """Accept the player of that seat only on this listening socket."""

    @abc.abstractmethod
    def guard(self, is_player: course.IsPlayer) -> None:
        """Check that each seat is taken by its own player."""

    @abc.abstractmethod
    def begin(self) -> None:
        """Start the game: all seats are taken."""

    @abc.abstractmethod
    def abandon(self) -> bool:
        """Stop waiting; whether the referee will report the end."""

    @abc.abstractmethod
    def close(self) -> None:
        """Release the table."""


class GameServer(abc.ABC):
    """A server in a thread of its own."""

    def __init__(self) -> None:
        self._time = Timekeeper()
        self._loop = event_loop(self._time)
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    @abc.abstractmethod
    def book(self, pairing: Pairing) -> BookedTable:
        """A table for a game."""

    def call(self, work: Coroutine[Any, Any, Result]) -> Result:
        """Run a function in the server's thread and wait for it."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(_START)

    def do(self, work: Callable[[], Any]) -> None:
        """Schedule a function in the server's thread."""
        self._loop.call_soon_threadsafe(work)


def game_server(
    game: Game, limits: TimeControl, start: Callable[[Opening], Position], host: str
) -> GameServer:
    """The server that speaks the protocol of a game."""
    if limits.per_move is None:
        raise UsageError("programs know no limit of nodes: give them a time per move")
    wire = None if find_spec(f"{game.folder}.wire") is None else game.part("wire")
    if wire is None:
        raise UsageError(f"{game.name} has no contest protocol for programs yet")
    if hasattr(wire, "wire"):
        return XmlGameServer(game, limits, start, host)
    return BinaryGameServer(game, limits, host)


# ------------------------------------------------------------------------------ the contest's XML


class XmlGameServer(GameServer):
    """Tables on a contest server; every seat is reserved, and the game waits for `begin`."""

    def __init__(
        self, game: Game, limits: TimeControl, start: Callable[[Opening], Position], host: str
    ) -> None:
        super().__init__()
        self._start, self._limits = start, limits
        self._logs: dict[str, EventLog] = {}
        quotas = ServerLimits(connections=_CONNECTIONS, strangers_per_address=_STRANGERS)
        password = secrets.token_hex(16)
        settings = Settings(host, 0, password=password, timeouts=True, limits=quotas)
        self.server = Server([game], settings, sinks=[self._note], time=self._time)
        self.call(self.server.start())
        self.host = HOST if host in ANYWHERE else host

    def book(self, pairing: Pairing) -> BookedTable:
        """A table of the contest's XML server for one game."""
        start = Start(self._start(pairing.opening))
        events = EventLog()
        room = self.call(self._open(pairing, start, events))
        return _Room(self, room, events)

    async def _open(self, pairing: Pairing, start: Start, events: EventLog) -> XmlSpeaker:
        name = str(uuid.uuid4())
        self._logs[name] = events
        seats = [
            RoomSeat.reserved(number, player, timed=True)
            for number, player in enumerate(pairing.players)
        ]
        return self.server.lobby.open(
            self.server.games[0],
            start,
            seats,
            name=name,
            paused=True,
            clock=self._limits.referee,
        )

    def forget(self, room: str) -> None:
        """Drop a room's data."""
        self._logs.pop(room, None)

    def _note(self, room: str, event: Event) -> None:
        if (events := self._logs.get(room)) is not None:
            events.add(event)


class _Room(BookedTable):
    def __init__(self, server: XmlGameServer, room: XmlSpeaker, events: EventLog) -> None:
        self._server, self._room, self.events = server, room, events
        self._listeners: list[Acceptor] = []

    def give_credit(self, credit: TimeCredit) -> None:
        self._room.table.time_credit = credit

    def let_events_wait(self, may_wait: bool = True) -> None:
        self._room.table.sinks_may_wait = may_wait

    def address(self, seat: Seat) -> dict[str, str]:
        port, code = str(self._server.server.port), self._room.seats[seat].code or ""
        return {"{host}": self._server.host, "{port}": port, "{reservation}": code}

    def open(self, seat: Seat, listener: socket.socket) -> None:
        own = f"the listener of seat {seat} in room {self._room.id}"
        self._room.seats[seat].listener = own
        self._listeners.append(self._server.call(self._server.server.listen_on(listener, own)))

    def guard(self, is_player: course.IsPlayer) -> None:
        for seat in self._room.seats:
            seat.is_player = partial(is_player, seat.number)

    def begin(self) -> None:
        self._server.do(lambda: self._room.table.pause(False))

    def abandon(self) -> bool:
        self._server.do(lambda: self._room.table.step(forced=True))
        return True

    def close(self) -> None:
        for listener in self._listeners:
            self._server.do(listener.close)
        self._server.forget(self._room.id)


# -------------------------------------------------------------------------- the course's bytes


class BinaryGameServer(GameServer):
    """Tables of the course's protocol: every seat has a port of its own."""

    def __init__(self, game: Game, limits: TimeControl, host: str) -> None:
        super().__init__()
        self._wire, self.host = game.part("wire"), host
        self._settings = course.BinarySettings(host=host, limit=limits.per_move)
        self._name = game.name

    def book(self, pairing: Pairing) -> BookedTable:
        """A table of the course's binary server for one game."""
        options = dict(pairing.opening.options)
        board = course.Board(self._name, self._wire.map_text(options), self._wire)
        events = EventLog()
        reserved = self.call(self._reserved(board, events))
        listeners = [socket.create_server((self.host, 0)) for _ in pairing.players]
        return _Reserved(self, reserved, listeners, events)

    async def _reserved(self, board: course.Board, events: EventLog) -> course.Reserved:
        return course.Reserved(
            board, self._settings, self._time, tell=events.add, seated=events.take_seat
        )


class _Reserved(BookedTable):
    def __init__(
        self,
        server: BinaryGameServer,
        reserved: course.Reserved,
        listeners: list[socket.socket],
        events: EventLog,
    ) -> None:
        self._server, self._reserved, self.events = server, reserved, events
        self._ports = [listener.getsockname()[1] for listener in listeners]
        self._groups = range(len(listeners))
        for seat, listener in enumerate(listeners):
            server.call(reserved.open(seat, listener))

    def give_credit(self, credit: TimeCredit) -> None:
        self._reserved.time_credit = credit

    def let_events_wait(self, may_wait: bool = True) -> None:
        pass  # it has one way only

    def address(self, seat: Seat) -> dict[str, str]:
        port, group = self._ports[seat], self._groups[seat]
        host = HOST if self._server.host in ANYWHERE else self._server.host
        return {"{host}": host, "{port}": str(port), "{group}": str(group), "{reservation}": ""}

    def open(self, seat: Seat, listener: socket.socket) -> None:
        self._server.call(self._reserved.open(seat, listener))

    def guard(self, is_player: course.IsPlayer) -> None:
        self._reserved.is_player = is_player

    def begin(self) -> None:
        self._server.do(self._begin)

    def _begin(self) -> None:
        if not self._reserved.begin():
            self.events.ended = True
            self.events.take_seat(-1)

    def abandon(self) -> bool:
        return False

    def close(self) -> None:
        with contextlib.suppress(RuntimeError):
            self._server.do(self._reserved.close)
