"""Routes of analysis: what an engine thinks of a position or of a whole game, as it thinks."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import StreamingResponse

from spielleiter import games
from spielleiter.errors import SpielleiterError
from spielleiter.web import models
from spielleiter.web.analysis_pool import (
    MOST_SECONDS,
    AnalysisOrder,
    GameAnalysis,
    Word,
    of_position,
)
from spielleiter.web.arena import Arena, client_of, refusal
from spielleiter.web.library import Origin
from spielleiter.web.models import Model
from spielleiter.web.routes import ERRORS, TheArena

router = APIRouter(prefix="/api/analysis", tags=["analysis"], responses=ERRORS)

_STREAM: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events; the data of each is an `AnalysisMessage`'s `message`.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
Seconds = Annotated[float, Query(gt=0, le=30, description="For each position.")]
Lines = Annotated[int, Query(ge=1, le=20)]
Engine = Annotated[str | None, Query(max_length=40)]
Client = Annotated[
    str, Query(max_length=40, description="Who asks: a later analysis of the same ends this one.")
]


class Engines(Model):
    """What a game can be analysed with, the best first."""

    engines: tuple[str, ...]


@router.get("/engines/{edition}")
def list_engines(arena: TheArena, edition: str) -> Engines:
    """What a game can be analysed with."""
    try:
        return Engines(engines=arena.analysts.engines(games.load(edition).start()))
    except SpielleiterError as problem:
        raise refusal(404, "no-such-edition", str(problem)) from problem


@router.get("/position", response_class=StreamingResponse, responses=_STREAM)
async def analyse_position(
    arena: TheArena,
    request: Request,
    edition: Annotated[str, Query(max_length=60)],
    position: Annotated[str, Query(max_length=models.LONGEST_TEXT)],
    authority: models.Authority = "document",
    engine: Engine = None,
    seconds: Seconds = 5.0,
    lines: Lines = 3,
    client: Client = "",
) -> StreamingResponse:
    """The best lines of a position, better and better."""
    try:
        game = games.load(edition).under(authority)
        root = game.parse(position)
        if root.outcome() is not None or not len(root.legal_moves()):
            raise refusal(422, "over", "no move can be made here")
        order = AnalysisOrder(
            game, arena.analysts.chosen(root, engine), (root.text(),), seconds, lines
        )
    except SpielleiterError as problem:
        raise refusal(422, "position", str(problem)) from problem
    return _streamed(arena, request, client, order, of_position(root))


@router.get("/{source}/{name}", response_class=StreamingResponse, responses=_STREAM)
async def analyse_game(
    arena: TheArena,
    request: Request,
    source: Origin,
    name: Annotated[str, Path(max_length=120)],
    engine: Engine = None,
    seconds: Seconds = 0.3,
    lines: Lines = 3,
    client: Client = "",
) -> StreamingResponse:
    """What every position of a game was worth, and which moves gave it away."""
    try:
        record = await arena.library.find(source, name)
        if record is None:
            raise refusal(404, "no-such-game", f"there is no {source} {name!r}")
        game = record.game(games.load_recorded)
        frames = await asyncio.to_thread(lambda: list(record.frames(game)))
        teller = GameAnalysis(frames, lines)
        chosen = arena.analysts.chosen(frames[0].position, engine)
        order = AnalysisOrder(game, chosen, teller.positions, seconds, teller.lines)
        if seconds * len(order.positions) > MOST_SECONDS:
            raise refusal(422, "too-long", f"at most {MOST_SECONDS:g} seconds for a whole game")
    except SpielleiterError as problem:
        raise refusal(422, "no-analysis", str(problem)) from problem
    return _streamed(arena, request, client, order, teller.tell)


def _streamed(
    arena: Arena,
    request: Request,
    client: str,
    order: AnalysisOrder,
    tell: Callable[[dict[str, Any]], Iterator[Word]],
) -> StreamingResponse:
    words = arena.analysts.words(f"{client_of(request)} {client}", order, tell)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_events(words), media_type="text/event-stream", headers=headers)


async def _events(words: AsyncIterator[Word]) -> AsyncIterator[str]:
    async for word in words:
        yield f"event: {word.kind}\ndata: {word.model_dump_json()}\n\n"
