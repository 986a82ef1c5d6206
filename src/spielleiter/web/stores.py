"""Routes of the stores of matches and contests: their games, filtered as `records` does."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request

from spielleiter.errors import SpielleiterError, StoreError, TextError
from spielleiter.tournament.recorded_game import RecordFilter
from spielleiter.web.arena import client_of, refusal
from spielleiter.web.match_stores import MatchStore, StoredGame
from spielleiter.web.models import Model
from spielleiter.web.routes import ERRORS, TheArena
from spielleiter.web.uploaded_stores import StoreTooLarge, UploadedStores

router = APIRouter(prefix="/api/stores", tags=["stores"], responses=ERRORS)

PAGE = 100
"""Games in one answer."""
_PATIENCE = 120.0
"""Seconds that an upload may take."""
Filter = Annotated[str | None, Query(max_length=200)]


class StoreSummary(Model):
    """A line of the list of stores."""

    id: str
    title: str


class StoredGameView(Model):
    """A game of a store; its page is that of the source `store`."""

    id: str
    key: str
    players: tuple[str, ...]
    ranks: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    faults: tuple[str | None, ...]
    opening: str


class StoreGames(Model):
    """A page of the matching games."""

    title: str
    players: tuple[str, ...]
    """Everybody who played in any game of the store."""
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
    player: Filter = None,
    opponent: Filter = None,
    seat: Annotated[int | None, Query(ge=1, le=16, description="From 1.")] = None,
    result: Literal["won", "drawn", "lost"] | None = None,
    fault: Filter = None,
    opening: Filter = None,
    reason: Filter = None,
    first: Annotated[int, Query(ge=0, le=2**53)] = 0,
) -> StoreGames:
    """Matching games of a store, from the `first` on."""
    found = arena.stores.get(store)
    if found is None:
        raise refusal(404, "no-such-store", f"there is no store {store[:80]!r}")
    wanted = RecordFilter(
        player=player,
        opponent=opponent,
        seat=None if seat is None else seat - 1,
        result=result,
        fault=fault,
        opening=opening,
        reason=reason,
    )
    async with arena.files.place(client_of(request)):
        try:
            return await asyncio.to_thread(_page, store, found, wanted, first)
        except SpielleiterError as problem:
            raise refusal(503, "store", str(problem)) from problem


def _page(name: str, store: MatchStore, wanted: RecordFilter, first: int) -> StoreGames:
    everybody = {player for game in store.games() for player in game.players}
    chosen = store.games(wanted)
    return StoreGames(
        title=store.title,
        players=tuple(sorted(everybody)),
        found=len(chosen),
        games=tuple(_view(name, game) for game in chosen[first : first + PAGE]),
    )


def _view(store: str, game: StoredGame) -> StoredGameView:
    outcome = game.outcome
    return StoredGameView(
        id=f"{store}~{game.number}",
        key=game.key,
        players=game.players,
        ranks=() if outcome is None else outcome.ranks,
        scores=() if outcome is None else outcome.scores,
        reason="" if outcome is None else outcome.reason,
        faults=game.faults,
        opening=game.opening,
    )
