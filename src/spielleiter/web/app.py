"""The application: routes, pages and what stands before them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import FileResponse, JSONResponse
from pydantic.json_schema import models_json_schema

from spielleiter.web import analysis, contests, live, models, replays, routes
from spielleiter.web.analysis_pool import AnalysisMessage
from spielleiter.web.arena import Arena
from spielleiter.web.contest_reader import ContestProgress
from spielleiter.web.request_filter import RequestFilter

_NOT_BUILT = """<!doctype html><title>Spielleiter</title>
<p>The pages of the arena have not been built: run <code>make</code>. The API is there:
<a href="/api/openapi.json">/api/openapi.json</a>."""
_SPOKEN = (models.FeedMessage, models.SeatSays, models.PersonSays, AnalysisMessage, ContestProgress)
"""What is said in streams, which a description of requests does not know."""
ROUTERS = (
    routes.router,
    live.router,
    replays.router,
    analysis.router,
    contests.router,
)
_WORTH_IT = 1_000
"""Bytes from which on an answer is compressed."""
_FOR_EVER = "public, max-age=31536000, immutable"


def create_app(arena: Arena) -> FastAPI:
    """The whole web side of an arena."""
    app = _described()
    app.state.arena = arena
    arena.recorder.downloads = lambda state: routes.offered(arena, state)
    arena.recorder.subscribe(arena.human_players.on_event)
    arena.recorder.subscribe(arena.openings.on_event)
    _add_pages(app, arena.pages)
    app.add_middleware(GZipMiddleware, minimum_size=_WORTH_IT, compresslevel=6)  # feeds excepted
    app.add_middleware(
        RequestFilter, hosts=arena.hosts, body=arena.bounds.body, upload=arena.bounds.upload
    )
    return app


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
    _describe_streams(app)
    return app


def _describe_streams(app: FastAPI) -> None:
    """Add what is said in streams to the description."""
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
    detail = {"code": "invalid", "message": f"{place}: {first['msg']}"}
    return JSONResponse({"detail": detail}, 422)


# ------------------------------------------------------------------------------------------- pages


def _add_pages(app: FastAPI, folder: Path) -> None:
    """Every address that is not of the API is a page of the viewer, which finds its own way."""

    @app.get("/{path:path}", include_in_schema=False)
    async def page(path: str) -> Response:
        if path.startswith("api/"):
            detail = {"code": "no-such-address", "message": f"there is no /{path}"}
            return JSONResponse({"detail": detail}, 404)
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
    file = (folder / path).resolve()
    return file if file.is_relative_to(folder.resolve()) and file.is_file() else None
