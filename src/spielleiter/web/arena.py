"""The services that routes use, created once per arena."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fastapi import HTTPException, Request

from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.ladder.ladder import Ladder
from spielleiter.season.seasons import Seasons
from spielleiter.web.analysis_pool import AnalysisPool
from spielleiter.web.authentication import Authentication, RateLimit
from spielleiter.web.connection_quota import ConnectionQuota
from spielleiter.web.contest_reader import Contests
from spielleiter.web.file_maker import FileMaker
from spielleiter.web.game_explorer import GameExplorer
from spielleiter.web.game_orders import GameOrders
from spielleiter.web.game_state import GameState
from spielleiter.web.human_players import OPENER, HumanPlayers
from spielleiter.web.library import ReplayLibrary
from spielleiter.web.login_guard import LoginGuard
from spielleiter.web.match_stores import MatchStores
from spielleiter.web.network import LocalNetwork
from spielleiter.web.proxies import TrustedProxies, visitor_of
from spielleiter.web.recorder import GameRecorder, LiveGame
from spielleiter.web.running_stages import ContestStages
from spielleiter.web.service import GameService
from spielleiter.web.show_codes import ShowCodes
from spielleiter.web.take_backs import TakeBacks
from spielleiter.web.uploaded_stores import UploadedStores

COOKIE = "spielleiter_session"
CSRF = "x-csrf-token"
GAME_KEY = "x-game-key"
PAGES = Path(__file__).parent / "pages"
"""Where the viewer is built to."""
OFFLINE = PAGES / "offline"
"""The viewer's files for pages that work without a server."""


@dataclass(frozen=True, slots=True)
class Download:
    """A file made from a state."""

    media_type: str
    offers: Callable[[GameState], bool]
    make: Callable[[GameState, int | None, str], bytes]
    """GameState, turn (None: the last one) and language → the file."""
    compressed: bool = False


@dataclass(frozen=True, slots=True)
class ApiLimits:
    """Limits of the API."""

    body: int = 64 * 1024
    upload: int = 8 * 1024 * 1024
    spectators: int = 5_000
    scenes: int = 200
    """Scenes in one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arena:
    """Everything behind the pages."""

    recorder: GameRecorder
    service: GameService
    rights: Authentication
    downloads: Mapping[str, Download] = field(default_factory=dict)
    hosts: set[str] = field(default_factory=set)
    """Accepted host names; empty: any."""
    secure: bool = False
    """Whether browsers reach us by https only."""
    setup_code: str | None = None
    """The code for setting the first password; None: loopback is enough."""
    pages: Path = PAGES
    bounds: ApiLimits = field(default_factory=ApiLimits)
    human_players: HumanPlayers = field(default_factory=HumanPlayers)
    network: LocalNetwork | None = None
    """Access from the local network; None: not available."""
    game_orders: GameOrders = field(default_factory=GameOrders)
    take_backs: TakeBacks = field(default_factory=TakeBacks)
    on_look: Callable[[], None] = lambda: None
    """Called when somebody looks at the lobby."""
    library: ReplayLibrary = field(default_factory=ReplayLibrary)
    """Finished games."""
    analysts: AnalysisPool = field(default_factory=AnalysisPool)
    contests: Contests = field(default_factory=Contests)
    stages: ContestStages = field(default_factory=lambda: ContestStages(Contests()))
    """What is shown of running contests."""
    stores: MatchStores = field(default_factory=MatchStores)
    uploaded_stores: UploadedStores | None = None
    """Stores uploaded by visitors; None: not available."""
    explorer: GameExplorer = field(default_factory=GameExplorer)
    quota: ConnectionQuota = field(default_factory=ConnectionQuota)
    proxies: TrustedProxies = field(default_factory=TrustedProxies)
    guard: LoginGuard = field(default_factory=LoginGuard)
    """Counts wrong passwords."""
    logins: RateLimit = field(default_factory=lambda: RateLimit(10, 60.0))
    orders: RateLimit = field(default_factory=lambda: RateLimit(60, 60.0))
    uploads: RateLimit = field(default_factory=lambda: RateLimit(20, 60.0))
    store_uploads: RateLimit = field(default_factory=lambda: RateLimit(5, 60.0))
    show_codes: ShowCodes = field(default_factory=ShowCodes)
    shows: RateLimit = field(default_factory=lambda: RateLimit(240, 60.0))
    files: FileMaker = field(default_factory=FileMaker)
    """Pictures and pages."""
    reviews: FileMaker = field(default_factory=lambda: FileMaker(waiting=24, by_visitor=4))
    """A separate maker for reviews, which take seconds."""
    accounts: ArenaAccounts | None = None
    """People, teams and bots; None: there are only guests and the organiser."""
    ladder: Ladder | None = None
    """Versions that play by themselves; None: they do not."""
    seasons: Seasons | None = None
    """Contests of uploaded bots; None: there are none."""
    registrations: RateLimit = field(default_factory=lambda: RateLimit(60, 600.0))
    member_logins: RateLimit = field(default_factory=lambda: RateLimit(60, 60.0))
    """Rate limit of member logins; a class shares one address."""
    member_guard: LoginGuard = field(default_factory=lambda: LoginGuard(in_all=500))
    """Counts wrong passwords of members, by address and name."""
    team_actions: RateLimit = field(default_factory=lambda: RateLimit(60, 600.0))
    """Rate limit, by team, of actions that notify others."""
    uploads_refused: str | None = "this arena takes no uploads"
    """Why nobody can upload a bot; None: everybody in a team can."""
    trusts_uploads: bool = False
    """Uploaded programs run without a sandbox: every page says so."""
    on_upload: Callable[[], None] = lambda: None
    """Called when a version waits for its check."""
    hashing: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(2))
    """Limits password hashing to two at a time: each takes 64 MB."""


def arena_of(request: Request) -> Arena:
    """The arena that a request is for."""
    arena: Arena = request.app.state.arena
    return arena


def refusal(status: int, code: str, message: str) -> HTTPException:
    """An error in the form of the API."""
    return HTTPException(status, {"code": code, "message": message})


async def game_of(arena: Arena, name: str) -> LiveGame:
    """The game of that name, or the refusal."""
    live = await arena.recorder.find(name)
    if live is None:
        raise refusal(404, "no-such-game", f"there is no game {name!r}")
    return live


def organiser(request: Request) -> None:
    """Require the organiser's session and CSRF token."""
    arena, token = arena_of(request), request.cookies.get(COOKIE)
    if token is None or not is_organisers(arena, token):
        raise refusal(401, "login-needed", "only the organiser may do this: log in first")
    if request.headers.get(CSRF) != arena.rights.csrf(token):
        raise refusal(403, "csrf", f"the header {CSRF} is missing or wrong")


def manager(request: Request, game: str) -> None:
    """Require the game's key or the organiser."""
    key = request.headers.get(GAME_KEY)
    if key is None or not arena_of(request).human_players.opens(game, OPENER, key):
        organiser(request)


def is_organiser(request: Request) -> bool:
    """Whether the caller is the organiser; for read access."""
    return is_organisers(arena_of(request), request.cookies.get(COOKIE))


def is_organisers(arena: Arena, token: str | None) -> bool:
    """Whether a session is of an organiser: the first one, or a member who was made one."""
    if token is None or arena.rights.is_organiser(token):
        return token is not None
    login = None if arena.accounts is None else arena.accounts.logins.find(token, "session")
    if arena.accounts is None or login is None:
        return False
    return arena.accounts.members.find(login.member).role == "organiser"


def is_members(arena: Arena, token: str) -> bool:
    """Whether a session is of a member."""
    if arena.accounts is None:
        return False
    return arena.accounts.logins.find(token, "session") is not None


def address_of(request: Request) -> str:
    """Where a request comes from."""
    return "" if request.client is None else request.client.host


def client_of(request: Request) -> str:
    """The client for quotas: an address, or the network of a household."""
    return visitor_of(address_of(request))
