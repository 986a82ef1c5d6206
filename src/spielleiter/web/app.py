"""The web application: routes, pages and middleware."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import FileResponse, JSONResponse
from pydantic.json_schema import models_json_schema
from starlette.exceptions import HTTPException

from spielleiter.errors import SpielleiterError, StoreError
from spielleiter.match import Event
from spielleiter.web import (
    analysis,
    bot_annotations,
    bots,
    contests,
    explorer,
    friendlies,
    ladder,
    live,
    metrics,
    models,
    people,
    replays,
    reviews,
    routes,
    seasons,
    stages,
    starts,
    stores,
    teams,
)
from spielleiter.web.analysis_pool import AnalysisMessage
from spielleiter.web.arena import Arena
from spielleiter.web.caller import status_of
from spielleiter.web.contest_reader import ContestProgress
from spielleiter.web.file_maker import FilesBusy, FilesClosed
from spielleiter.web.game_state import GameState
from spielleiter.web.request_filter import RequestFilter, error_body
from spielleiter.web.running_stages import StageView
from spielleiter.web.uploaded_stores import LARGEST

_NOT_BUILT = """<!doctype html><title>Spielleiter</title>
<p>The pages of the arena have not been built: run <code>make</code>. The API is there:
<a href="/api/openapi.json">/api/openapi.json</a>."""
_SPOKEN = (
    models.FeedMessage,
    models.SeatMessage,
    models.PersonMessage,
    AnalysisMessage,
    ContestProgress,
    StageView,
)
"""Messages in streams, which OpenAPI does not cover by itself."""
ROUTERS = (
    routes.router,
    live.router,
    replays.router,
    bot_annotations.router,
    analysis.router,
    reviews.router,
    contests.router,
    stages.router,
    stores.router,
    explorer.router,
    people.router,
    teams.router,
    bots.router,
    starts.router,
    ladder.router,
    friendlies.router,
    seasons.router,
)
_CODES = {404: "no-such-address", 405: "no-such-method"}
_WORTH_IT = 1_000
"""Answers from this size on are compressed."""
_FOR_EVER = "public, max-age=31536000, immutable"


def create_app(arena: Arena) -> FastAPI:
    """The whole web side of an arena."""
    app = _described()
    app.state.arena, app.state.metrics = arena, metrics.ArenaMetrics()
    arena.recorder.downloads = lambda state: routes.offered(arena, state)
    arena.recorder.subscribe(arena.human_players.on_event)
    arena.recorder.subscribe(arena.game_orders.on_event)
    arena.recorder.subscribe(lambda state, event: _settle(arena, state, event))
    app.include_router(metrics.router)
    _add_pages(app, arena.pages)
    app.add_middleware(GZipMiddleware, minimum_size=_WORTH_IT, compresslevel=6)  # feeds excepted
    app.add_middleware(
        RequestFilter,
        hosts=arena.hosts,
        body=arena.bounds.body,
        upload=arena.bounds.upload,
        streamed=0 if arena.accounts is None else arena.accounts.files.largest,
        stores=0 if arena.uploaded_stores is None else LARGEST,
        quota=arena.quota,
        proxies=arena.proxies,
    )
    app.add_middleware(metrics.RequestMeter, requests=app.state.metrics.requests)
    return app


def _settle(arena: Arena, state: GameState, event: Event) -> None:
    """End pending take-back requests after a move."""
    if arena.take_backs.on_event(state, event):
        arena.human_players.tell(state.id, models.TakeBackOver(refused=False))


def schema() -> str:
    """The description of the API: what the viewer's types are generated from."""
    return json.dumps(_described().openapi(), indent=1, ensure_ascii=False) + "\n"


def _described() -> FastAPI:
    app = FastAPI(
        title="Spielleiter arena",
        version="1",
        description="Games that are played here: watch them, order them, play them.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # the usual pages load their scripts from elsewhere
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,
    )
    for router in ROUTERS:
        app.include_router(router)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(SpielleiterError, _failed)
    app.add_exception_handler(Exception, _broken)
    _describe_streams(app)
    return app


def _describe_streams(app: FastAPI) -> None:
    """Add messages of streams to the description."""
    plain = app.openapi

    def whole() -> dict[str, Any]:
        if app.openapi_schema is None:
            described = plain()
            _, spoken = models_json_schema(
                [(model, "serialization") for model in _SPOKEN],
                ref_template="#/components/schemas/{model}",
            )
            known = described["components"]["schemas"]
            for name, each in spoken["$defs"].items():
                known.setdefault(name, each)
            app.openapi_schema = described
        return app.openapi_schema

    app.openapi = whole  # type: ignore[method-assign]


async def _invalid(request: Request, problem: Exception) -> Response:
    assert isinstance(problem, RequestValidationError)
    first = problem.errors()[0]
    place = ".".join(map(str, first["loc"]))
    return _error(422, "invalid", f"{place}: {first['msg']}")


async def _refused(request: Request, problem: Exception) -> Response:
    """Format refusals; those of the framework get a code."""
    assert isinstance(problem, HTTPException)
    if isinstance(problem.detail, dict):
        return JSONResponse({"detail": problem.detail}, problem.status_code, problem.headers)
    code = _CODES.get(problem.status_code, "refused")
    return _error(problem.status_code, code, str(problem.detail), problem.headers)


async def _failed(request: Request, problem: Exception) -> Response:
    """Format our own errors that no route handled."""
    if isinstance(problem, StoreError):
        return _error(503, "store", str(problem))
    if isinstance(problem, FilesBusy):
        return _error(503, "busy", str(problem))
    if isinstance(problem, FilesClosed):
        return _error(503, "closing", str(problem))
    assert isinstance(problem, SpielleiterError)
    status, code = status_of(problem) or (422, "refused")
    return _error(status, code, str(problem))


async def _broken(request: Request, problem: Exception) -> Response:
    """Log an internal error; the visitor gets no details."""
    return _error(500, "broken", "something went wrong here: it is in the log")


def _error(
    status: int, code: str, message: str, headers: Mapping[str, str] | None = None
) -> Response:
    return Response(error_body(code, message), status, headers, "application/json")


# ------------------------------------------------------------------------------------------- pages


def _add_pages(app: FastAPI, folder: Path) -> None:
    """Serve the viewer for every address outside the API; it has its own router."""

    @app.get("/{path:path}", include_in_schema=False)
    async def page(path: str) -> Response:
        if path.startswith("api/"):
            return _error(404, "no-such-address", f"there is no /{path[:80]}")
        file = _inside(folder, path)
        if file is not None:
            cached = _FOR_EVER if path.startswith("assets/") else "no-cache"
            return FileResponse(file, headers={"cache-control": cached})
        index = folder / "index.html"
        if not index.is_file():
            return Response(_NOT_BUILT, 503, media_type="text/html")
        return FileResponse(index, headers={"cache-control": "no-cache"})


def _inside(folder: Path, path: str) -> Path | None:
    """The file of that path, if it is one of the viewer's."""
    if not path or "\x00" in path or "\\" in path:
        return None
    try:
        file = (folder / path).resolve()
        return file if file.is_relative_to(folder.resolve()) and file.is_file() else None
    except (OSError, ValueError):  # no name of a file: too long, or odd characters
        return None
