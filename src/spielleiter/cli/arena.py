"""`spielleiter arena`: both servers, the built-in players and the browser's side in one place."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import secrets
import socket
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

import click
import uvicorn

from spielleiter import games
from spielleiter.cli._analyst import engines
from spielleiter.cli._downloads import DOWNLOADS
from spielleiter.cli._house import ArenaHouse, Bounds, Strangers, speech_of
from spielleiter.cli._library import crafts
from spielleiter.cli._thinkers import Thinkers
from spielleiter.cli.contest import opened_if_begun
from spielleiter.cli.serve import _on_signals, served_games
from spielleiter.errors import StoreError, UsageError
from spielleiter.game import Game
from spielleiter.server import OnStop, Server, Settings, Timekeeper, event_loop
from spielleiter.server.binary import Board, Host
from spielleiter.server.binary import Settings as BinarySettings
from spielleiter.server.log import Formatter
from spielleiter.store import open_store
from spielleiter.web import create_app
from spielleiter.web.analysts import Analysts
from spielleiter.web.arena import OFFLINE, Arena
from spielleiter.web.chronicle import Chronicle
from spielleiter.web.follow import Contests
from spielleiter.web.house import Order, Plan
from spielleiter.web.library import Library
from spielleiter.web.rights import Rights
from spielleiter.web.uploads import Uploads

STORE, CONTESTS, FILES = "arena.db", "contests", "files"
ANALYST = (sys.executable, "-m", "spielleiter.cli._analyst")
_SWEEP = 60.0


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
    contests: tuple[Path, ...]
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
    "--data",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("arena"),
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
    _log(chosen.verbose)
    time = Timekeeper()
    with contextlib.closing(event_loop(time)) as loop:
        asyncio.set_event_loop(loop)
        try:
            loop.run_until_complete(_open(chosen, time))
        finally:
            gc.unfreeze()
            gc.collect()


def _log(verbose: int) -> None:
    handler = logging.StreamHandler()
    handler.setFormatter(Formatter("logfmt"))
    logger = logging.getLogger("spielleiter")
    logger.addHandler(handler)
    logger.setLevel([logging.WARNING, logging.INFO, logging.DEBUG][min(verbose, 2)])


# ----------------------------------------------------------------------------------------- opening


async def _open(options: Options, time: Timekeeper) -> None:
    stop = asyncio.Event()
    with _door(options) as door, _chronicle(options, stop) as chronicle:
        server = _server(options, chronicle, time)
        house = _house(options, chronicle, server, time)
        await _listening(server, options.xml_port, "--xml-port")
        strangers = await _course(options, chronicle, time)
        contests = Contests(opened_if_begun, options.contests, options.data / CONTESTS)
        arena = _arena(options, chronicle, house, contests)
        pages = _Pages(uvicorn.Config(create_app(arena), **_UVICORN))
        serving = asyncio.create_task(pages.serve(sockets=[door]))
        try:
            await _demo(options, chronicle, house)
            _greet(options, arena, door.getsockname()[1], server.port, strangers)
            _on_signals(stop)
            gc.freeze()
            await _until(stop, serving, house)
        finally:
            await _close(pages, serving, house, server, strangers)
            contests.close()


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


@contextlib.contextmanager
def _door(options: Options) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        door = socket.create_server((options.host, options.port), family=family, backlog=1024)
    except OSError as problem:
        raise _taken(options.host, options.port, "--port", problem) from None
    with door:
        yield door


def _taken(host: str, port: int, option: str, problem: object) -> UsageError:
    return UsageError(
        f"cannot listen on {host}:{port}: {problem}; is the arena running already? "
        f"Another port: {option} NUMBER"
    )


@contextlib.contextmanager
def _chronicle(options: Options, stop: asyncio.Event) -> Iterator[Chronicle]:
    """What happened is kept; when that fails, nothing more happens."""
    loop = asyncio.get_running_loop()
    try:
        options.data.mkdir(parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(f"the folder {options.data} cannot be made: {problem}") from problem
    store = open_store(options.data / STORE)

    def give_up(problem: StoreError) -> None:
        loop.call_soon_threadsafe(stop.set)

    chronicle = Chronicle(store, on_failure=give_up)
    try:
        yield chronicle
    finally:
        chronicle.close()
        store.close()


def _server(options: Options, chronicle: Chronicle, time: Timekeeper) -> Server:
    settings = Settings(
        host=options.host,
        port=options.xml_port,
        password=options.password,
        on_stop=OnStop.CANCEL,
    )
    return Server(served_games((), "document"), settings, sinks=[], time=time)


def _house(options: Options, chronicle: Chronicle, server: Server, time: Timekeeper) -> ArenaHouse:
    house = ArenaHouse(
        announce=chronicle.announce,
        hear=chronicle.hear,
        server=server,
        thinkers=Thinkers(options.players),
        time=time,
        host=options.host,
        bounds=Bounds(options.games, options.thinking),
    )
    server.sinks = (house.hear,)
    return house


async def _listening(server: Server, port: int, option: str) -> None:
    try:
        await server.start()
    except UsageError as problem:
        raise _taken(server.settings.host, port, option, problem) from None


async def _course(options: Options, chronicle: Chronicle, time: Timekeeper) -> list[Host]:
    """The course's server: every game that speaks its protocol, on its default map."""
    hosts: list[Host] = []
    for name in games.names():
        game = games.load(name)
        if speech_of(game) != "binary":
            continue
        port = options.binary_port + len(hosts) if options.binary_port else 0
        hosts.append(await _hosted(game, options.host, port, chronicle, time))
    return hosts


async def _hosted(game: Game, host: str, port: int, chronicle: Chronicle, time: Timekeeper) -> Host:
    wire = game.part("wire")
    board = Board(game.name, wire.map_of(game.start()), wire)
    settings = BinarySettings(host=host, port=port, games=None, exact=True)
    hosted = Host(board, settings, sinks=[Strangers(chronicle.hear)], time=time)
    try:
        await hosted.start()
    except UsageError as problem:
        raise _taken(host, port, "--binary-port", problem) from None
    return hosted


def _arena(options: Options, chronicle: Chronicle, house: ArenaHouse, contests: Contests) -> Arena:
    rights = Rights(options.data)
    own = {options.host.strip("[]").lower(), *options.names}
    if options.is_local:
        own |= {"localhost", "127.0.0.1", "::1"}
    anywhere = options.host in ("0.0.0.0", "::")
    if anywhere:
        own |= {"localhost", "127.0.0.1", "::1", socket.gethostname().lower()}
    chronicle.speaks = lambda edition: house.speaks(games.load(edition))
    needs_code = not options.is_local and not rights.password_set
    return Arena(
        chronicle=chronicle,
        house=house,
        rights=rights,
        downloads=DOWNLOADS,
        hosts=frozenset(own),
        setup_code=secrets.token_hex(4) if needs_code else None,
        library=Library(chronicle, contests, Uploads(options.data / FILES), crafts(), OFFLINE),
        analysts=Analysts(ANALYST, engines),
        contests=contests,
    )


async def _demo(options: Options, chronicle: Chronicle, house: ArenaHouse) -> None:
    """On the first start something is to be seen."""
    if not options.demo or not chronicle.is_empty:
        return
    game = served_games((), "document")[0]
    seats = (Plan("built-in", "best 3", "best", 3), Plan("built-in", "greedy", "greedy"))
    position = game.start(secrets.randbelow(2**32)).text()
    await house.open(Order(game, position, seats, source="demo", delay=1.0))


def _greet(options: Options, arena: Arena, port: int, xml_port: int, course: list[Host]) -> None:
    name = "localhost" if options.is_local else options.host
    click.echo(f"the arena is open: http://{name}:{port}/")
    ports = ", ".join([f"XML clients {xml_port}", *(f"{h.board.name} {h.port}" for h in course)])
    click.echo(f"clients: {ports}; games are kept in {options.data}")
    if arena.setup_code is not None:
        click.echo(f"to choose the organiser's password, enter this code: {arena.setup_code}")
    elif not arena.rights.password_set:
        click.echo("open the address and choose the organiser's password to begin")
    sys.stdout.flush()


# ----------------------------------------------------------------------------------------- closing


async def _until(stop: asyncio.Event, serving: asyncio.Task[None], house: ArenaHouse) -> None:
    waiting = asyncio.create_task(stop.wait())
    while not waiting.done():
        done, _ = await asyncio.wait(
            (waiting, serving), timeout=_SWEEP, return_when=asyncio.FIRST_COMPLETED
        )
        house.sweep()
        if serving in done:
            waiting.cancel()
            raise UsageError("the pages are not served any more")
    click.echo("closing …", err=True)


async def _close(
    pages: _Pages,
    serving: asyncio.Task[None],
    house: ArenaHouse,
    server: Server,
    course: list[Host],
) -> None:
    """Running games are cancelled: everybody is told, everything is kept."""
    await house.close()
    for host in course:
        await host.stop()
    await server.stop()
    pages.should_exit = True
    await asyncio.wait((serving,), timeout=10.0)
    serving.cancel()
