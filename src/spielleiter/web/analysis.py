"""Routes of analysis: an engine's evaluation of a position or a game, streamed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import StreamingResponse

from spielleiter import games
from spielleiter.errors import SpielleiterError
from spielleiter.game import Position
from spielleiter.web import models
from spielleiter.web.analysis_pool import (
    MOST_SECONDS,
    AnalysisEvent,
    AnalysisOrder,
    GameAnalysis,
    Interpret,
    LineFormatter,
    of_position,
)
from spielleiter.web.arena import Arena, client_of, refusal
from spielleiter.web.file_maker import FilesBusy
from spielleiter.web.language import translator
from spielleiter.web.library import Origin
from spielleiter.web.models import Model
from spielleiter.web.routes import ERRORS, Lang, TheArena
from spielleiter.web.serialisation import scene_of

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


First = Annotated[int, Query(ge=0, description="The turn that is looked at: it comes first.")]
_PLAYING = "people are playing this game: no engine helps before it is over"


def is_played_by_people(arena: Arena, name: str) -> bool:
    """Whether a running game has human players."""
    state = arena.recorder.live(name)
    return state is not None and "person" in state.info.kinds


def refuse_help(arena: Arena, request: Request, position: Position) -> None:
    """Refuse to analyse the current position of a running game for its players."""
    for name in arena.human_players.games_of(client_of(request)):
        state = arena.recorder.live(name)
        if state is not None and state.match.position.text() == position.text():
            raise refusal(403, "seated", _PLAYING)


class Engines(Model):
    """The engines for a game, the best first."""

    engines: tuple[str, ...]


@router.get("/engines/{edition}")
def list_engines(arena: TheArena, edition: str) -> Engines:
    """The engines for a game."""
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
    lang: Lang = "en",
) -> StreamingResponse:
    """The best lines of a position, improving while the engine searches."""
    try:
        game = games.load(edition).under(authority)
        root = game.parse(position)
        refuse_help(arena, request, root)
        if root.outcome() is not None or not len(root.legal_moves()):
            raise refusal(422, "over", "no move can be made here")
        order = AnalysisOrder(
            game, arena.analysts.chosen(root, engine), (root.text(),), seconds, lines
        )
    except SpielleiterError as problem:
        raise refusal(422, "position", str(problem)) from problem
    formatter = LineFormatter(game, translator(game, lang))
    return _streamed(arena, request, client, order, of_position(root, formatter))


class LineScenes(Model):
    """The scenes of a line, move by move."""

    scenes: tuple[models.SceneView, ...]


@router.get("/line")
def show_line(
    edition: Annotated[str, Query(max_length=60)],
    position: Annotated[str, Query(max_length=models.LONGEST_TEXT)],
    moves: Annotated[
        list[Annotated[str, Query(max_length=200)]], Query(min_length=1, max_length=40)
    ],
    authority: models.Authority = "document",
    lang: Lang = "en",
) -> LineScenes:
    """The scenes after each of these moves."""
    try:
        game = games.load(edition).under(authority)
        said, board, found = translator(game, lang), game.parse(position), []
        for text in moves:
            move = board.move(text)
            if board.why_illegal(move) is not None:
                raise refusal(422, "illegal", f"{text[:40]} cannot be played here")
            board.play(move)
            found.append(scene_of(game.scene(board, move), said))
    except (SpielleiterError, ValueError) as problem:
        raise refusal(422, "position", str(problem)) from problem
    return LineScenes(scenes=tuple(found))


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
    first: First = 0,
    lang: Lang = "en",
) -> StreamingResponse:
    """What every position of a game was worth, and which moves gave it away."""
    try:
        record = await arena.library.find(source, name)
        if record is None:
            raise refusal(404, "no-such-game", f"there is no {source} {name!r}")
        if source == "game" and is_played_by_people(arena, name):
            raise refusal(403, "seated", _PLAYING)
        game = record.game(games.load_recorded)
        async with arena.files.place(client_of(request)):
            frames = await arena.library.frames(source, name, record)
        wording = LineFormatter(game, translator(game, lang))
        formatter = GameAnalysis(frames, wording, lines, first)
        chosen = arena.analysts.chosen(frames[0].position, engine)
        places = formatter.positions
        order = AnalysisOrder(
            game, chosen, places, seconds, formatter.lines, looked_at=formatter.looked_at
        )
        if seconds * len(order.positions) > MOST_SECONDS:
            raise refusal(422, "too-long", f"at most {MOST_SECONDS:g} seconds for a whole game")
    except FilesBusy:
        raise
    except SpielleiterError as problem:
        raise refusal(422, "no-analysis", str(problem)) from problem
    return _streamed(arena, request, client, order, formatter.tell)


def _streamed(
    arena: Arena,
    request: Request,
    client: str,
    order: AnalysisOrder,
    tell: Interpret,
) -> StreamingResponse:
    events = arena.analysts.events(f"{client_of(request)} {client}", order, tell)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(_events(events), media_type="text/event-stream", headers=headers)


async def _events(events: AsyncIterator[AnalysisEvent]) -> AsyncIterator[str]:
    async for event in events:
        yield f"event: {event.kind}\ndata: {event.model_dump_json()}\n\n"
