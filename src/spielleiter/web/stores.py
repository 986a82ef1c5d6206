"""Routes of the stores of matches and contests: their games, filtered as `records` does."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Request

from spielleiter.errors import SpielleiterError
from spielleiter.tournament.recorded_game import RecordFilter
from spielleiter.web.arena import client_of, refusal
from spielleiter.web.match_stores import MatchStore, StoredGame
from spielleiter.web.models import Model
from spielleiter.web.routes import ERRORS, TheArena

router = APIRouter(prefix="/api/stores", tags=["stores"], responses=ERRORS)

PAGE = 100
"""Games in one answer."""
Word = Annotated[str | None, Query(max_length=200)]


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
    """A page of the games that are wanted."""

    title: str
    players: tuple[str, ...]
    """Everybody who played in any game of the store."""
    found: int
    """How many games are wanted in all."""
    games: tuple[StoredGameView, ...]


@router.get("")
async def list_stores(arena: TheArena) -> tuple[StoreSummary, ...]:
    """The stores that the arena was opened with."""
    return tuple(StoreSummary(id=name, title=each.title) for name, each in arena.stores.all.items())


@router.get("/{store}")
async def list_stored_games(
    arena: TheArena,
    request: Request,
    store: str,
    player: Word = None,
    opponent: Word = None,
    seat: Annotated[int | None, Query(ge=1, le=16, description="From 1.")] = None,
    result: Literal["won", "drawn", "lost"] | None = None,
    fault: Word = None,
    opening: Word = None,
    reason: Word = None,
    first: Annotated[int, Query(ge=0, le=2**53)] = 0,
) -> StoreGames:
    """Games of a store, from the `first` of those that are wanted on."""
    found = arena.stores.all.get(store)
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
