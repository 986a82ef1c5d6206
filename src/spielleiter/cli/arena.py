"""`spielleiter arena`: both servers, the built-in players and the browser's side in one place."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import os
import secrets
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click
import uvicorn

from spielleiter.cli._options import GameName, wire_option
from spielleiter.cli.serve import _on_signals
from spielleiter.errors import SpielleiterError, StoreError, UsageError
from spielleiter.game import WireForm
from spielleiter.programs.contest_store import opened_if_begun
from spielleiter.server import log
from spielleiter.service.archive import archive
from spielleiter.service.downloads import DOWNLOADS
from spielleiter.service.process import EVERYWHERE, ServiceProcess, ServiceSettings, taken
from spielleiter.service.served_games import served_games
from spielleiter.service.service import ServiceLimits, speech_of
from spielleiter.store import open_store
from spielleiter.web import create_app
from spielleiter.web.arena import Arena
from spielleiter.web.authentication import Authentication
from spielleiter.web.recorder import GameRecorder
from spielleiter.web.service import GamePlan, SeatPlan

STORE = "arena.db"


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What was asked for on the command line."""

    host: str
    port: int
    xml_port: int
    binary_port: int
    data: Path
    games: int
    players: int
    thinking: float
    demo: bool
    names: tuple[str, ...]
    https: bool
    first: str | None = None
    wire: WireForm = "real"
    contests: tuple[Path, ...] = ()
    password: str
    verbose: int

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach us."""
        if self.host == "localhost":
            return True
        with contextlib.suppress(ValueError):
            return ip_address(self.host).is_loopback
        return False


def _port(
    help_: str, default: int, *flags: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return click.option(
        *flags, type=click.IntRange(0, 65535), default=default, show_default=True, help=help_
    )


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@_port("Port of the pages; 0 takes any free one.", 8080, "-p", "--port")
@_port("Port for the contest's XML clients; 0 takes any.", 13050, "--xml-port")
@_port("Port for the course's binary clients; 0 takes any.", 7777, "--binary-port")
@click.option(
    "--first",
    type=GameName(),
    metavar="GAME",
    help="What clients on the XML port get that name no game.  [default: the newest]",
)
@wire_option
@click.option(
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("arena-data"),
    show_default=True,
    help="The folder that keeps games and the organiser's password.",
)
@click.option(
    "--games",
    type=click.IntRange(1, 5_000),
    default=200,
    show_default=True,
    help="At most so many games at the same time.",
)
@click.option(
    "--players",
    type=click.IntRange(1, 64),
    default=max(1, min(4, os.cpu_count() or 1)),
    show_default=True,
    help="Processes for built-in players.",
)
@click.option(
    "--thinking",
    type=click.FloatRange(0, 60, min_open=True),
    default=2.0,
    show_default=True,
    help="Seconds that a built-in player may think about a move.",
)
@click.option("--demo/--no-demo", default=True, help="Begin with a game if there is none yet.")
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="Another name by which browsers reach us.",
)
@click.option(
    "--contest",
    "contests",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="A contest to show, besides those in the folder `contests` of the data folder.",
)
@click.option("--https", is_flag=True, help="Browsers reach us by https only, through a proxy.")
@click.option(
    "--xml-password",
    "password",
    metavar="TEXT",
    help="What administrators of the XML server must know.  [default: drawn by lot]",
)
@click.option("-v", "--verbose", count=True, help="Log games too; twice: everything.")
def command(password: str | None, **options: Any) -> None:
    """Open the arena: watch, play and replay games in the browser.

    One command starts the contest's XML server, the course's binary server, the built-in players
    and the pages. Everything that happens is kept in the data folder. Ctrl-C ends it.
    """
    chosen = Options(password=password or secrets.token_hex(16), **options)
    log.to_stderr(chosen.verbose)
    try:
        asyncio.run(_open(chosen))
    finally:
        gc.unfreeze()
        gc.collect()


# ----------------------------------------------------------------------------------------- opening


async def _open(options: Options) -> None:
    stop = asyncio.Event()
    async with opened(options, on_failure=stop.set) as arena:
        _greet(options, arena)
        _on_signals(stop)
        if hasattr(os, "nice"):
            os.nice(5)  # games come first: the game service was started before
        gc.freeze()
        await stop.wait()
        click.echo("closing …", err=True)
    if arena.trouble is not None:
        raise arena.trouble


@dataclass(slots=True)
class OpenArena:
    """An arena that is open."""

    arena: Arena
    service: ServiceProcess
    port: int
    trouble: SpielleiterError | None = None


@contextlib.asynccontextmanager
async def opened(options: Options, on_failure: Callable[[], None]) -> AsyncIterator[OpenArena]:
    """Everything, from the doors to the demo; closed in the opposite order.

    `on_failure` is called if the store or the game service fails: then it is time to close.
    """
    loop = asyncio.get_running_loop()
    troubles: list[SpielleiterError] = []

    def fail(problem: SpielleiterError) -> None:
        troubles.append(problem)
        loop.call_soon_threadsafe(on_failure)

    with _door(options) as door, _recorder(options, fail) as recorder:
        service = _service(options, recorder, fail)
        try:
            await service.start()
            arena = _arena(options, recorder, service)
            is_open = OpenArena(arena, service, door.getsockname()[1])
            async with _pages(arena, door):
                try:
                    await _demo(options, recorder, service)
                    yield is_open
                    is_open.trouble = troubles[0] if troubles else None
                finally:
                    await service.stop()  # the pages still tell how games end
            arena.contests.close()
        finally:
            await service.stop()


_UVICORN: dict[str, Any] = {
    "log_config": None,
    "access_log": False,
    "lifespan": "off",
    "server_header": False,
    "ws_max_size": 64 * 1024,
    "timeout_graceful_shutdown": 2,
    "timeout_keep_alive": 30,
    "limit_concurrency": 10_000,
    "proxy_headers": False,
}


class _Pages(uvicorn.Server):
    """Signals are ours to handle."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave them alone."""
        yield


@contextlib.asynccontextmanager
async def _pages(arena: Arena, door: socket.socket) -> AsyncIterator[None]:
    pages = _Pages(uvicorn.Config(create_app(arena), **_UVICORN))
    serving = asyncio.create_task(pages.serve(sockets=[door]))
    try:
        yield
    finally:
        pages.should_exit = True
        await asyncio.wait((serving,), timeout=10.0)
        serving.cancel()


@contextlib.contextmanager
def _door(options: Options) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        door = socket.create_server((options.host, options.port), family=family, backlog=1024)
    except OSError as problem:
        what = f"cannot listen on {options.host}:{options.port}: {problem.strerror or problem}"
        raise taken(what, "--port") from None
    with door:
        yield door


@contextlib.contextmanager
def _recorder(options: Options, fail: Callable[[SpielleiterError], None]) -> Iterator[GameRecorder]:
    """What happened is kept; when that fails, nothing more happens."""
    try:
        options.data.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(f"the folder {options.data} cannot be made: {problem}") from problem
    store = open_store(options.data / STORE)
    recorder = GameRecorder(store, on_failure=fail)
    try:
        yield recorder
    finally:
        recorder.close()
        store.close()


def _service(
    options: Options, recorder: GameRecorder, fail: Callable[[SpielleiterError], None]
) -> ServiceProcess:
    served_games((), "document", options.wire, options.first)  # refuses a game without XML
    conditions = ServiceSettings(
        host=options.host,
        xml_port=options.xml_port,
        binary_port=options.binary_port,
        password=options.password,
        players=options.players,
        bounds=ServiceLimits(options.games, options.thinking),
        first=options.first,
        wire=options.wire,
        verbose=options.verbose,
    )
    return ServiceProcess(
        conditions,
        announce=recorder.announce,
        hear=recorder.record,
        on_end=lambda: fail(UsageError("the process that plays the games has ended")),
    )


def _arena(options: Options, recorder: GameRecorder, service: ServiceProcess) -> Arena:
    rights = Authentication(options.data)
    own = {options.host.strip("[]").lower(), *(name.lower() for name in options.names)}
    if options.is_local or options.host in EVERYWHERE:
        own |= {"localhost", "127.0.0.1", "::1"}
    if options.host in EVERYWHERE:
        own |= {socket.gethostname().lower(), *_addresses()}
    recorder.speaks = speech_of
    kept = archive(recorder, options.data, options.contests, opened_if_begun)
    is_reachable = not options.is_local or options.names  # perhaps through a proxy
    needs_code = is_reachable and not rights.password_set
    return Arena(
        recorder=recorder,
        service=service,
        rights=rights,
        downloads=DOWNLOADS,
        hosts=frozenset(own),
        secure=options.https,
        setup_code=secrets.token_hex(4) if needs_code else None,
        library=kept.library,
        analysts=kept.analysts,
        contests=kept.contests,
    )


def _addresses() -> set[str]:
    """The addresses of this machine, as far as it knows them."""
    with contextlib.suppress(OSError):
        found = socket.getaddrinfo(socket.gethostname(), None)
        return {str(address[4][0]).lower() for address in found}
    return set()


async def _demo(options: Options, recorder: GameRecorder, service: ServiceProcess) -> None:
    """On the first start something is to be seen."""
    if not options.demo or not recorder.is_empty:
        return
    game = served_games((), "document")[0]
    seats = (SeatPlan("built-in", "best 3", "best", 3), SeatPlan("built-in", "greedy", "greedy"))
    position = game.start(secrets.randbelow(2**32)).text()
    order = GamePlan(game.name, game.authority, position, seats, source="demo", delay=1.0)
    await service.open(order)


def _greet(options: Options, is_open: OpenArena) -> None:
    name = "localhost" if options.is_local else options.host
    ports = is_open.service.ports
    click.echo(f"the arena is open: http://{name}:{is_open.port}/")
    doors = [f"XML {ports.xml}", *(f"{name} {at}" for name, at in (*ports.seasons, *ports.binary))]
    click.echo(f"ports for clients: {', '.join(doors)}; everything is kept in {options.data}")
    if is_open.arena.setup_code is not None:
        code = is_open.arena.setup_code
        click.echo(f"to choose the organiser's password, enter this code: {code}")
    elif not is_open.arena.rights.password_set:
        click.echo("open the address and choose the organiser's password to begin")
    sys.stdout.flush()
