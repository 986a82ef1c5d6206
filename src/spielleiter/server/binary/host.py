"""One port, one map, a queue of games: clients are seated in the order of connecting.

A game begins when as many clients as the map has players have named their groups. A silent client
holds up nobody; one that misbehaves before the game is refused, and its seat stays free. When the
last game of the queue is full, the port is closed.
"""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import socket
from collections.abc import Callable, Sequence

from spielleiter.errors import PeerError, UsageError
from spielleiter.protocol.binary import GROUPS, Group
from spielleiter.server.acceptor import BACKLOG, Acceptor, Admits, everybody
from spielleiter.server.admission import TOO_MANY, Admission
from spielleiter.server.binary.connection import BinaryConnection, NoConnection
from spielleiter.server.binary.notices import ClientRefused, GaveUp, Listening, LobbyChanged, Notice
from spielleiter.server.binary.settings import Arranged, BinarySettings, Board
from spielleiter.server.binary.speaker import BinarySpeaker
from spielleiter.server.log import say
from spielleiter.server.open_files import most_connections
from spielleiter.server.seat_quota import FULL, SeatQuota
from spielleiter.server.table import Sink
from spielleiter.server.timekeeper import Timekeeper

_PORTS_TO_TRY = 1_000
_SHARE = 4
"""One in so many file descriptors may be a connection here; the process has other ports."""
_TAKEN = {errno.EADDRINUSE} | ({errno.EACCES} if os.name == "nt" else set())
"""Error numbers of a port that is in use."""


class Host:
    """All games on one map behind one port.

        host = Host(Board("p2.map", text, wire), BinarySettings(port=0, limit=2.0))
        await host.start()
        … host.port …
        await host.finished()

    `sinks` get the events of all matches, `notify` gets everything else. Connections that `admits`
    does not know are closed at once. It needs a selector event loop, such as
    `spielleiter.server.event_loop` makes on every system.
    """

    def __init__(
        self,
        board: Board,
        settings: BinarySettings | None = None,
        *,
        sinks: Sequence[Sink] = (),
        notify: Callable[[Notice], None] = lambda notice: None,
        time: Timekeeper | None = None,
        arranged: Arranged | None = None,
        admits: Admits = everybody,
    ) -> None:
        self.board, self._admits = board, admits
        self.settings = settings or BinarySettings()
        self.seats: int = board.start().seats
        self.time = time or Timekeeper()
        self.notify = notify
        self.gave_up = False
        self.begun = 0
        """Games that have begun."""
        self.rooms: dict[str, BinarySpeaker] = {}
        """The running ones."""
        self._arranged = arranged
        self._waiting: BinarySpeaker | None = None
        """The arranged game, until everybody has come."""
        self._sinks = tuple(sinks)
        self._lobby: list[BinaryConnection] = []
        self._clients: set[BinaryConnection] = set()
        files = most_connections()
        quotas = self.settings.quotas(None if files is None else files // _SHARE)
        self._admission = Admission(quotas, self.time.now)
        self._seat_quota = SeatQuota(self.settings.seats_per_hour, self.time.now)
        self._acceptor: Acceptor | None = None
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
        """Open the arranged game, which waits for missing players."""
        room = self._room([NoConnection() for _ in range(self.seats)], arranged)
        self._waiting = self.rooms[room.id] = room
        for seat in arranged.insiders:
            room.table.join(seat)

    def _room(
        self,
        clients: Sequence[BinaryConnection | NoConnection],
        arranged: Arranged | None = None,
    ) -> BinarySpeaker:
        return BinarySpeaker(
            str(self.begun + 1),
            self.board,
            clients,
            self.settings,
            time=self.time,
            sinks=self._sinks,
            notify=self.notify,
            ended=self._ended,
            arranged=arranged,
        )

    def _listen(self, port: int) -> None:
        host = self.settings.host
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._acceptor = Acceptor(
            socket.create_server((host, port), family=family, backlog=BACKLOG),
            lambda: BinaryConnection(self),
            at_once=self._admission.at_once,
            rest=self._admission.rest,
            make_room=self._admission.make_room,
            admits=self._admits,
        )
        self._port = self._acceptor.port
        say(logging.INFO, "listening", host=host, port=self._port)

    @property
    def port(self) -> int:
        """The port it listens, or has listened, on."""
        return self._port

    async def finished(self) -> None:
        """Wait until all games of the queue have been played or given up."""
        await self._done.wait()
        await self._hang_up()

    async def stop(self) -> None:
        """End everything now."""
        self._close_port()
        for room in list(self.rooms.values()):
            room.table.cancel()
        self._empty_lobby()
        self._done.set()
        await self._hang_up()

    # -------------------------------------------------------------------------------- the lobby

    def arrived(self, client: BinaryConnection) -> None:
        """Somebody has connected."""
        self._clients.add(client)
        if self._is_full() or not self._admission.arrive(client):
            client.drop()
            return
        self._lobby.append(client)
        loop = asyncio.get_running_loop()
        client.timer = loop.call_later(self.settings.greeting, self._too_silent, client)
        self._show_lobby()

    def heard(self, client: BinaryConnection, at: float) -> None:
        """Something has arrived from a client, or its end."""
        if client.room is not None:
            client.room.heard(client, at)
        elif client in self._lobby:
            self._greet(client)

    def _greet(self, client: BinaryConnection) -> None:
        try:
            message = client.next() if client.group is None else None
        except PeerError as problem:
            self._refuse(client, problem)
            return
        if isinstance(message, Group):
            self._admit(client, message.group)
        elif client.ended:
            self._refuse(client, PeerError("the client has left"))

    def _admit(self, client: BinaryConnection, group: int) -> None:
        if group not in GROUPS:
            self._refuse(client, PeerError(f"there is no group {group}"))
            return
        if not self._admission.may_settle(client, announced=0):
            self._refuse(client, PeerError(TOO_MANY))
            return
        if not self._seat_quota.admits(client.address):
            self._refuse(client, PeerError(FULL))
            return
        self._admission.settle(client)
        client.group = group
        self._show_lobby()
        self._fill_seats()

    def _refuse(self, client: BinaryConnection, problem: PeerError) -> None:
        place = self._lobby.index(client)
        self._leave_lobby(client)
        client.hang_up()
        say(logging.INFO, "refused", problem=str(problem))
        self.notify(ClientRefused(place, problem))
        self._show_lobby()

    def turn_away(self, client: BinaryConnection, why: str) -> None:
        """There is no room for a client that has not named its group."""
        if client in self._lobby:
            self._refuse(client, PeerError(why))

    def _too_silent(self, client: BinaryConnection) -> None:
        if client.group is None and client in self._lobby:
            self._refuse(client, PeerError("the client did not name its group"))

    def _leave_lobby(self, client: BinaryConnection) -> None:
        self._lobby.remove(client)
        if client.timer is not None:
            client.timer.cancel()

    def _show_lobby(self) -> None:
        self.notify(LobbyChanged(tuple(client.group for client in self._lobby)))

    # ---------------------------------------------------------------------------------- the games

    def _fill_seats(self) -> None:
        """Begin the next game if enough clients have named their groups."""
        if self._arranged is not None:
            self._seat_in_turn()
            return
        ready = [client for client in self._lobby if client.group is not None][: self.seats]
        if len(ready) < self.seats or len(self.rooms) >= self.settings.running:
            return
        self._silence_before(ready)
        for client in ready:
            self._leave_lobby(client)
        room = self._room(ready)
        self.begun += 1
        for client in ready:
            client.room = room
        self.rooms[room.id] = room
        if self._is_full():
            self._close_port()
            self._empty_lobby()
        self._wait_for_players()
        room.begin()

    def _seat_in_turn(self) -> None:
        """Seat clients of an arranged game in the order of arrival."""
        for client in [client for client in self._lobby if client.group is not None]:
            if self._waiting is None:
                break
            self._leave_lobby(client)
            client.room = room = self._waiting
            if len(room.match.present) == self.seats - 1:
                self._waiting, self.begun = None, self.begun + 1
                self._close_port()
                self._empty_lobby()
            room.take(client)

    def _silence_before(self, ready: Sequence[BinaryConnection]) -> None:
        """Close silent clients once the last seat of the last game is taken."""
        if self.settings.games is not None and self.begun + 1 == self.settings.games:
            for client in [client for client in self._lobby if client not in ready]:
                self._refuse(client, PeerError("all seats are taken"))

    def _is_full(self) -> bool:
        return self.gave_up or self.begun == self.settings.games

    def _ended(self, room: BinarySpeaker) -> None:
        """A game is over."""
        del self.rooms[room.id]
        if room is self._waiting:  # it was given up before everybody had come
            self._waiting, self.gave_up = None, True
            self._close_port()
            self._empty_lobby()
        self._fill_seats()
        if self._is_full() and not self.rooms:
            self._done.set()

    def check_time(self) -> None:
        """Let the referee of every room look at the clock."""
        for room in list(self.rooms.values()):
            room.table.check_time()

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

    def forget(self, client: BinaryConnection) -> None:
        """A connection is closed."""
        self._clients.discard(client)
        self._admission.leave(client)
        self._closed.set()

    def _close_port(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
        if self._acceptor is not None:
            self._acceptor.close()

    def _empty_lobby(self) -> None:
        for client in list(self._lobby):
            self._leave_lobby(client)
            client.drop()

    async def _hang_up(self) -> None:
        """Wait, for a limited time, until all clients have closed."""
        while self._clients or (self._acceptor is not None and self._acceptor.coming):
            self._closed.clear()
            if self._clients:
                await self._closed.wait()
            elif self._acceptor is not None:
                await self._acceptor.wait_closed()
