"""Routes of the stages of contests: everybody watches, organisers may be hosts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from spielleiter.errors import UsageError
from spielleiter.web.arena import Arena, refusal
from spielleiter.web.routes import ERRORS, Lang, Organiser, TheArena
from spielleiter.web.running_stages import HostOrder, RunningStage, StartOrder

router = APIRouter(prefix="/api/contests/{contest}/stage", tags=["contests"], responses=ERRORS)


@router.get(
    "",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events `stage`, each a `StageView`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        }
    },
)
async def follow_stage(arena: TheArena, contest: str, lang: Lang = "en") -> StreamingResponse:
    """A stream of the game on stage, the same for everybody."""
    if arena.recorder.spectators + arena.stages.spectators >= arena.bounds.spectators:
        raise refusal(503, "too-many-spectators", "too many watch already")
    stream = _found(arena, contest).feed.listen(lang, None)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(stream, media_type="text/event-stream", headers=headers)


@router.post("/host", status_code=204, dependencies=[Organiser])
async def host_stage(arena: TheArena, contest: str, order: HostOrder) -> None:
    """Take over as host, or leave: results are hidden until their games were shown."""
    found = _found(arena, contest)
    await asyncio.to_thread(found.stage.host, order.hosted)
    found.publish()


@router.post("/start", status_code=204, dependencies=[Organiser])
async def start_on_stage(arena: TheArena, contest: str, order: StartOrder) -> None:
    """Start a game as host: a countdown, then move after move."""
    found = _found(arena, contest)
    await _do(lambda: found.stage.start(order.key, time.monotonic()))
    found.publish()


@router.post("/skip", status_code=204, dependencies=[Organiser])
async def skip_on_stage(arena: TheArena, contest: str) -> None:
    """Skip to the end of the game as host."""
    found = _found(arena, contest)
    await _do(lambda: found.stage.skip(time.monotonic()))
    found.publish()


async def _do(what: Callable[[], None]) -> None:
    try:
        await asyncio.to_thread(what)
    except UsageError as problem:
        raise refusal(409, "stage", str(problem)) from problem


def _found(arena: Arena, name: str) -> RunningStage:
    found = arena.stages.of(name)
    if found is None:
        raise refusal(404, "no-such-contest", f"there is no contest {name[:80]!r}")
    return found
