"""Routes of the stores of matches and contests: their games, filtered as `records` does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, TypeVar

from fastapi import APIRouter, Depends, Query, Request, Response

from spielleiter.errors import SpielleiterError, StoreError, TextError
from spielleiter.tournament.recorded_game import RecordFilter
from spielleiter.web.arena import Arena, client_of, refusal
from spielleiter.web.game_archives import MOST_GAMES, archive, zip_answer
from spielleiter.web.game_filter import EndReason, GameFilter, Word, reason_in
from spielleiter.web.match_stores import MatchStore, StoredGame
from spielleiter.web.models import Model
from spielleiter.web.routes import ERRORS, Lang, TheArena
from spielleiter.web.uploaded_stores import StoreTooLarge, UploadedStores

router = APIRouter(prefix="/api/stores", tags=["stores"], responses=ERRORS)

Made = TypeVar("Made")
PAGE = 100
"""Games in one answer."""
_PATIENCE = 120.0
"""Seconds that an upload may take."""


class StoreSummary(Model):
    """A line of the list of stores."""

    id: str
    title: str


class StoredGameView(Model):
    """A game of a store or contest; its page is that of the source `store` or `contest`."""

    id: str
    key: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    """In the reader's language."""
    faults: tuple[str | None, ...]
    opening: str


class StoreGames(Model):
    """A page of the matching games."""

    title: str
    players: tuple[str, ...]
    """Everybody who played in any game of the store."""
    reasons: tuple[EndReason, ...]
    """By which rules they ended."""
    found: int
    """The total number of matching games."""
    games: tuple[StoredGameView, ...]


@router.get("")
async def list_stores(arena: TheArena) -> tuple[StoreSummary, ...]:
    """The stores that the arena was opened with."""
    return tuple(StoreSummary(id=name, title=each.title) for name, each in arena.stores.all.items())


@router.post(
    "",
    status_code=201,
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}},
)
async def send_store(
    arena: TheArena,
    request: Request,
    name: Annotated[str, Query(max_length=200, description="The file's name.")] = "",
) -> StoreSummary:
    """Send the store of a match or contest as the body; its games are kept for a while.

    It appears in no list; its id is derived from its content.
    """
    if arena.uploaded_stores is None:
        raise refusal(503, "no-stores", "this arena takes no stores")
    if not arena.store_uploads.passes(client_of(request)):
        raise refusal(429, "too-often", "wait a moment before you send more files")
    sent = await _received(arena.uploaded_stores, request)
    try:
        async with arena.reviews.place(client_of(request)):
            found = await asyncio.to_thread(arena.uploaded_stores.keep, sent, name)
    except TextError as problem:
        raise refusal(422, "no-store", str(problem)) from problem
    except StoreError as problem:
        raise refusal(503, "store", str(problem)) from problem
    finally:
        sent.unlink(missing_ok=True)
    return StoreSummary(id=found, title=name)


async def _received(stores: UploadedStores, request: Request) -> Path:
    try:
        async with asyncio.timeout(_PATIENCE):
            return await stores.receive(request.stream())
    except TimeoutError:
        raise refusal(408, "too-slow", "the body did not come") from None
    except StoreTooLarge as problem:
        raise refusal(413, "too-large", str(problem)) from problem


@router.get("/{store}")
async def list_stored_games(
    arena: TheArena,
    request: Request,
    store: str,
    wanted: Annotated[GameFilter, Depends()],
    player: Word = None,
    first: Annotated[int, Query(ge=0, le=2**53)] = 0,
    lang: Lang = "en",
) -> StoreGames:
    """Matching games of a store, from the `first` on."""
    found, chosen = _found(arena, store), wanted.of(player)

    def listed() -> StoreGames:
        return page_of_games(found.title, store, found.games(), chosen, first, lang)

    return await read_store(arena, request, listed)


@router.get("/{store}/games.zip", response_class=Response)
async def download_stored_games(
    arena: TheArena,
    request: Request,
    store: str,
    wanted: Annotated[GameFilter, Depends()],
    player: Word = None,
    first: Annotated[int, Query(ge=0, le=2**53)] = 0,
) -> Response:
    """The replay files of up to 100 matching games, from the `first` on."""
    found, chosen = _found(arena, store), wanted.of(player)

    def packed() -> bytes:
        games = found.games(chosen)[first : first + MOST_GAMES]
        records = ((game.key, found.record(game.number)) for game in games)
        return archive(records, arena.library.formats.write)

    return zip_answer(await read_store(arena, request, packed), found.title)


def _found(arena: Arena, name: str) -> MatchStore:
    store = arena.stores.get(name)
    if store is None:
        raise refusal(404, "no-such-store", f"there is no store {name[:80]!r}")
    return store


async def read_store(arena: Arena, request: Request, read: Callable[[], Made]) -> Made:
    """What is read from a store in another thread, in this visitor's turn."""
    async with arena.files.place(client_of(request)):
        try:
            return await asyncio.to_thread(read)
        except SpielleiterError as problem:
            raise refusal(503, "store", str(problem)) from problem


def page_of_games(
    title: str, name: str, games: Sequence[StoredGame], wanted: RecordFilter, first: int, lang: str
) -> StoreGames:
    """A page of the games of a list; `name` is that of the list in addresses."""
    chosen = [game for game in games if wanted.takes(game)]
    reasons = {
        game.outcome.reason: game.edition
        for game in games
        if game.outcome is not None and game.outcome.reason
    }
    return StoreGames(
        title=title,
        players=tuple(sorted({player for game in games for player in game.players})),
        reasons=tuple(
            EndReason(id=reason, text=reason_in(edition, reason, lang))
            for reason, edition in sorted(reasons.items())
        ),
        found=len(chosen),
        games=tuple(_view(name, game, lang) for game in chosen[first : first + PAGE]),
    )


def _view(store: str, game: StoredGame, lang: str) -> StoredGameView:
    outcome = game.outcome
    return StoredGameView(
        id=f"{store}~{game.number}",
        key=game.key,
        players=game.players,
        ranks=() if outcome is None else outcome.ranks,
        scores=() if outcome is None else outcome.scores,
        reason="" if outcome is None else reason_in(game.edition, outcome.reason, lang),
        faults=game.faults,
        opening=game.opening,
    )
