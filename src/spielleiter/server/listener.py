"""The server: one port, one event loop, any number of rooms of any of its games."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import socket
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime

from spielleiter.errors import StoreError, UsageError
from spielleiter.game import Game
from spielleiter.protocol.xml import LeaveCause
from spielleiter.server import replay
from spielleiter.server.acceptor import Acceptor, Admits, everybody, listening
from spielleiter.server.connection import XmlConnection
from spielleiter.server.lobby import Lobby
from spielleiter.server.log import say
from spielleiter.server.metrics import MetricsPage
from spielleiter.server.resources import Resources
from spielleiter.server.served_game import ServedGame, Start
from spielleiter.server.settings import OnStop, Settings
from spielleiter.server.speaker import XmlSpeaker
from spielleiter.server.table import Sink
from spielleiter.server.timekeeper import Timekeeper

Starter = Callable[[ServedGame, bool], Start | None]
"""Returns where a game of an edition begins; the second argument: was the room prepared?"""


class Server:
    """Everything behind one port.

        server = Server([games.load("…")], Settings(port=0))
        await server.start()
        … server.port …
        await server.stop()

    `start` may say where the next room's game begins; otherwise positions are drawn from the seed.
    Connections that `admits` does not know are closed at once.
    """

    def __init__(
        self,
        games: Sequence[Game],
        settings: Settings | None = None,
        *,
        sinks: Sequence[Sink] = (),
        time: Timekeeper | None = None,
        start: Starter | None = None,
        admits: Admits = everybody,
    ) -> None:
        self.settings = (settings or Settings()).checked()
        self.games = [ServedGame.of(game) for game in games]
        self.resources = Resources(self.settings, time or Timekeeper(), tuple(sinks))
        self.time, self.metrics = self.resources.time, self.resources.metrics
        self.lobby = Lobby(self.resources, self.games, start_of=self.start_of, ended=self._ended)
        self._start, self._admits = start, admits
        self._random = random.Random(self.settings.seed)
        self._listening: Acceptor | None = None
        self._metrics_page: Acceptor | None = None
        self._more: list[Acceptor] = []
        self._sweeper: asyncio.Task[None] | None = None
        self._writer = ThreadPoolExecutor(1, "replay") if self.settings.replays else None

    # ------------------------------------------------------------------------------- starting

    async def start(self) -> None:
        """Listen; afterwards `port` says where."""
        host, port = self.settings.host, self.settings.port
        self._listening = self._acceptor(listening(host, port), admits=self._admits)
        if self.settings.metrics_port is not None:
            page = listening(host, self.settings.metrics_port)
            readers: set[MetricsPage] = set()
            self._metrics_page = Acceptor(page, lambda: MetricsPage(self.metrics.text, readers))
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep())
        games = ", ".join(served.game.name for served in self.games)
        say(logging.INFO, "listening", host=host, port=self.port, games=games)

    async def listen_on(self, listener: socket.socket, name: str) -> Acceptor:
        """Also accept connections on another listening socket, until that is closed.

        All of them count as one address, `name`, and have their own quota.
        """
        return self._acceptor(listener, address=name)

    def _acceptor(
        self,
        listener: socket.socket,
        first: ServedGame | None = None,
        address: str = "",
        admits: Admits = everybody,
    ) -> Acceptor:
        admission = self.lobby.admission
        return Acceptor(
            listener,
            lambda: XmlConnection(self.lobby, self.resources, first, address=address),
            at_once=admission.at_once,
            rest=admission.rest,
            make_room=admission.make_room,
            admits=admits,
        )

    async def open_port(self, port: int, game: str) -> int:
        """Listen on another port, where clients that name no game get this one; which port."""
        first = next(served for served in self.games if served.game.name == game)
        opened = self._acceptor(listening(self.settings.host, port), first)
        self._more.append(opened)
        return opened.port

    @property
    def port(self) -> int:
        """The port it listens on."""
        return _port_of(self._listening)

    @property
    def metrics_port(self) -> int:
        """The port of the metrics page."""
        return _port_of(self._metrics_page)

    def start_of(self, served: ServedGame, prepared: bool) -> Start:
        """Where the next game of that edition begins."""
        given = None if self._start is None else self._start(served, prepared)
        return given or Start(served.game.start(self._random.getrandbits(63)))

    # ---------------------------------------------------------------------------------- running

    def flush(self) -> None:
        """Write all queued output."""
        self.resources.outbox.flush()

    def check_time(self) -> None:
        """Let the referee of every room look at the clock."""
        for room in list(self.lobby.rooms.values()):
            room.table.check_time()
        self.flush()

    def _ended(self, room: XmlSpeaker) -> None:
        """Store the replay of a finished game."""
        if self._writer is not None and room.match.began:
            self._writer.submit(self._keep, replay.XmlReplay.of(room))

    def _keep(self, ended: replay.XmlReplay) -> None:
        assert self.settings.replays is not None
        try:
            path = replay.write(
                ended, self.settings.replays, datetime.now(), compressed=self.settings.compressed
            )
            say(logging.INFO, "replay written", room=ended.room, path=path)
        except StoreError as problem:
            say(logging.ERROR, str(problem), room=ended.room)
            self.metrics.count("failed", "replay")

    async def _sweep(self) -> None:
        """Close unused connections and rooms from time to time."""
        limits = self.settings.limits
        while True:
            await asyncio.sleep(min(limits.idle / 4, limits.greeting / 4, 30.0))
            self.sweep()

    def sweep(self) -> None:
        """Close what has been idle for too long."""
        now, limits = self.time.now(), self.settings.limits
        limit, silent = now - limits.idle, now - limits.greeting
        for client in [each for each in self.lobby.clients if _is_idle(each, limit, silent)]:
            self.metrics.count("dropped", "idle")
            say(logging.INFO, "dropped an idle connection", peer=client.peer)
            client.drop(LeaveCause.LOST_CONNECTION)
        for room in list(self.lobby.rooms.values()):
            if room.opened_at < limit and not any(seat.client for seat in room.seats):
                say(logging.INFO, "nobody came", room=room.id)
                room.table.cancel()
        self.flush()

    # ------------------------------------------------------------------------------- stopping

    async def stop(self, on_stop: OnStop | None = None) -> None:
        """Accept no more games, end the running ones as configured, write everything, close."""
        self.lobby.stopping = True
        for server in (self._listening, *self._more):
            if server is not None:
                server.close()
        await self._end_games(on_stop or self.settings.on_stop)
        for client in list(self.lobby.clients):
            client.close(LeaveCause.RECEIVED_DISCONNECT)
        self.flush()
        await self._hang_up()
        if self._writer is not None:
            await asyncio.get_running_loop().run_in_executor(None, self._writer.shutdown)
        say(logging.INFO, "stopped")

    async def _end_games(self, on_stop: OnStop) -> None:
        loop = asyncio.get_running_loop()
        patience = loop.time() + (self.settings.grace if on_stop is OnStop.FINISH else 0.0)
        while self._running() and loop.time() < patience:
            await asyncio.sleep(0.05)
        self.cancel_all()

    def cancel_all(self) -> None:
        """End every game now."""
        for room in list(self.lobby.rooms.values()):
            room.table.cancel()
        self.flush()

    def _running(self) -> bool:
        return any(room.match.began for room in self.lobby.rooms.values())

    async def _hang_up(self) -> None:
        if self._sweeper is not None:
            self._sweeper.cancel()
        for _ in range(100):
            if not self.lobby.clients:
                break
            await asyncio.sleep(0.01)
        for client in list(self.lobby.clients):
            client.abort(LeaveCause.LOST_CONNECTION)
        for server in (self._listening, self._metrics_page, *self._more):
            if server is not None:
                server.close()
                with contextlib.suppress(TimeoutError):  # somebody may still read our metrics
                    await asyncio.wait_for(server.wait_closed(), 1.0)


def _is_idle(client: XmlConnection, limit: float, silent: float) -> bool:
    return client.heard < (limit if client.spoke else silent) and not (
        client.rooms or client.watched or client.is_admin or client.gone
    )


def _port_of(acceptor: Acceptor | None) -> int:
    if acceptor is None:
        raise UsageError("the server does not listen")
    return acceptor.port
