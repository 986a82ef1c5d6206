"""Opens a whole arena: the store, the game service, the pages, and a first game to watch.

`open_arena` is what `spielleiter arena` calls; tests open their own arena with it.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from ipaddress import ip_address
from pathlib import Path

from fastapi import FastAPI

from spielleiter import games
from spielleiter.accounts.accounts import ArenaAccounts, open_accounts
from spielleiter.accounts.files import LARGEST
from spielleiter.accounts.quarantine import CheckUpload, Quarantine
from spielleiter.accounts.webhooks import Webhooks
from spielleiter.errors import SpielleiterError, UsageError
from spielleiter.game import Game, WireForm
from spielleiter.ladder.arena_ladder import Cluster, open_ladder
from spielleiter.ladder.ladder import Ladder
from spielleiter.season.season_player import open_seasons
from spielleiter.service.archive import archive
from spielleiter.service.downloads import DOWNLOADS
from spielleiter.service.process import EVERYWHERE, ServiceProcess, ServiceSettings, taken
from spielleiter.service.served_games import served_games
from spielleiter.service.service import ServiceLimits, speech_of
from spielleiter.store import StoreAddress, open_store
from spielleiter.store.address import STORE, STRANGERS
from spielleiter.store.lock import FolderLock
from spielleiter.store.private import private_folder
from spielleiter.store.rolling import RollingStore
from spielleiter.store.stored_games import OPENED
from spielleiter.web.app import create_app
from spielleiter.web.arena import Arena
from spielleiter.web.authentication import Authentication
from spielleiter.web.cards import cards
from spielleiter.web.connection_quota import ConnectionQuota, most_connections
from spielleiter.web.contest_reader import Open
from spielleiter.web.game_orders import GameOrders
from spielleiter.web.housekeeping import Housekeeping
from spielleiter.web.human_players import HumanPlayers
from spielleiter.web.language import LANGUAGES
from spielleiter.web.login_guard import UNLOCK, LoginGuard
from spielleiter.web.network import LocalNetwork, lan_addresses
from spielleiter.web.page_server import serve_pages
from spielleiter.web.proxies import TrustedProxies
from spielleiter.web.recorder import GameRecorder
from spielleiter.web.routes import catalogue
from spielleiter.web.running_stages import ContestStages
from spielleiter.web.seasons import season_contests

_CHECKS = 4
"""Most uploads checked at the same time; also at most half of the processors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArenaSettings:
    """What an arena is opened with."""

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
    proxies: tuple[str, ...] = ()
    """Addresses of trusted proxies, whose forwarded client address is used."""
    first: str | None = None
    wire: WireForm = "real"
    contests: tuple[Path, ...] = ()
    stores: tuple[Path | StoreAddress, ...] = ()
    """Stores of matches and contests whose games are shown."""
    password: str
    verbose: int
    database: str | None = None
    """Where people, teams, bots and the ladder are kept; None: in files of the data folder."""
    largest_upload: int = LARGEST
    trusts_uploads: bool = False
    """Uploaded bots run without a sandbox, because the operator has said so."""
    check_upload: CheckUpload | None = None
    """Checks uploads before they play; None: uploads are disabled."""
    uploads_refused: str | None = "this arena takes no uploads"
    """Why nothing can be uploaded."""
    ladder: int = 0
    """Games of uploaded bots that are played at a time."""
    cluster: Cluster | None = None
    """Plays the games of uploaded bots; None: this machine does."""
    interfaces: Callable[[], Iterable[str]] | None = None
    """Addresses of this machine in its network; None: as it knows them."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach the arena."""
        if self.host == "localhost":
            return True
        with contextlib.suppress(ValueError):
            return ip_address(self.host).is_loopback
        return False


@dataclass(slots=True)
class OpenArena:
    """An arena that is open."""

    arena: Arena
    service: ServiceProcess
    port: int
    failure: SpielleiterError | None = None
    """Why it had to close, if it had to."""


@contextlib.asynccontextmanager
async def open_arena(
    settings: ArenaSettings, open_contest: Open, on_failure: Callable[[], None]
) -> AsyncIterator[OpenArena]:
    """Open everything, from the port of the pages to the demo; close it in the opposite order.

    `open_contest` reads the store of a contest's file. `on_failure` is called if the arena's store
    or the game service fails: the caller must then leave the block.
    """
    loop = asyncio.get_running_loop()
    failures: list[SpielleiterError] = []

    def fail(problem: SpielleiterError) -> None:
        failures.append(problem)
        loop.call_soon_threadsafe(on_failure)

    with (
        _listener(settings) as listener,
        _recorder(settings, fail) as recorder,
        open_accounts(
            settings.data, settings.database, largest=settings.largest_upload
        ) as accounts,
        _quarantine(settings, accounts) as on_upload,
        _ladder(settings, accounts, recorder) as ladder,
        open_seasons(
            settings.data,
            accounts,
            max(1, settings.ladder),
            trusted=settings.trusts_uploads,
            cluster=settings.cluster,
        ) as seasons,
    ):
        service = _service(settings, recorder, fail)
        try:
            await service.start()
            people = HumanPlayers()
            keeper = Housekeeping(recorder, service, people, demos=_demos(settings))
            port = listener.getsockname()[1]
            network = LocalNetwork(
                port,
                lambda address: _serve_too(further, app, arena, address, port),
                addresses=settings.interfaces,
                is_open=settings.host in EVERYWHERE,
            )
            arena = _arena(
                settings, recorder, service, open_contest, people, keeper, network, accounts
            )
            arena = replace(arena, on_upload=on_upload, ladder=ladder, seasons=seasons)
            arena.contests.named = partial(season_contests, seasons)
            if ladder is not None:
                arena.library.ladder = ladder.record_of
            app = create_app(arena)
            is_open = OpenArena(arena, service, port)
            async with serve_pages(app, arena, listener), contextlib.AsyncExitStack() as further:
                if settings.host in EVERYWHERE:
                    await network.open()
                await keeper.tend()
                tending = asyncio.create_task(keeper.run())
                warming = asyncio.create_task(asyncio.to_thread(_warm_up, arena))
                try:
                    yield is_open
                    is_open.failure = failures[0] if failures else None
                finally:
                    tending.cancel()
                    arena.reviews.close()
                    await warming
                    await arena.stages.close()
                    await service.stop()  # the pages still show how games end
            arena.analysts.close()
            arena.contests.close()
            arena.stores.close()
            if arena.uploaded_stores is not None:
                arena.uploaded_stores.close()
            arena.explorer.close()
        finally:
            await service.stop()


def _warm_up(arena: Arena) -> None:
    """Prepare what the first visitor would wait for: try every player, draw every card."""
    for language in LANGUAGES:
        catalogue(arena, language)


async def _serve_too(
    further: contextlib.AsyncExitStack, app: FastAPI, arena: Arena, address: str, port: int
) -> None:
    """Serve the same pages on one more address of this machine."""
    listener = further.enter_context(socket.create_server((address, port), backlog=1024))
    arena.hosts.add(address)
    await further.enter_async_context(serve_pages(app, arena, listener))


@contextlib.contextmanager
def _listener(settings: ArenaSettings) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        listener = socket.create_server((settings.host, settings.port), family=family, backlog=1024)
    except OSError as problem:
        what = f"cannot listen on {settings.host}:{settings.port}: {problem.strerror or problem}"
        raise taken(what, "--port") from None
    with listener:
        yield listener


@contextlib.contextmanager
def _recorder(
    settings: ArenaSettings, fail: Callable[[SpielleiterError], None]
) -> Iterator[GameRecorder]:
    """The recorder, which stores every event; a failure closes the arena."""
    with FolderLock(private_folder(settings.data)):
        store = open_store(settings.data / STORE)
        passing = RollingStore(settings.data / STRANGERS, OPENED)
        recorder = GameRecorder(store, passing, on_failure=fail)
        try:
            yield recorder
        finally:
            recorder.close()
            store.close()
            passing.close()


@contextlib.contextmanager
def _quarantine(settings: ArenaSettings, accounts: ArenaAccounts) -> Iterator[Callable[[], None]]:
    """Check uploads while the arena is open; yields the function to call after an upload."""
    accounts.files.clean()
    with _webhooks(accounts), _checking(settings, accounts) as on_upload:
        yield on_upload


@contextlib.contextmanager
def _webhooks(accounts: ArenaAccounts) -> Iterator[None]:
    webhooks = Webhooks(accounts.teams)
    accounts.notices.listen(webhooks.hear)
    webhooks.start()
    try:
        yield
    finally:
        webhooks.close()


@contextlib.contextmanager
def _checking(settings: ArenaSettings, accounts: ArenaAccounts) -> Iterator[Callable[[], None]]:
    if settings.check_upload is None:
        yield lambda: None
        return
    workers = max(1, min(_CHECKS, (os.cpu_count() or 1) // 2))
    quarantine = Quarantine(accounts.bots, accounts.notices, settings.check_upload, workers)
    quarantine.start()
    try:
        yield quarantine.wake
    finally:
        quarantine.close()


def _ladder(
    settings: ArenaSettings, accounts: ArenaAccounts, recorder: GameRecorder
) -> contextlib.AbstractContextManager[Ladder | None]:
    """Run the ladder, with fewer games while people play."""
    if not settings.ladder:
        return contextlib.nullcontext()

    def is_busy() -> bool:
        try:
            return any(not each.match.paused for each in recorder.live_games())
        except RuntimeError:  # another thread opens or ends a game at this moment
            return True

    return open_ladder(
        settings.data,
        accounts,
        settings.ladder,
        database=settings.database,
        trusted=settings.trusts_uploads,
        is_busy=is_busy,
        cluster=settings.cluster,
    )


def _service(
    settings: ArenaSettings, recorder: GameRecorder, fail: Callable[[SpielleiterError], None]
) -> ServiceProcess:
    served_games((), "document", settings.wire, settings.first)  # refuses a game without XML
    conditions = ServiceSettings(
        host=settings.host,
        xml_port=settings.xml_port,
        binary_port=settings.binary_port,
        password=settings.password,
        players=settings.players,
        bounds=ServiceLimits(settings.games, settings.thinking),
        first=settings.first,
        wire=settings.wire,
        verbose=settings.verbose,
    )
    return ServiceProcess(
        conditions,
        announce=recorder.announce,
        record=recorder.record,
        on_end=lambda: fail(UsageError("the process that plays the games has ended")),
    )


def _arena(
    settings: ArenaSettings,
    recorder: GameRecorder,
    service: ServiceProcess,
    open_contest: Open,
    people: HumanPlayers,
    keeper: Housekeeping,
    network: LocalNetwork,
    accounts: ArenaAccounts,
) -> Arena:
    rights = Authentication(settings.data)
    recorder.speaks = speech_of
    kept = archive(recorder, settings.data, settings.contests, open_contest, settings.stores)
    is_reachable = not settings.is_local or settings.names or settings.proxies
    needs_code = is_reachable and not rights.password_set
    return Arena(
        recorder=recorder,
        service=service,
        rights=rights,
        downloads=DOWNLOADS,
        hosts=_host_names(settings),
        secure=settings.https,
        quota=ConnectionQuota(most_connections()),
        proxies=TrustedProxies(settings.proxies),
        guard=LoginGuard(settings.data / UNLOCK),
        setup_code=secrets.token_hex(4) if needs_code else None,
        library=kept.library,
        analysts=kept.analysts,
        contests=kept.contests,
        stages=ContestStages(kept.contests),
        stores=kept.stores,
        uploaded_stores=kept.uploaded,
        human_players=people,
        game_orders=GameOrders(in_all=max(1, settings.games * 3 // 4)),
        on_look=keeper.looked,
        network=network,
        accounts=accounts,
        uploads_refused=None if settings.check_upload else settings.uploads_refused,
        trusts_uploads=settings.trusts_uploads,
    )


def _host_names(settings: ArenaSettings) -> set[str]:
    """The names by which a browser may address the arena; requests for other hosts are refused."""
    names = {settings.host.strip("[]").lower(), *(name.lower() for name in settings.names)}
    if settings.is_local or settings.host in EVERYWHERE:
        names |= {"localhost", "127.0.0.1", "::1"}
    if settings.host in EVERYWHERE:
        names |= {socket.gethostname().lower(), *_addresses()}
        names |= set((settings.interfaces or lan_addresses)())
    return names


def _addresses() -> set[str]:
    """The addresses of this machine, as far as it knows them."""
    with contextlib.suppress(OSError):
        found = socket.getaddrinfo(socket.gethostname(), None)
        return {str(address[4][0]).lower() for address in found}
    return set()


def _demos(settings: ArenaSettings) -> list[Game]:
    """Demo games while nobody plays: every game in turn, the current season first."""
    return [games.load(card.edition) for card in cards("en")] if settings.demo else []
