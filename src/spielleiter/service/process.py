"""The game service in its own process, so that no game waits for spectators.

The two processes communicate over a pipe. The service sends every event; the other side sends
requests, and each gets one answer. When the pipe is closed, the service closes too.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import itertools
import logging
import multiprocessing
import queue
import signal
import socket
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from spielleiter import games
from spielleiter.errors import SpielleiterError, UsageError
from spielleiter.game import Game, Seat, WireForm
from spielleiter.match import Event
from spielleiter.server import OnStop, Server, Settings, Timekeeper, event_loop
from spielleiter.server.binary import BinarySettings as BinarySettings
from spielleiter.server.binary import Board, Host
from spielleiter.server.log import to_stderr
from spielleiter.server.open_files import allow_many_files
from spielleiter.server.settings import ServerLimits
from spielleiter.service.engine_pool import EnginePool
from spielleiter.service.served_games import newest_first, served_games
from spielleiter.service.service import (
    OFFERS,
    ArenaService,
    ServiceLimits,
    UninvitedGames,
    plays,
    speech_of,
)
from spielleiter.web.game_state import GameInfo
from spielleiter.web.service import ClientPort, GamePlan, Offer, OpenedGame, Speech

EVERYWHERE = ("0.0.0.0", "::")
"""Addresses that mean all interfaces of this machine."""
_SPAWN = multiprocessing.get_context("spawn")
_START, _STOP = 60.0, 15.0
"""Seconds that the service gets to open and to close."""
_SWEEP = 60.0
_SEATS_PER_HOUR = 2_000
"""Seats that one address may take per hour without a reservation; every game is stored."""
_AT_ONCE = 256

log = logging.getLogger("spielleiter.arena")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """What the service is started with."""

    host: str
    xml_port: int
    binary_port: int
    password: str
    players: int
    bounds: ServiceLimits
    first: str | None = None
    """The game for clients on the shared XML port that name none; None: the newest."""
    wire: WireForm = "real"
    verbose: int = 0


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports for clients."""

    xml: int
    first: str
    """What a client that names no game plays at the XML port."""
    seasons: tuple[tuple[str, int], ...]
    """(edition, port): an XML port per season, for clients that name no game."""
    binary: tuple[tuple[str, int], ...]
    """(edition, port) of the binary protocol."""


# ----------------------------------------------------------------------------- the client side


class ServiceProcess:
    """The game service, as seen from the process that serves the pages."""

    def __init__(
        self,
        conditions: ServiceSettings,
        *,
        announce: Callable[[str, GameInfo], None],
        record: Callable[[str, Event], None],
        on_end: Callable[[], None],
    ) -> None:
        self._conditions = conditions
        self._announce, self._record, self._on_end = announce, record, on_end
        self._pipe, self._far_end = _SPAWN.Pipe()
        self._process = _SPAWN.Process(
            target=run, args=(self._far_end, conditions), name="game service", daemon=False
        )
        self._numbers = itertools.count()
        self._requests: dict[int, asyncio.Future[Any]] = {}
        self._opened: asyncio.Future[Ports] | None = None
        self._news: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._told = False
        self._stopping = False
        self.ports = Ports(0, "", (), ())

    async def start(self) -> None:
        """Start the service; raises UsageError if it cannot be."""
        self._loop = asyncio.get_running_loop()
        self._opened = self._loop.create_future()
        await asyncio.to_thread(self._process.start)
        self._far_end.close()
        threading.Thread(target=self._listen, name="game service", daemon=True).start()
        self.ports = await asyncio.wait_for(self._opened, _START)

    async def stop(self) -> None:
        """Stop the service: running games are cancelled, and clients are informed."""
        if self._stopping:
            return
        self._stopping = True
        if self._process.is_alive():
            with contextlib.suppress(UsageError, TimeoutError):
                await asyncio.wait_for(self._request("close"), _STOP)
        with contextlib.suppress(OSError):
            self._pipe.close()
        await asyncio.to_thread(self._process.join, _STOP)
        if self._process.is_alive():
            self._process.kill()

    def _listen(self) -> None:
        """Read messages of the service; pending ones are handled together."""
        try:
            while True:
                self._news.put(self._pipe.recv())
                if not self._told:
                    self._told = True
                    self._loop.call_soon_threadsafe(self._tell)
        except (EOFError, OSError, RuntimeError):
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._ended)

    def _tell(self) -> None:
        self._told = False
        for _ in range(_AT_ONCE):
            if self._news.empty():
                return
            try:
                self._dispatch(self._news.get())
            except Exception:  # a bug of ours in one game must not silence the others
                log.exception("our own mistake")
        self._told = True
        self._loop.call_soon(self._tell)

    def _dispatch(self, message: tuple[Any, ...]) -> None:
        match message:
            case "event", str(name), event:
                self._record(name, event)
            case "answer", int(number), answer:
                self._note_answer(number, answer)
            case "info", str(name), info:
                self._announce(name, info)
            case "opened", ports:
                self._note_opened(ports)
            case _:
                raise ValueError(f"no message of the game service: {message!r:.80}")

    def _note_answer(self, number: int, answer: Any) -> None:
        request = self._requests.pop(number, None)
        if request is None or request.done():
            return
        if isinstance(answer, Exception):
            request.set_exception(answer)
        else:
            request.set_result(answer)

    def _note_opened(self, ports: Ports | Exception) -> None:
        assert self._opened is not None
        if isinstance(ports, Exception):
            self._opened.set_exception(ports)
        else:
            self._opened.set_result(ports)

    def _ended(self) -> None:
        gone = UsageError("the game service is closed")
        for request in self._requests.values():
            if not request.done():
                request.set_exception(gone)
        self._requests.clear()
        if self._opened is not None and not self._opened.done():
            self._opened.set_exception(gone)
        if not self._stopping:
            self._on_end()

    async def _request(self, verb: str, *arguments: Any) -> Any:
        number = next(self._numbers)
        request = self._requests[number] = self._loop.create_future()
        try:
            self._pipe.send((number, verb, arguments))
        except (OSError, ValueError) as problem:
            del self._requests[number]
            raise UsageError("the game service is closed") from problem
        return await request

    # ------------------------------------------------------------------------------ as GameService

    @property
    def players(self) -> tuple[Offer, ...]:
        """The built-in players."""
        return tuple(OFFERS.values())

    @property
    def client_ports(self) -> tuple[ClientPort, ...]:
        """The ports for clients without a reservation: each season and the course have one."""
        host = _told_to_clients(self._conditions.host)
        found = (*self.ports.seasons, *self.ports.binary)
        return tuple(ClientPort(edition, host, port) for edition, port in found)

    @property
    def most_games(self) -> int:
        """How many games may run at the same time."""
        return self._conditions.bounds.games

    def speaks(self, game: Game) -> Speech | None:
        """What external clients of a game speak."""
        return speech_of(game.name)

    def plays(self, game: Game) -> tuple[str, ...]:
        """The built-in players that know a game."""
        return plays(game.name)

    async def open(self, order: GamePlan) -> OpenedGame:
        """Open a game; it begins when all seats are taken."""
        placed: OpenedGame = await self._request("open", order)
        return placed

    async def pause(self, game: str, paused: bool) -> None:
        """Pause or resume a game."""
        await self._request("pause", game, paused)

    async def step(self, game: str) -> None:
        """Play one move in a paused game."""
        await self._request("step", game)

    async def cancel(self, game: str) -> None:
        """End a game now."""
        await self._request("cancel", game)

    async def join(self, game: str, seat: Seat) -> None:
        """A person takes a seat."""
        await self._request("join", game, seat)

    async def resign(self, game: str, seat: Seat) -> None:
        """A person gives up."""
        await self._request("resign", game, seat)

    async def take_back(self, game: str, seat: Seat, turn: int, position: str) -> None:
        """A person takes back what was played after a turn."""
        await self._request("take_back", game, seat, turn, position)

    async def play(self, game: str, seat: Seat, move: str) -> None:
        """A person's move."""
        await self._request("play", game, seat, move)


# --------------------------------------------------------------------------------- the service side


def run(pipe: Connection, conditions: ServiceSettings) -> None:
    """The main function of the service process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other process says when to close
    signal.signal(signal.SIGTERM, lambda *_: None)  # likewise; players do not inherit this one
    to_stderr(conditions.verbose)
    allow_many_files()
    time = Timekeeper()
    with contextlib.closing(event_loop(time)) as loop:
        asyncio.set_event_loop(loop)
        loop.run_until_complete(_Inside(pipe, conditions, time).live())
    gc.unfreeze()
    gc.collect()


class _Inside:
    """The service side: its servers, its games, and the pipe to the arena."""

    def __init__(self, pipe: Connection, conditions: ServiceSettings, time: Timekeeper) -> None:
        self._pipe, self._conditions, self._time = pipe, conditions, time
        self._mail: queue.SimpleQueue[tuple[Any, ...] | None] = queue.SimpleQueue()
        self._closing = asyncio.Event()
        self._answered: int | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def live(self) -> None:
        """Open, serve, close."""
        sender = threading.Thread(target=self._send, name="mail", daemon=True)
        sender.start()
        conditions = self._conditions
        settings = Settings(
            host=conditions.host,
            port=conditions.xml_port,
            password=conditions.password,
            limits=ServerLimits(seats_per_hour=_SEATS_PER_HOUR),
            on_stop=OnStop.CANCEL,
        )
        server = Server(
            served_games((), "document", conditions.wire, conditions.first),
            settings,
            sinks=[lambda room, event: service.record(room, event)],
            time=self._time,
        )
        service = ArenaService(
            announce=lambda name, info: self._mail.put(("info", name, info)),
            record=self._record,
            server=server,
            thinkers=EnginePool(conditions.players),
            time=self._time,
            host=_told_to_clients(conditions.host),
            bounds=conditions.bounds,
        )
        course: list[Host] = []
        try:
            await self._open(server, service, course)
            await self._serve(service)
        finally:
            await self._close(server, service, course)
            self._mail.put(None)
            await asyncio.to_thread(sender.join, 5.0)

    async def _open(self, server: Server, service: ArenaService, course: list[Host]) -> None:
        try:
            await _listening(server)
            seasons = await self._open_seasons(server)
            service.ports = dict(seasons)
            await self._open_course(course)
        except SpielleiterError as problem:
            self._mail.put(("opened", problem))
            self._closing.set()
            return
        binary = tuple((host.board.name, host.port) for host in course)
        ports = Ports(server.port, server.games[0].game.name, seasons, binary)
        self._mail.put(("opened", ports))
        loop = asyncio.get_running_loop()
        threading.Thread(target=self._listen, args=(loop, service), daemon=True).start()
        gc.freeze()  # what is loaded by now stays: no need to look through it again and again

    async def _open_seasons(self, server: Server) -> tuple[tuple[str, int], ...]:
        """Open a port for every season, after the shared one; any port if those are taken."""
        opened = []
        for number, game in enumerate(newest_first(each.game for each in server.games), 1):
            port = server.port + number if self._conditions.xml_port else 0
            try:
                port = await server.open_port(port, game.name)
            except UsageError:
                port = await server.open_port(0, game.name)
            opened.append((game.name, port))
        return tuple(opened)

    async def _open_course(self, course: list[Host]) -> None:
        """The course's server: every game that speaks its protocol, on its default map."""
        for name in games.names():
            if speech_of(name) == "binary":
                first = self._conditions.binary_port
                port = first + len(course) if first else 0
                course.append(await self._hosted(games.load(name), port))

    async def _hosted(self, game: Game, port: int) -> Host:
        wire = game.part("wire")
        board = Board(game.name, wire.map_of(game.start()), wire)
        settings = BinarySettings(
            host=self._conditions.host,
            port=port,
            games=None,
            exact=True,
            seats_per_hour=_SEATS_PER_HOUR,
        )
        hosted = Host(board, settings, sinks=[UninvitedGames(self._record)], time=self._time)
        try:
            await hosted.start()
        except UsageError as problem:
            raise taken(problem, "--binary-port") from None
        return hosted

    async def _serve(self, service: ArenaService) -> None:
        while not self._closing.is_set():
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._closing.wait(), _SWEEP)
            service.sweep()

    async def _close(self, server: Server, service: ArenaService, course: list[Host]) -> None:
        await service.close()
        for host in course:
            await host.stop()
        await server.stop()
        if self._answered is not None:
            self._mail.put(("answer", self._answered, None))

    # ------------------------------------------------------------------------------- the pipe

    def _record(self, name: str, event: Event) -> None:
        self._mail.put(("event", name, event))

    def _send(self) -> None:
        """Send in a separate thread: a slow reader must not hold up a game."""
        with contextlib.suppress(OSError):
            while (said := self._mail.get()) is not None:
                self._pipe.send(said)

    def _listen(self, loop: asyncio.AbstractEventLoop, service: ArenaService) -> None:
        try:
            while True:
                number, verb, arguments = self._pipe.recv()
                loop.call_soon_threadsafe(self._begin, service, number, verb, arguments)
        except (EOFError, OSError):
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(self._closing.set)

    def _begin(self, service: ArenaService, number: int, verb: str, arguments: Any) -> None:
        if verb == "close":
            self._answered = number
            self._closing.set()
            return
        task = asyncio.get_running_loop().create_task(
            self._do(getattr(service, verb), number, arguments)
        )
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _do(self, verb: Callable[..., Any], number: int, arguments: Any) -> None:
        try:
            answer: Any = await verb(*arguments)
        except SpielleiterError as problem:
            answer = problem
        except Exception as problem:  # a bug of ours is told, and the service goes on
            log.exception("our own mistake")
            answer = UsageError(f"our own mistake: {problem!r}")
        self._mail.put(("answer", number, answer))


def _told_to_clients(host: str) -> str:
    """The address to show to clients: nobody can connect to a wildcard address."""
    return socket.gethostname() if host in EVERYWHERE else host


async def _listening(server: Server) -> None:
    try:
        await server.start()
    except UsageError as problem:
        raise taken(problem, "--xml-port") from None


def taken(problem: object, option: str) -> UsageError:
    """The error for a port in use, with advice."""
    return UsageError(f"{problem}; is an arena running already? Choose another port: {option} N")
