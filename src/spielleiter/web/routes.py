"""Routes of the catalogue, games, orders, sessions and downloads."""

from __future__ import annotations

import asyncio
import functools
import ipaddress
import math
import secrets
from dataclasses import replace
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request, Response
from pydantic import AfterValidator

from spielleiter import games
from spielleiter.errors import SpielleiterError, UnknownName
from spielleiter.game import AUTHORITIES, Game, Position
from spielleiter.match import Frame
from spielleiter.web import models
from spielleiter.web.arena import (
    COOKIE,
    Arena,
    Download,
    address_of,
    arena_of,
    client_of,
    game_of,
    is_members,
    is_organiser,
    is_organisers,
    manager,
    organiser,
    refusal,
)
from spielleiter.web.authentication import LASTS
from spielleiter.web.cards import cards, guide, has_maps, option_names
from spielleiter.web.game_orders import GuestsFull, rotated, seat_after
from spielleiter.web.game_state import GameState
from spielleiter.web.human_players import OPENER
from spielleiter.web.language import LANGUAGES, messages, translator
from spielleiter.web.models import Language
from spielleiter.web.serialisation import GameSerialiser
from spielleiter.web.service import (
    ClientPort,
    GamePlan,
    NoSuchGame,
    OpenedGame,
    OpenedSeat,
    SeatPlan,
    ServiceFull,
)

ERRORS: dict[int | str, dict[str, Any]] = {"4XX": {"model": models.ErrorBody}}
router = APIRouter(prefix="/api", responses=ERRORS)

JSON = "application/json"
TheArena = Annotated[Arena, Depends(arena_of)]


def _known_language(code: str) -> Language:
    if code not in LANGUAGES:
        raise ValueError(f"the languages are {', '.join(LANGUAGES)}")
    return code


Lang = Annotated[
    Language,
    AfterValidator(_known_language),
    Query(
        description="The language of all texts for people.",
        json_schema_extra={"enum": list(LANGUAGES)},
    ),
]
Organiser = Depends(organiser)
Manager = Depends(manager)


# -------------------------------------------------------------------------------------- catalogue


@router.get("/catalogue")
def catalogue(arena: TheArena, lang: Lang = "en") -> models.GameCatalogue:
    """Everything a new game can be made of."""
    return models.GameCatalogue(
        cards=cards(lang),
        editions=tuple(_edition(arena, games.load(name), lang) for name in games.names()),
        players=tuple(_player(arena, offer.name, lang) for offer in arena.service.players),
        client_ports=tuple(
            _client_port(arena, found, lang) for found in arena.service.client_ports
        ),
        limits=models.ApiLimitsView(
            games=arena.service.most_games,
            per_move=models.LONGEST_THOUGHT,
            upload=arena.bounds.upload,
        ),
        version=_version(),
    )


def _client_port(arena: Arena, found: ClientPort, lang: Language) -> models.ClientPortView:
    game = games.load(found.edition)
    return models.ClientPortView(
        edition=found.edition,
        title=translator(game, lang)(game.title),
        speaks=arena.service.speaks(game) or "xml",
        host=found.host,
        port=found.port,
    )


@router.get("/guides/{edition}")
def show_guide(edition: str, lang: Lang = "en") -> models.GuideView:
    """The rules of a game in a few steps."""
    try:
        return guide(games.load(edition), lang)
    except SpielleiterError as problem:
        raise refusal(404, "no-such-edition", str(problem)) from problem


def _version() -> str:
    try:
        return version("spielleiter")
    except PackageNotFoundError:  # run from the sources
        return "unknown"


def _edition(arena: Arena, game: Game, lang: Language) -> models.Edition:
    translate = translator(game, lang)
    seats_by, seats = _seats(game.name)
    return models.Edition(
        name=game.name,
        title=translate(game.title),
        seat_names=tuple(map(translate, game.seat_names)),
        min_seats=game.min_seats,
        max_seats=len(game.seat_names),
        options=tuple(
            models.OptionView(
                name=option.name,
                label=translate(option.label) or option.name.replace("_", " "),
                help=translate(option.help),
                default=option.default,
                choices=option.choices(),
                names=option_names(game, option, lang),
                tests=option.tests(),
            )
            for option in game.options
        ),
        seats_by=seats_by,
        seats=seats,
        authorities=AUTHORITIES,
        speaks=arena.service.speaks(game),
        players=arena.service.plays(game),
        own_maps=has_maps(game),
    )


@functools.cache
def _seats(edition: str) -> tuple[str | None, dict[str, int]]:
    """The option that decides the number of seats, if there is one."""
    game = games.load(edition)
    for option in game.options if game.min_seats < len(game.seat_names) else ():
        seats = {each: game.start(0, **{option.name: each}).seats for each in option.choices()}
        if len(set(seats.values())) > 1:
            return option.name, seats
    return None, {}


def _player(arena: Arena, name: str, lang: Language) -> models.PlayerView:
    translate = translator(None, lang)
    offer = next(offer for offer in arena.service.players if offer.name == name)
    return models.PlayerView(
        name=offer.name,
        label=translate(messages(f"player.{offer.name}")),
        help=translate(messages(f"player-help.{offer.name}")),
        levels=offer.levels,
    )


# ------------------------------------------------------------------------------------------ games


@router.get("/games")
async def list_games(
    arena: TheArena,
    state: Annotated[list[models.State] | None, Query()] = None,
    edition: str | None = None,
    before: Annotated[str | None, Query(description="`before` of the last page.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    lang: Lang = "en",
) -> models.Games:
    """Games, newest first."""
    arena.on_look()
    found, rest = arena.recorder.summaries(
        lang,
        states=frozenset(state) if state else None,
        edition=edition,
        before=before,
        limit=limit,
    )
    return models.Games(games=found, before=rest)


@router.post("/games", status_code=201)
async def order_game(
    arena: TheArena, request: Request, order: models.GameOrder
) -> models.OpenedGameView:
    """Open a game; guests may, within limits. Keys and reservations are shown only here."""
    wanted, placed = await _placed(arena, request, order)
    seats = zip(range(len(wanted.seats)), wanted.seats, placed.seats, strict=True)
    return models.OpenedGameView(
        id=placed.id,
        key=arena.human_players.key(placed.id, OPENER),
        seats=tuple(
            _arranged(arena, placed.id, seat, plan, opened) for seat, plan, opened in seats
        ),
    )


async def _placed(
    arena: Arena, request: Request, order: models.GameOrder
) -> tuple[GamePlan, OpenedGame]:
    visitor = _guest(arena, request)
    try:
        if visitor is not None:
            arena.game_orders.admit(visitor)
        wanted = replace(await _wanted(arena, order), guest=visitor is not None)
        placed = await arena.service.open(wanted)
    except (GuestsFull, ServiceFull) as problem:
        raise refusal(503, "service-full", str(problem)) from problem
    except SpielleiterError as problem:
        raise refusal(422, "cannot-be-played", str(problem)) from problem
    arena.game_orders.add(placed.id, order, visitor)
    if visitor is not None:
        arena.recorder.attribute(placed.id, visitor)
    return wanted, placed


def _guest(arena: Arena, request: Request) -> str | None:
    """The key of a guest; None for the organiser."""
    if not arena.orders.passes(client_of(request)):
        raise refusal(429, "too-often", "wait a moment before you open more games")
    if is_organiser(request):
        organiser(request)
        return None
    if not arena.recorder.allowance.admits(client_of(request)):
        raise refusal(429, "too-many-games", "too many games of yours are stored: try again later")
    return client_of(request)


@router.post("/games/{game}/rematch", status_code=201)
async def order_rematch(
    arena: TheArena, request: Request, game: str, order: models.RematchOrder
) -> models.OpenedGameView:
    """Order a rematch, with a key of the game. The first request opens it."""
    seat = OPENER if order.seat is None else order.seat
    if not arena.human_players.opens(game, seat, order.key):
        raise refusal(403, "no-key", "only those who played may ask for a rematch")
    opening = arena.game_orders.find(game)
    if opening is None or opening.rematch is not None or arena.recorder.live(game) is not None:
        raise refusal(409, "no-rematch", "this game has no rematch, or has one already")
    opened = await order_game(arena, request, rotated(opening.order))
    opening.rematch = opened.id
    count = len(opened.seats)
    for old in range(count):
        arena.human_players.hand_on(game, old, opened.id, seat_after(old, count))
    seats = tuple(each.model_copy(update={"token": None}) for each in opened.seats)
    return opened.model_copy(update={"seats": seats})


@router.get("/games/{game}/rematch")
async def show_rematch(arena: TheArena, game: str) -> models.RematchView:
    """The rematch, if there is one."""
    opening = arena.game_orders.find(game)
    if opening is None or opening.rematch is None:
        return models.RematchView(game=None, seats=())
    count = len(opening.order.seats)
    seats = tuple(seat_after(seat, count) for seat in range(count))
    return models.RematchView(game=opening.rematch, seats=seats)


async def _wanted(arena: Arena, order: models.GameOrder) -> GamePlan:
    game = games.load(order.edition).under(order.authority)
    position = await _first_position(arena, game, order)
    seats: int = position.seats
    if len(order.seats) != seats:
        raise refusal(422, "seats", f"this game has {seats} seats, not {len(order.seats)}")
    if position.outcome() is not None:
        raise refusal(422, "over", "this position is over already")
    plans = tuple(_plan(arena, game, seat) for seat in order.seats)
    return GamePlan(
        game.name,
        game.authority,
        position.text(),
        plans,
        order.per_move,
        order.paused,
        delay=order.delay,
    )


async def _first_position(arena: Arena, game: Game, order: models.GameOrder) -> Position:
    if order.position is not None:
        return game.parse(order.position)
    if order.start is not None:
        state = (await game_of(arena, order.start.game)).state
        return game.parse(_at(state, order.start.turn).position.text())
    seed = secrets.randbelow(2**53) if order.seed is None else order.seed
    try:
        return game.start(seed, **game.listed(order.options))
    except UnknownName as problem:
        raise refusal(422, "option", str(problem)) from problem


def _plan(arena: Arena, game: Game, seat: models.SeatOrder) -> SeatPlan:
    if seat.kind == "external" and arena.service.speaks(game) is None:
        raise refusal(422, "external", f"{game.name} has no protocol for external clients")
    player = seat.player or ""
    if seat.kind == "built-in" and player not in arena.service.plays(game):
        raise refusal(422, "player", f"no built-in player {player!r} plays {game.name}")
    offer = next((each for each in arena.service.players if each.name == player), None)
    if seat.level is not None and (offer is None or seat.level not in offer.levels):
        raise refusal(422, "level", f"{player or seat.kind} has no level {seat.level}")
    name = seat.name or (seat.kind if seat.kind != "built-in" else player)
    if seat.kind == "built-in" and seat.level is not None and not seat.name:
        name = f"{player} {seat.level}"
    return SeatPlan(seat.kind, name, player, seat.level)


def _arranged(
    arena: Arena, name: str, seat: int, plan: SeatPlan, opened: OpenedSeat
) -> models.OpenedSeatView:
    return models.OpenedSeatView(
        kind=plan.kind,
        name=plan.name,
        token=arena.human_players.key(name, seat) if plan.kind == "person" else None,
        reservation=opened.reservation,
        host=opened.host,
        port=opened.port,
        command=opened.command,
        commands=_commands(opened),
        show=_show_path(arena, name, seat, opened) if plan.kind == "external" else None,
    )


def _show_path(arena: Arena, name: str, seat: int, opened: OpenedSeat) -> str:
    """The path for annotations of this seat's bot."""
    return f"/api/annotations/seats/{arena.show_codes.add(name, seat, opened.reservation)}"


def _commands(opened: OpenedSeat) -> tuple[models.StartCommand, ...]:
    """Start commands, the most common language first."""
    if not opened.options:
        return ()
    return (
        models.StartCommand(language="Python", text=f"python bot.py {opened.options}"),
        models.StartCommand(language="Java", text=f"java -jar bot.jar {opened.options}"),
        models.StartCommand(language="C++", text=f"./bot {opened.options}"),
    )


@router.get("/games/{game}")
async def show_game(arena: TheArena, game: str, lang: Lang = "en") -> models.GameDetail:
    """All there is to know about a game."""
    state = (await game_of(arena, game)).state
    if state.is_over:
        arena.analysts.prepare()
    return arena.recorder.detail(state, lang)


@router.get("/games/{game}/scenes", response_model=models.Scenes)
async def list_scenes(
    arena: TheArena,
    request: Request,
    game: str,
    first: Annotated[int, Query(ge=0)] = 0,
    last: Annotated[int | None, Query(ge=0)] = None,
    lang: Lang = "en",
) -> Response:
    """The scenes after the turns first … last, 0 is the start; at most 200 at once."""
    state = (await game_of(arena, game)).state
    most = first + arena.bounds.scenes - 1
    until = min(most, state.turn if last is None else min(last, state.turn))

    def drawn() -> bytes:
        serialiser = GameSerialiser(state, lang)
        found = state.frames(first, until) if first <= until else ()
        scenes = tuple(serialiser.scene(frame.position, frame.last) for frame in found)
        return models.Scenes(first=first, scenes=scenes).model_dump_json().encode()

    key = ("scenes", state.id, first, until, lang)
    return Response(await arena.files.get(key, client_of(request), drawn), media_type=JSON)


@router.get("/games/{game}/scenes/{turn}", response_model=models.SceneView)
async def show_scene(
    arena: TheArena, request: Request, game: str, turn: int, lang: Lang = "en"
) -> Response:
    """The scene after a turn; 0 is the start."""
    state = (await game_of(arena, game)).state
    _check_turn(state, turn)

    def drawn() -> bytes:
        frame = state.record.frame(state.game, turn)
        scene = GameSerialiser(state, lang).scene(frame.position, frame.last)
        return scene.model_dump_json().encode()

    key = ("scene", state.id, turn, lang)
    return Response(await arena.files.get(key, client_of(request), drawn), media_type=JSON)


@router.get("/games/{game}/positions/{turn}")
async def show_position(
    arena: TheArena, request: Request, game: str, turn: int
) -> models.PositionAt:
    """The text of the position after a turn."""
    state = (await game_of(arena, game)).state
    _check_turn(state, turn)
    async with arena.files.place(client_of(request)):
        frame = await asyncio.to_thread(state.record.frame, state.game, turn)
    position = frame.position
    return models.PositionAt(
        edition=state.opened.edition,
        authority=state.game.authority,
        turn=turn,
        position=position.text(),
        to_move=None if position.outcome() is not None else position.to_move(),
    )


def _at(state: GameState, turn: int) -> Frame:
    _check_turn(state, turn)
    return state.frame(turn)


def _check_turn(state: GameState, turn: int) -> None:
    if not 0 <= turn <= state.turn:
        raise refusal(404, "no-such-turn", f"this game has the turns 0 to {state.turn}")


@router.post("/games/{game}/pause", status_code=204, dependencies=[Manager])
async def pause_game(arena: TheArena, game: str, order: models.PauseOrder) -> None:
    """Pause a game after the present move, or resume it."""
    await _asked(arena.service.pause(game, order.paused))


@router.post("/games/{game}/step", status_code=204, dependencies=[Manager])
async def step_game(arena: TheArena, game: str) -> None:
    """Play one move in a paused game."""
    await _asked(arena.service.step(game))


@router.post("/games/{game}/cancel", status_code=204, dependencies=[Manager])
async def cancel_game(arena: TheArena, game: str) -> None:
    """End a game now."""
    await _asked(arena.service.cancel(game))


async def _asked(answer: Any) -> None:
    try:
        await answer
    except NoSuchGame as problem:
        raise refusal(409, "not-running", str(problem)) from problem
    except SpielleiterError as problem:
        raise refusal(422, "refused", str(problem)) from problem


# ---------------------------------------------------------------------------------------- network


@router.get("/network")
async def show_network(arena: TheArena, request: Request) -> models.NetworkView:
    """The address under which others reach the arena."""
    address = None if arena.network is None else arena.network.address
    return models.NetworkView(address=address, may_open=_may_open(arena, request))


@router.post("/network")
async def open_network(arena: TheArena, request: Request) -> models.NetworkView:
    """Open the arena to the local network, from this machine or as the organiser."""
    if arena.network is None or not _may_open(arena, request):
        raise refusal(403, "no-network", "only this machine's user or the organiser may do this")
    address = await arena.network.open()
    if address is None:
        raise refusal(503, "unreachable", "this machine cannot be reached from a local network")
    return models.NetworkView(address=address, may_open=True)


def _may_open(arena: Arena, request: Request) -> bool:
    here = is_loopback(client_of(request)) or is_organiser(request)
    return arena.network is not None and here


# -------------------------------------------------------------------------------------- downloads


@router.get("/games/{game}/files/{file}", response_class=Response)
async def download(
    arena: TheArena,
    request: Request,
    game: str,
    file: str,
    turn: Annotated[int | None, Query(ge=0, description="For pictures; the last one.")] = None,
    lang: Lang = "en",
) -> Response:
    """A game as a file: `downloads` of the game says which there are."""
    state = (await game_of(arena, game)).state
    kind = arena.downloads.get(file)
    if kind is None or not kind.offers(state):
        raise refusal(404, "no-such-file", f"this game has no {file!r}")
    if turn is not None:
        _check_turn(state, turn)
    key = ("download", state.id, state.last, file, turn, lang)
    make = partial(kind.make, state, turn, lang)
    data = await arena.files.get(key, client_of(request), make)
    return Response(data, headers=_file_headers(kind, state, turn, file))


def _file_headers(kind: Download, state: GameState, turn: int | None, file: str) -> dict[str, str]:
    at = "" if turn is None else f"-turn-{turn}"
    name = f"{state.opened.edition}-{state.id[:12]}{at}-{file}"
    return {
        "content-type": kind.media_type,
        "content-disposition": f'attachment; filename="{name}"',
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    }


def offered(arena: Arena, state: GameState) -> tuple[str, ...]:
    """The files that a game can be downloaded as."""
    return tuple(name for name, kind in arena.downloads.items() if kind.offers(state))


# --------------------------------------------------------------------------------------- sessions


@router.get("/session")
async def show_session(arena: TheArena, request: Request) -> models.SessionView:
    """The caller's session."""
    return _session(arena, request, request.cookies.get(COOKIE))


@router.post("/session")
async def log_in(
    arena: TheArena, request: Request, response: Response, given: models.Password
) -> models.SessionView:
    """Log in as the organiser."""
    _admit(arena, request)
    async with arena.hashing:
        right = await asyncio.to_thread(arena.rights.is_password, given.password)
    if not right:
        arena.guard.failed(client_of(request))
        raise refusal(401, "wrong-password", "this is not the password")
    return _opened(arena, request, response)


@router.delete("/session", status_code=204, dependencies=[Organiser])
async def log_out(arena: TheArena, request: Request, response: Response) -> None:
    """Log out."""
    arena.rights.close_session(request.cookies[COOKIE])
    if arena.accounts is not None:
        arena.accounts.logins.close(request.cookies[COOKIE])
    response.delete_cookie(COOKIE)


@router.post("/first-password", status_code=201)
async def set_first_password(
    arena: TheArena, request: Request, response: Response, given: models.FirstPassword
) -> models.SessionView:
    """Choose the organiser's password, on the first visit, and log in with it."""
    _admit(arena, request)
    if arena.rights.password_set:
        raise refusal(409, "password-set", "there is a password already: log in")
    if not _may_set_password(arena, request, given.code):
        arena.guard.failed(client_of(request))
        raise refusal(403, "setup-code", "the code that was printed when the arena started")
    async with arena.hashing:
        if arena.rights.password_set:
            raise refusal(409, "password-set", "there is a password already: log in")
        await asyncio.to_thread(arena.rights.set_password, given.password)
    return _opened(arena, request, response)


@router.post("/password", dependencies=[Organiser])
async def change_password(
    arena: TheArena, request: Request, response: Response, given: models.NewPassword
) -> models.SessionView:
    """Choose another password; all sessions but this one end."""
    _admit(arena, request)
    async with arena.hashing:
        if not await asyncio.to_thread(arena.rights.is_password, given.old):
            arena.guard.failed(client_of(request))
            raise refusal(401, "wrong-password", "this is not the password")
        await asyncio.to_thread(arena.rights.set_password, given.password)
    return _opened(arena, request, response)


def _admit(arena: Arena, request: Request) -> None:
    """Refuse after too many wrong passwords, except for open sessions."""
    who = client_of(request)
    if not arena.logins.passes(who):
        raise refusal(429, "too-often", "too many attempts: wait a minute")
    if is_organiser(request):
        return
    if arena.guard.is_locked:
        unlock = "log in where a session is open, or run 'spielleiter unlock'"
        raise refusal(429, "locked", f"too many wrong passwords: {unlock}")
    if (seconds := arena.guard.waits(who)) > 0:
        raise refusal(429, "too-often", f"wrong too often: wait {math.ceil(seconds)} seconds")


def _opened(arena: Arena, request: Request, response: Response) -> models.SessionView:
    token = arena.rights.open_session()
    arena.guard.succeeded(client_of(request))
    response.set_cookie(
        COOKIE,
        token,
        max_age=int(LASTS),
        httponly=True,
        samesite="strict",
        secure=arena.secure,
    )
    return _session(arena, request, token)


def _session(arena: Arena, request: Request, token: str | None) -> models.SessionView:
    logged_in = is_organisers(arena, token)
    if logged_in:
        arena.guard.unlock()
    password_set = arena.rights.password_set
    return models.SessionView(
        organiser=logged_in,
        password_set=password_set,
        may_set_password=not password_set and _may_set_password(arena, request, None),
        csrf=arena.rights.csrf(token)
        if token and (logged_in or is_members(arena, token))
        else None,
    )


def _may_set_password(arena: Arena, request: Request, code: str | None) -> bool:
    """Whether the first password may be set: from this machine, or with the printed code."""
    if arena.setup_code is None:
        return is_loopback(address_of(request))
    return code is not None and secrets.compare_digest(code, arena.setup_code)


def is_loopback(host: str) -> bool:
    """Whether an address is on this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in ("localhost", "testclient")
