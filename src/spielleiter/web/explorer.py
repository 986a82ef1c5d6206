"""Routes of the explorer: moves played from a position, with frequencies and results."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from spielleiter import games
from spielleiter.errors import SpielleiterError, TextError, UsageError
from spielleiter.explorer import PlayedMove
from spielleiter.game import Game, Position
from spielleiter.review import Evaluator
from spielleiter.review.evaluator import engines, usual_nodes
from spielleiter.web.arena import Arena, client_of, refusal
from spielleiter.web.game_explorer import ExplorableGame, Explored, GameExplorer
from spielleiter.web.library import Origin
from spielleiter.web.match_stores import MatchStore
from spielleiter.web.models import Model
from spielleiter.web.recorder import GameRecorder
from spielleiter.web.routes import ERRORS, TheArena

router = APIRouter(prefix="/api/explorer", tags=["explorer"], responses=ERRORS)

_PART = 10
"""Divisor of a review's nodes."""
_OWN_GAMES = 2_000
"""How many of the arena's newest games are explored."""
_OWN = "games"
Filter = Annotated[str | None, Query(max_length=200)]
Place = Annotated[str | None, Query(max_length=4_000)]


class ExploredMove(Model):
    """A move that was played, with all symmetric ones."""

    moves: tuple[str, ...]
    games: int
    share: float
    """The mover's share of first ranks, from 0 to 1."""
    chance: float | None
    """The engine's chance; None: not evaluated."""
    position: str
    """Where it leads."""


class ExploredGame(Model):
    """A game with this position."""

    source: Origin
    id: str


class ExploredPosition(Model):
    """The moves and games of a position."""

    title: str
    edition: str
    editions: tuple[str, ...]
    """Of the games that were read."""
    players: tuple[str, ...]
    position: str
    start: str
    """Where most games of the edition begin."""
    seat: int | None
    moves: tuple[ExploredMove, ...]
    games: tuple[ExploredGame, ...]
    read: int
    """How many games were read so far; ask again while there are more."""
    total: int


@router.get("")
async def explore(
    arena: TheArena,
    request: Request,
    store: Filter = None,
    edition: Filter = None,
    position: Place = None,
    player: Filter = None,
) -> ExploredPosition:
    """The moves played from a position in a store's games or the arena's own."""
    title, known = await _known(arena, store)
    source = _OWN if store is None else f"store {store}"
    async with arena.files.place(client_of(request)):
        try:
            return await asyncio.to_thread(
                _explored, arena.explorer, source, title, known, edition, position, player
            )
        except (TextError, UsageError) as problem:
            raise refusal(422, "no-position", str(problem)) from problem
        except SpielleiterError as problem:
            raise refusal(503, "store", str(problem)) from problem


@router.get("/picture.svg", response_class=Response)
async def get_picture(
    arena: TheArena,
    request: Request,
    edition: Annotated[str, Query(max_length=200)],
    position: Annotated[str, Query(max_length=4_000)],
) -> Response:
    """A position, drawn."""
    draw = arena.library.formats.svg
    if draw is None:
        raise refusal(404, "not-offered", "pictures are not drawn here")
    try:
        game = games.load(edition)
        scene = game.scene(game.parse(position), None)
    except (TextError, UsageError) as problem:
        raise refusal(422, "no-position", str(problem)) from problem
    key = ("explored", edition, position)
    content = await arena.files.get(key, client_of(request), lambda: draw(scene).encode())
    return Response(content, media_type="image/svg+xml")


async def _known(arena: Arena, store: str | None) -> tuple[str, list[ExplorableGame]]:
    """The title and the games of a source; each game is read only when its turn comes."""
    if store is not None:
        found = arena.stores.get(store)
        if found is None:
            raise refusal(404, "no-such-store", f"there is no store {store[:80]!r}")
        return found.title, await asyncio.to_thread(_stored, store, found)
    return "", _own(arena.recorder)


def _own(recorder: GameRecorder) -> list[ExplorableGame]:
    return [
        ExplorableGame(f"game/{name}", players, partial(recorder.finished_record, name))
        for name, players in recorder.finished(_OWN_GAMES)
    ]


def _stored(name: str, store: MatchStore) -> list[ExplorableGame]:
    return [
        ExplorableGame(
            f"store/{name}~{each.number}",
            each.players,
            partial(store.record, each.number),
        )
        for each in store.games()
    ]


def _explored(
    explorer: GameExplorer,
    source: str,
    title: str,
    known: Sequence[ExplorableGame],
    edition: str | None,
    text: str | None,
    player: str | None,
) -> ExploredPosition:
    starts = explorer.read(source, known)
    chosen = edition or max(starts, key=lambda each: starts[each].total(), default=_newest())
    game = games.load(chosen)
    start = starts[chosen].most_common(1)[0][0] if chosen in starts else game.start(0).text()
    position = game.parse(text or start)
    found = explorer.answer(source, position, player)
    return ExploredPosition(
        title=title,
        edition=chosen,
        editions=tuple(sorted(starts)),
        players=tuple(sorted({name for each in known for name in each.players})),
        position=position.text(),
        start=start,
        seat=None if position.outcome() is not None else position.to_move(),
        moves=_moves(position, found, _chances(position, game)),
        games=tuple(_game(name) for name in found.games),
        read=found.read,
        total=len(known),
    )


def _newest() -> str:
    """The default edition, if nothing was played yet."""
    return games.names()[-1]


def _moves(
    position: Position, found: Explored, chances: dict[str, float]
) -> tuple[ExploredMove, ...]:
    return tuple(_move(position, each, chances) for each in found.moves)


def _move(position: Position, played: PlayedMove, chances: dict[str, float]) -> ExploredMove:
    texts = tuple(move.text() for move in played.moves)
    return ExploredMove(
        moves=texts,
        games=played.games,
        share=round(played.share, 4),
        chance=next((chances[text] for text in texts if text in chances), None),
        position=position.after(played.moves[0]).text(),
    )


def _chances(position: Position, game: Game) -> dict[str, float]:
    """The engine's chance of every move."""
    if not engines(position) or position.outcome() is not None:
        return {}
    lines = len(position.legal_moves())
    evaluator = Evaluator(position, game, max(usual_nodes(position, game, _PART), lines))
    values = evaluator.lines(position, lines)
    return {each.best.text(): round(each.chance, 4) for each in values if each.best}


def _game(name: str) -> ExploredGame:
    source, _, number = name.partition("/")
    return ExploredGame(source="store" if source == "store" else "game", id=number)
