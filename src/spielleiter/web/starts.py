"""Routes of start positions: with given options, or on an uploaded map."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request

from spielleiter import games
from spielleiter.errors import SpielleiterError
from spielleiter.game import Game
from spielleiter.web import models
from spielleiter.web.arena import client_of, refusal
from spielleiter.web.cards import has_maps
from spielleiter.web.language import translator
from spielleiter.web.models import Language, Model
from spielleiter.web.routes import ERRORS, Lang, TheArena
from spielleiter.web.serialisation import look_of, scene_of

router = APIRouter(prefix="/api/starts", tags=["starts"], responses=ERRORS)

LARGEST_MAP = 16 * 1024
"""Largest map in bytes, ample for the largest board."""
EditionName = Annotated[str, Path(max_length=models.LONGEST_NAME)]


class StartView(Model):
    """A start position with its scene."""

    position: str
    seats: int
    scene: models.SceneView
    look: models.Look


@router.get("/{edition}")
def show_start(edition: EditionName, request: Request, lang: Lang = "en") -> StartView:
    """A start position; the query has its options. Random parts are an example."""
    game = _game(edition)
    wanted = {name: value for name, value in request.query_params.items() if name != "lang"}
    try:
        return _view(game, game.start(0, **game.listed(wanted)).text(), lang)
    except SpielleiterError as problem:
        raise refusal(422, "option", str(problem)) from problem


@router.post(
    "/{edition}",
    openapi_extra={"requestBody": {"content": {"application/octet-stream": {}}}},
)
async def send_map(
    arena: TheArena, edition: EditionName, request: Request, lang: Lang = "en"
) -> StartView:
    """Send a map file as the body; returns its start position, nothing is stored."""
    game = _game(edition)
    if not arena.uploads.passes(client_of(request)):
        raise refusal(429, "too-often", "wait a moment before you send more files")
    data = await request.body()
    if len(data) > LARGEST_MAP:
        raise refusal(413, "too-large", f"at most {LARGEST_MAP // 1024} kB")
    if not has_maps(game):
        raise refusal(422, "no-maps", f"{game.name} has no maps")
    try:
        return _view(game, game.part("maps").read(data).position(), lang)
    except SpielleiterError as problem:
        raise refusal(422, "no-map", str(problem)) from problem


def _game(edition: str) -> Game:
    try:
        return games.load(edition)
    except SpielleiterError as problem:
        raise refusal(404, "no-such-edition", str(problem)) from problem


def _view(game: Game, text: str, language: Language) -> StartView:
    position = game.parse(text)
    return StartView(
        position=position.text(),
        seats=position.seats,
        scene=scene_of(game.scene(position, None), translator(game, language)),
        look=look_of(game, position),
    )
