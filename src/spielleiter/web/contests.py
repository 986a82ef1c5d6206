"""Routes of contests: open to everybody."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from spielleiter.errors import SpielleiterError, StoreError
from spielleiter.match import GameRecord
from spielleiter.web.arena import Arena, client_of, is_organiser, refusal
from spielleiter.web.contest_reader import (
    Contest,
    ContestReader,
    ContestSummary,
    GameLog,
    MeetingGames,
    log_of,
)
from spielleiter.web.game_archives import MOST_GAMES, archive, zip_answer
from spielleiter.web.game_filter import GameFilter, Word
from spielleiter.web.routes import ERRORS, Lang, TheArena
from spielleiter.web.stores import StoreGames, page_of_games, read_store

EVERY = 1.0
"""Seconds between two checks of a watched contest."""

Number = Annotated[int, Path(ge=0, le=2**53)]

router = APIRouter(prefix="/api/contests", tags=["contests"], responses=ERRORS)


@router.get("")
async def list_contests(arena: TheArena, lang: Lang = "en") -> tuple[ContestSummary, ...]:
    """All contests of this arena."""
    return tuple(await asyncio.to_thread(arena.contests.all, lang))


@router.get("/{contest}")
async def get_contest(arena: TheArena, contest: str, lang: Lang = "en") -> Contest:
    """A contest as it stands now."""
    return await _read(partial(_found(arena, contest).view, lang))


@router.get("/{contest}/meeting")
async def get_meeting(arena: TheArena, request: Request, contest: str, key: str) -> MeetingGames:
    """The games of one meeting."""
    followed = _found(arena, contest)
    async with arena.files.place(client_of(request)):
        found = await asyncio.to_thread(followed.meeting, key)
    if found is None:
        raise refusal(404, "no-such-meeting", f"there is no meeting {key[:80]!r}")
    return found


@router.get("/{contest}/games")
async def list_contest_games(
    arena: TheArena,
    request: Request,
    contest: str,
    wanted: Annotated[GameFilter, Depends()],
    player: Word = None,
    first: Annotated[int, Query(ge=0, le=2**53)] = 0,
    lang: Lang = "en",
) -> StoreGames:
    """Games of a contest or season that were played, from the `first` wanted one on."""
    followed = _found(arena, contest)
    chosen = wanted.of(player)

    def listed() -> StoreGames:
        title, games = followed.games()
        return page_of_games(title, contest, games, chosen, first, lang)

    return await read_store(arena, request, listed)


@router.get("/{contest}/games.zip", response_class=Response)
async def download_contest_games(
    arena: TheArena,
    request: Request,
    contest: str,
    wanted: Annotated[GameFilter, Depends()],
    player: Word = None,
    first: Annotated[int, Query(ge=0, le=2**53)] = 0,
) -> Response:
    """The replay files of up to 100 matching games of a contest, from the `first` on."""
    followed = _found(arena, contest)
    chosen = wanted.of(player)

    def record(number: int) -> GameRecord | None:
        entry = followed.entry(number)
        return None if entry is None else entry.record

    def packed() -> bytes:
        games = [game for game in followed.games()[1] if chosen.takes(game)]
        some = ((game.key, record(game.number)) for game in games[first : first + MOST_GAMES])
        return archive(some, arena.library.formats.write)

    return zip_answer(await read_store(arena, request, packed), contest)


@router.get("/{contest}/games/{number}/log")
async def get_log(arena: TheArena, request: Request, contest: str, number: Number) -> GameLog:
    """Faults of a game, and the players' output for the organiser."""
    followed = _found(arena, contest)
    async with arena.files.place(client_of(request)):
        entry = await asyncio.to_thread(followed.entry, number)
    if entry is None:
        raise refusal(404, "no-such-game", f"there is no game {number}")
    return log_of(entry, for_organiser=is_organiser(request))


@router.get(
    "/{contest}/feed",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events `progress`, each a `Progress`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def follow_contest(arena: TheArena, contest: str, request: Request) -> StreamingResponse:
    """A stream of the contest's progress."""
    stream = _progress(_found(arena, contest), request)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


def _found(arena: Arena, name: str) -> ContestReader:
    followed = arena.contests.find(name)
    if followed is None:
        raise refusal(404, "no-such-contest", f"there is no contest {name[:80]!r}")
    return followed


async def _read(view: Callable[[], Contest]) -> Contest:
    try:
        return await asyncio.to_thread(view)
    except StoreError as problem:
        raise refusal(503, "store", str(problem)) from problem
    except SpielleiterError as problem:
        raise refusal(409, "contest", str(problem)) from problem


async def _progress(followed: ContestReader, request: Request) -> AsyncIterator[str]:
    """Progress events and heartbeats."""
    seen, silent = -1, 0
    while not await request.is_disconnected():
        try:
            progress = await asyncio.to_thread(followed.progress)
        except SpielleiterError:  # the store is away: whoever watches comes again
            return
        if progress.version != seen:
            seen, silent = progress.version, 0
            yield f"id: {seen}\nevent: progress\ndata: {progress.model_dump_json()}\n\n"
        elif (silent := silent + 1) % 15 == 0:
            yield ": still here\n\n"
        await asyncio.sleep(EVERY)
