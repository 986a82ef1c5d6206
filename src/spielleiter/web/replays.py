"""Routes of replays: upload a file, view a game turn by turn, download it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Annotated, TypeVar

from fastapi import APIRouter, Path, Query, Request, Response

from spielleiter.errors import SpielleiterError, StoreError, UsageError
from spielleiter.games import load_recorded
from spielleiter.match import Frame, GameRecord
from spielleiter.web.arena import Arena, client_of, refusal
from spielleiter.web.library import Origin, Replay, StoredFile, file_name
from spielleiter.web.models import PositionAt
from spielleiter.web.record_formats import File
from spielleiter.web.routes import ERRORS, JSON, Lang, TheArena
from spielleiter.web.uploads import LARGEST

router = APIRouter(prefix="/api/replays", tags=["replays"], responses=ERRORS)

Made = TypeVar("Made")
Name = Annotated[str, Path(max_length=120)]
TurnAt = Annotated[int, Query(ge=-1, description="-1 is the last turn.")]


@router.post(
    "",
    status_code=201,
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}},
)
async def send_replay(arena: TheArena, request: Request) -> StoredFile:
    """Send a replay, plain or gzip, as the body; it is read, checked and kept for a while."""
    if not arena.uploads.passes(client_of(request)):
        raise refusal(429, "too-often", "wait a moment before you send more files")
    data = await request.body()
    if len(data) > LARGEST:
        raise refusal(413, "too-large", f"at most {LARGEST // 1024 // 1024} MB")
    try:
        return await arena.library.keep(data)
    except StoreError as problem:
        raise refusal(503, "store", str(problem)) from problem
    except SpielleiterError as problem:
        raise refusal(422, "no-replay", str(problem)) from problem


@router.get("/{source}/{name}", response_model=Replay)
async def get_replay(
    arena: TheArena, request: Request, source: Origin, name: Name, lang: Lang = "en"
) -> Response:
    """A whole game with all its scenes."""
    record = await found(arena, source, name)
    arena.analysts.prepare()

    def made() -> bytes:
        return arena.library.replay(source, name, record, lang).model_dump_json().encode()

    key = ("replay", source, name, len(record.events), lang)
    content = await arena.files.get(key, client_of(request), made)
    return Response(content, media_type=JSON)


@router.get("/{source}/{name}/positions/{turn}")
async def get_position(
    arena: TheArena, request: Request, source: Origin, name: Name, turn: int
) -> PositionAt:
    """The text of the position after a turn, to be played on or analysed; -1 is the last turn."""
    record = await found(arena, source, name)
    async with arena.files.place(client_of(request)):
        frame, game = await _frame(arena, record, turn), record.game(load_recorded)
    over = frame.position.outcome() is not None
    return PositionAt(
        edition=game.name,
        authority=game.authority,
        turn=frame.turn.number,
        position=frame.position.text(),
        to_move=None if over else frame.position.to_move(),
    )


@router.get("/{source}/{name}/picture.svg", response_class=Response)
async def get_svg(
    arena: TheArena, request: Request, source: Origin, name: Name, turn: TurnAt = -1
) -> Response:
    """A turn as a drawing."""
    draw = arena.library.formats.svg
    record = await found(arena, source, name)
    if draw is None:
        raise refusal(404, "not-offered", "this arena draws no pictures")
    frame = await _frame(arena, record, turn)
    key = ("svg", source, name, len(record.events), frame.turn.number)
    make = lambda: draw(arena.library.scene(record, frame)).encode()  # noqa: E731
    content = await arena.files.get(key, client_of(request), make)
    return _file(record, File(f"-{frame.turn.number}.svg", content, "image/svg+xml"))


@router.get("/{source}/{name}/picture.png", response_class=Response)
async def get_png(
    arena: TheArena, request: Request, source: Origin, name: Name, turn: TurnAt = -1
) -> Response:
    """A turn as a picture."""
    draw = arena.library.formats.png
    record = await found(arena, source, name)
    if draw is None:
        raise refusal(404, "not-offered", "this arena draws no pictures")
    frame = await _frame(arena, record, turn)
    key = ("png", source, name, len(record.events), frame.turn.number)
    make = lambda: draw(arena.library.scene(record, frame))  # noqa: E731
    content = await arena.files.get(key, client_of(request), make)
    return _file(record, File(f"-{frame.turn.number}.png", content, "image/png"))


@router.get("/{source}/{name}/page.html", response_class=Response)
async def get_page(
    arena: TheArena,
    request: Request,
    source: Origin,
    name: Name,
    turn: TurnAt = 0,
    lang: Lang = "en",
) -> Response:
    """The game as one page that works without a server."""
    record = await found(arena, source, name)
    at = (await _frame(arena, record, turn)).turn.number
    key = ("page", source, name, len(record.events), at, lang)
    make = lambda: arena.library.page(source, name, record, lang, at).encode()  # noqa: E731
    content = await _offered(arena.files.get(key, client_of(request), make))
    return _file(record, File(".html", content, "text/html; charset=utf-8"))


@router.get("/{source}/{name}/replay{suffix}", response_class=Response)
async def get_file(
    arena: TheArena, request: Request, source: Origin, name: Name, suffix: str
) -> Response:
    """The record as a file."""
    record = await found(arena, source, name)
    async with arena.files.place(client_of(request)):
        file = await asyncio.to_thread(arena.library.file, source, name, record)
    if file is None or file.suffix != suffix:
        raise refusal(404, "not-offered", f"there is no replay{suffix[:20]} of this game")
    return _file(record, file)


async def found(arena: Arena, source: Origin, name: str) -> GameRecord:
    """The record at an address, or the refusal."""
    try:
        record = await arena.library.find(source, name)
    except StoreError as problem:
        raise refusal(503, "store", str(problem)) from problem
    except SpielleiterError as problem:
        raise refusal(422, "no-replay", str(problem)) from problem
    if record is None:
        raise refusal(404, "no-such-game", f"there is no {source} {name!r}")
    return record


async def _frame(arena: Arena, record: GameRecord, turn: int) -> Frame:
    return await _made(lambda: arena.library.frame(record, turn))


async def _made(make: Callable[[], Made]) -> Made:
    return await _offered(asyncio.to_thread(make))


async def _offered(making: Awaitable[Made]) -> Made:
    try:
        return await making
    except UsageError as problem:
        raise refusal(404, "not-offered", str(problem)) from problem


def _file(record: GameRecord, file: File) -> Response:
    headers = {"content-disposition": f'attachment; filename="{file_name(record, file.suffix)}"'}
    return Response(file.content, media_type=file.media_type, headers=headers)
