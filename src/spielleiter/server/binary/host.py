"""One port, one map, a queue of games: clients are seated in the order in which they connect.

A game begins when as many clients as the map has players have named their groups. Who says nothing,
or something else, holds up nobody: a client that misbehaves before the game is refused alone, and
its seat stays free. When the last game of the queue is full, the port is closed.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from collections.abc import Callable, Sequence
from typing import Any

from spielleiter.errors import PeerError, UsageError
from spielleiter.match import Event
from spielleiter.protocol.binary import GROUPS, Group
from spielleiter.server.binary.line import Insider, Line
from spielleiter.server.binary.notices import GaveUp, Listening, Lobby, Notice, Refused
from spielleiter.server.binary.room import Room
from spielleiter.server.binary.settings import Arranged, Board, Settings
from spielleiter.server.log import say
from spielleiter.server.timekeeper import Timekeeper

Sink = Callable[[str, Event], None]
"""Is told every event of every room. It must not block: whoever is slow keeps a queue."""

_PORTS_TO_TRY = 1_000
_TAKEN = {errno.EADDRINUSE} | ({errno.EACCES} if os.name == "nt" else set())
"""What systems say of a port that somebody else has."""
_IN_THE_LOBBY = 1_000


class Host:
    """All games on one map behind one port.

        host = Host(Board("p2.map", text, wire), Settings(port=0, limit=2.0))
        await host.start()
        … host.port …
        await host.finished()

    `sinks` hear the events of all matches, `notify` hears what happens besides. It needs a selector
    event loop, such as `spielleiter.server.event_loop` makes on every system.
    """

    def __init__(
        self,
        board: Board,
        settings: Settings | None = None,
        *,
        sinks: Sequence[Sink] = (),
        notify: Callable[[Notice], None] = lambda notice: None,
        time: Timekeeper | None = None,
        arranged: Arranged | None = None,
    ) -> None:
        self.board = board
        self.settings = settings or Settings()
        self.seats: int = board.start().seats
        self.time = time or Timekeeper()
        self.notify = notify
        self.gave_up = False
        self.begun = 0
        """Games that have begun."""
        self.rooms: dict[str, Room] = {}
        """The running ones."""
        self._arranged = arranged
        self._waiting: Room | None = None
        """The arranged game, until everybody has come."""
        self._sinks = tuple(sinks)
        self._lobby: list[Line] = []
        self._lines: set[Line] = set()
        self._door: socket.socket | None = None
        self._coming: set[asyncio.Task[Any]] = set()
        """Connections that were accepted and are not lines yet."""
        self._port = 0
        self._patience: asyncio.TimerHandle | None = None
        self._done = asyncio.Event()
        self._closed = asyncio.Event()
        """A connection was closed since we last looked."""

    # --------------------------------------------------------------------------------- starting

    async def start(self) -> None:
        """Listen on the first free port; afterwards `port` says which."""
        first = self.settings.port
        only = first == 0 or self.settings.exact
        last = first if only else min(first + _PORTS_TO_TRY, 65_535)
        for port in range(first, last + 1):
            try:
                self._listen(port)
                break
            except OSError as problem:
                if problem.errno not in _TAKEN or port == last:
                    where = f"{self.settings.host}:{port}"
                    raise UsageError(f"cannot listen on {where}: {problem.strerror}") from None
        self.notify(Listening(self._port))
        self._wait_for_players()
        if self._arranged is not None:
            self._open(self._arranged)

    def _open(self, arranged: Arranged) -> None:
        """Open the one game that was arranged: it waits for those who are not here."""
        insiders = [Insider() for _ in range(self.seats)]
        room = Room(self, str(self.begun + 1), self.board, insiders, arranged)
        self._waiting = self.rooms[room.id] = room
        room.open(arranged.insiders)

    def _listen(self, port: int) -> None:
        host = self.settings.host
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._door = socket.create_server((host, port), family=family, backlog=256)
        self._door.setblocking(False)
        self._port = self._door.getsockname()[1]
        asyncio.get_running_loop().add_reader(self._door, self._open_door)
        say(logging.INFO, "listening", host=host, port=self._port)

    def _open_door(self) -> None:
        """Let in whoever waits outside.

        We accept connections ourselves: if asyncio's own server is closed in the moment in which
        it has accepted one, that one is forgotten without being closed.
        """
        assert self._door is not None
        loop = asyncio.get_running_loop()
        try:
            connection, _ = self._door.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError as problem:  # too many open files: look again a little later
            say(logging.ERROR, "cannot accept connections", problem=str(problem))
            loop.remove_reader(self._door)
            loop.call_later(0.1, self._reopen_door)
            return
        connection.setblocking(False)
        come = loop.create_task(loop.connect_accepted_socket(lambda: Line(self), connection))
        self._coming.add(come)
        come.add_done_callback(self._coming.discard)

    def _reopen_door(self) -> None:
        if self._door is not None:
            asyncio.get_running_loop().add_reader(self._door, self._open_door)

    @property
    def port(self) -> int:
        """The port it listens, or has listened, on."""
        return self._port

    async def finished(self) -> None:
        """All games of the queue have been played, or it was given up."""
        await self._done.wait()
        await self._hang_up()

    async def stop(self) -> None:
        """End everything now."""
        self._close_port()
        for room in list(self.rooms.values()):
            room.cancel()
        self._empty_lobby()
        self._done.set()
        await self._hang_up()

    # -------------------------------------------------------------------------------- the lobby

    def arrived(self, line: Line) -> None:
        """Somebody has connected."""
        self._lines.add(line)
        if self._is_full() or len(self._lobby) >= _IN_THE_LOBBY:
            line.drop()
            return
        self._lobby.append(line)
        loop = asyncio.get_running_loop()
        line.timer = loop.call_later(self.settings.greeting, self._too_silent, line)
        self._show_lobby()

    def heard(self, line: Line, at: float) -> None:
        """Something has arrived from a client, or its end."""
        if line.room is not None:
            line.room.heard(line, at)
        elif line in self._lobby:
            self._greet(line)

    def _greet(self, line: Line) -> None:
        try:
            message = line.next() if line.group is None else None
        except PeerError as problem:
            self._refuse(line, problem)
            return
        if isinstance(message, Group):
            self._admit(line, message.group)
        elif line.ended:
            self._refuse(line, PeerError("the client has left"))

    def _admit(self, line: Line, group: int) -> None:
        if group not in GROUPS:
            self._refuse(line, PeerError(f"there is no group {group}"))
            return
        line.group = group
        self._show_lobby()
        self._fill_seats()

    def _refuse(self, line: Line, problem: PeerError) -> None:
        place = self._lobby.index(line)
        self._leave_lobby(line)
        line.hang_up()
        say(logging.INFO, "refused", problem=str(problem))
        self.notify(Refused(place, problem))
        self._show_lobby()

    def _too_silent(self, line: Line) -> None:
        if line.group is None and line in self._lobby:
            self._refuse(line, PeerError("the client did not name its group"))

    def _leave_lobby(self, line: Line) -> None:
        self._lobby.remove(line)
        if line.timer is not None:
            line.timer.cancel()

    def _show_lobby(self) -> None:
        self.notify(Lobby(tuple(line.group for line in self._lobby)))

    # ---------------------------------------------------------------------------------- the games

    def _fill_seats(self) -> None:
        """Begin the next game if enough clients have named their groups."""
        if self._arranged is not None:
            self._seat_in_turn()
            return
        ready = [line for line in self._lobby if line.group is not None][: self.seats]
        if len(ready) < self.seats or len(self.rooms) >= self.settings.running:
            return
        self._silence_before(ready)
        for line in ready:
            self._leave_lobby(line)
        self.begun += 1
        room = Room(self, str(self.begun), self.board, ready)
        for line in ready:
            line.room = room
        self.rooms[room.id] = room
        if self._is_full():
            self._close_port()
            self._empty_lobby()
        self._wait_for_players()
        room.begin()

    def _seat_in_turn(self) -> None:
        """In an arranged game everybody sits down as he comes."""
        for line in [line for line in self._lobby if line.group is not None]:
            if self._waiting is None:
                break
            self._leave_lobby(line)
            line.room = room = self._waiting
            if len(room.match.present) == self.seats - 1:
                self._waiting, self.begun = None, self.begun + 1
                self._close_port()
                self._empty_lobby()
            room.take(line)

    def _silence_before(self, ready: Sequence[Line]) -> None:
        """With the last seat of the last game taken, who has said nothing yet goes first."""
        if self.settings.games is not None and self.begun + 1 == self.settings.games:
            for line in [line for line in self._lobby if line not in ready]:
                self._refuse(line, PeerError("all seats are taken"))

    def _is_full(self) -> bool:
        return self.gave_up or self.begun == self.settings.games

    def ended(self, room: Room) -> None:
        """A game is over."""
        del self.rooms[room.id]
        if room is self._waiting:  # it was given up before everybody had come
            self._waiting, self.gave_up = None, True
            self._close_port()
            self._empty_lobby()
        self._fill_seats()
        if self._is_full() and not self.rooms:
            self._done.set()

    def tell(self, room: str, events: Sequence[Event]) -> None:
        """Tell the sinks."""
        for sink in self._sinks:
            for event in events:
                sink(room, event)

    def check_time(self) -> None:
        """Let the referee of every room look at the clock."""
        for room in list(self.rooms.values()):
            room.check_time()

    def _wait_for_players(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
        if self.settings.give_up is not None and not self._is_full():
            loop = asyncio.get_running_loop()
            self._patience = loop.call_later(self.settings.give_up, self._give_up)

    def _give_up(self) -> None:
        assert self.settings.give_up is not None
        self.gave_up = True
        self.notify(GaveUp(self.settings.give_up))
        self._close_port()
        self._empty_lobby()
        if not self.rooms:
            self._done.set()

    # --------------------------------------------------------------------------------- closing

    def forget(self, line: Line) -> None:
        """A connection is closed."""
        self._lines.discard(line)
        self._closed.set()

    def _close_port(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
        if self._door is not None:
            asyncio.get_running_loop().remove_reader(self._door)
            self._door.close()
            self._door = None

    def _empty_lobby(self) -> None:
        for line in list(self._lobby):
            self._leave_lobby(line)
            line.drop()

    async def _hang_up(self) -> None:
        """Wait until everybody has hung up; nobody can make us wait long."""
        while self._lines or self._coming:
            self._closed.clear()
            await (self._closed.wait() if self._lines else asyncio.wait(self._coming))
