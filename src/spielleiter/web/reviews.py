"""Routes of reviews: what every move of a game was worth, and its mistakes as tasks.

A review is computed once, in the background, and cached for all visitors.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from spielleiter import games
from spielleiter.errors import TextError, UsageError
from spielleiter.game import Game, Move, Position, Scene
from spielleiter.gym import GymSet
from spielleiter.gym.mining import mistakes
from spielleiter.match import GameRecord
from spielleiter.review import Evaluator, GameReview, Grade, review_game
from spielleiter.review.evaluator import usual_nodes
from spielleiter.review.game_review import tried_move
from spielleiter.review.time_use import SecondMore
from spielleiter.review.views import (
    remedies,
    seat_summary,
    sureness,
    time_lines,
    to_json,
    translated_scene,
    translator,
)
from spielleiter.web.arena import Arena, client_of, refusal
from spielleiter.web.language import LANGUAGES
from spielleiter.web.library import Origin
from spielleiter.web.models import Model
from spielleiter.web.routes import ERRORS, Lang, TheArena

router = APIRouter(prefix="/api/reviews", tags=["reviews"], responses=ERRORS)

Name = Annotated[str, Path(max_length=120)]
_PART = 8
"""Divisor of the command's nodes, since a visitor waits."""
_LONGEST_GAME = 500
"""Turns of a game that is reviewed here."""


class MotifView(Model):
    """A motif, in terms of the game."""

    id: str
    text: str


class ReviewedTurnView(Model):
    """A move, and what it gave away; chances are those of the seat that moved."""

    turn: int
    seat: int
    move: str
    best: str
    chance: float
    chance_after: float
    loss: float
    grade: Grade
    certain: bool
    line: tuple[str, ...]
    move_words: str
    """The move as people say it."""
    line_words: tuple[str, ...]
    """The beginning of the line in such words."""
    depth: int
    effort: int
    choices: int
    phase: str
    spent: float | None
    motifs: tuple[MotifView, ...]
    avoided_from: int | None
    second_more: SecondMore | None
    sureness: str
    """How sure the chances are, in words."""
    remedies: tuple[str, ...]
    """What would have avoided the move, and the time it had, in words."""


class TimeUseView(Model):
    """The time use of a seat: its longest and its hurried turns."""

    spent: float
    longest: tuple[int, ...]
    hurried: tuple[int, ...]


class ReviewView(Model):
    """The whole review of a game; docs/author/review.md describes it."""

    edition: str
    names: tuple[str, ...]
    winners: tuple[int, ...]
    reason: str
    engine: str
    nodes: int
    turns: tuple[ReviewedTurnView, ...]
    turning_points: tuple[int, ...]
    last_chances: tuple[int | None, ...]
    accuracy: tuple[float, ...]
    losses: tuple[dict[str, float], ...]
    time: tuple[TimeUseView | None, ...]
    seats: tuple[str, ...]
    """For each seat a sentence on its accuracy and phases."""
    times: tuple[str, ...]
    """Sentences on the time use; none if not measured."""


class TriedMoveView(Model):
    """The value of a move that a visitor tries; chances are those of the seat to move."""

    grade: Grade
    chance: float
    chance_after: float


@router.get("/{source}/{name}")
async def get_review(
    arena: TheArena, request: Request, source: Origin, name: Name, lang: Lang = "en"
) -> ReviewView:
    """What every move of a game was worth; the first request waits for the computation."""
    made = await _made(arena, request, source, name)
    return ReviewView(**made["reviews"][lang])


@router.get("/{source}/{name}/gym.toml", response_class=Response)
async def get_gym(
    arena: TheArena, request: Request, source: Origin, name: Name, turn: int | None = None
) -> Response:
    """The mistakes of a game, or the one of a turn, as positions for the gym."""
    made = await _made(arena, request, source, name)
    positions = {each["turn"]: each["text"] for each in made["gym"]}
    if turn is not None and turn not in positions:
        raise refusal(404, "no-mistake", f"turn {turn} is no mistake")
    chosen = positions.values() if turn is None else [positions[turn]]
    text = "\n".join([made["gym_head"], *chosen])
    headers = {"content-disposition": 'attachment; filename="gym.toml"'}
    return Response(text, media_type="application/toml", headers=headers)


@router.get("/{source}/{name}/better/{turn}.svg", response_class=Response)
async def get_better(
    arena: TheArena, request: Request, source: Origin, name: Name, turn: int, lang: Lang = "en"
) -> Response:
    """The position after the move that would have been better, drawn, in a language."""
    draw = arena.library.formats.svg
    made = await _made(arena, request, source, name)
    best = {each["turn"]: each["best"] for each in made["reviews"]["en"]["turns"]}
    if draw is None or turn not in best:
        raise refusal(404, "not-offered", f"there is no better move of turn {turn}")
    record = await _record(arena, source, name)
    make = lambda: draw(_after(record, turn, best[turn], lang)).encode()  # noqa: E731
    key = ("better", source, name, len(record.events), turn, lang)
    content = await arena.files.get(key, client_of(request), make)
    return Response(content, media_type="image/svg+xml")


@router.get("/{source}/{name}/tried/{turn}")
async def get_tried(
    arena: TheArena,
    request: Request,
    source: Origin,
    name: Name,
    turn: Annotated[int, Path(ge=1, le=2 * _LONGEST_GAME)],
    move: Annotated[str, Query(max_length=200)],
) -> TriedMoveView:
    """What another move at a turn is worth, by the same search as in the review."""
    made = await _made(arena, request, source, name)
    record = await _record(arena, source, name)
    position, tried = await asyncio.to_thread(_tried, record, turn, move)
    for each in made["reviews"]["en"]["turns"]:
        if each["turn"] == turn and tried.text() in (each["best"], each["move"]):
            return _known(each, tried.text())
    key = ("tried", source, name, len(record.events), turn, tried.text())
    content = await arena.reviews.get(key, client_of(request), _judge(record, position, tried))
    return TriedMoveView.model_validate_json(content)


def _known(turn: dict[str, Any], move: str) -> TriedMoveView:
    """The best move or the one that was played, as the review has it."""
    if move == turn["best"]:
        return TriedMoveView(grade="best", chance=turn["chance"], chance_after=turn["chance"])
    chances = {name: turn[name] for name in ("chance", "chance_after")}
    return TriedMoveView(grade=turn["grade"], **chances)


def _tried(record: GameRecord, turn: int, text: str) -> tuple[Position, Move]:
    """The position before a turn with a legal move there; raises a refusal."""
    try:
        position = record.frame(record.game(games.load_recorded), turn - 1).position
        move = position.move(text)
        problem = position.why_illegal(move)
    except (TextError, UsageError) as wrong:
        raise refusal(422, "no-move", str(wrong)) from wrong
    if problem is not None:
        raise refusal(422, "illegal-move", str(problem.explanation))
    return position, move


def _judge(record: GameRecord, position: Position, move: Move) -> Callable[[], bytes]:
    def judge() -> bytes:
        game = record.game(games.load_recorded)
        evaluator = Evaluator(position, game, usual_nodes(position, game, _PART))
        return json.dumps(asdict(tried_move(position, move, evaluator))).encode()

    return judge


def _after(record: GameRecord, turn: int, move: str, language: str) -> Scene:
    game = record.game(games.load_recorded)
    before = record.frame(game, turn - 1).position
    scene = game.scene(before.after(move), before.move(move))
    return translated_scene(scene, translator(game, language))


async def _record(arena: Arena, source: Origin, name: str) -> GameRecord:
    record = await arena.library.find(source, name)
    if record is None:
        raise refusal(404, "no-such-game", f"there is no {source} {name!r}")
    return record


async def _made(arena: Arena, request: Request, source: Origin, name: str) -> dict[str, Any]:
    """The computed review of a game; raises a refusal if there is none."""
    record = await _record(arena, source, name)
    if record.ended is None:
        raise refusal(422, "not-over", "this game can be reviewed when it is over")
    key = ("review", source, name, len(record.events))
    try:
        content = await arena.reviews.get(key, client_of(request), _maker(arena, record, name))
    except UsageError as problem:
        raise refusal(422, "no-review", str(problem)) from problem
    made: dict[str, Any] = await asyncio.to_thread(json.loads, content)
    return made


def _maker(arena: Arena, record: GameRecord, name: str) -> Callable[[], bytes]:
    def make() -> bytes:
        if len(record.events) > 2 * _LONGEST_GAME:
            raise UsageError("this game is too long to be reviewed here")
        game = record.game(games.load_recorded)
        review = quick_review(record, game, lambda done, of: arena.reviews.go_on())
        return _plain(review, record, game, name)

    return make


def quick_review(
    record: GameRecord,
    game: Game,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> GameReview:
    """A review with a part of the command's nodes; the end of several seats has all of them."""
    nodes = usual_nodes(record.frame(game, 0).position, game, _PART)
    return review_game(record, game, nodes, progress, late=1 if games.is_plain(game) else _PART)


def _plain(review: GameReview, record: GameRecord, game: Game, name: str) -> bytes:
    """The review in every language, and its mistakes as tasks."""
    tasks = [
        {"turn": turn.turn, "text": GymSet(game.name, (task,)).text().partition("\n\n")[2]}
        for turn, task in zip(
            [each for each in review.turning_points if each.grade in ("mistake", "blunder")],
            mistakes(review, record, game, name),
            strict=True,
        )
    ]
    reviews = {lang: _told(review, game, lang) for lang in LANGUAGES}
    made = {"reviews": reviews, "gym": tasks, "gym_head": GymSet(game.name, ()).text()}
    return json.dumps(made, ensure_ascii=False).encode()


def _told(review: GameReview, game: Game, lang: str) -> dict[str, Any]:
    say = translator(game, lang)
    told = to_json(review, say)
    for turn, each in zip(told["turns"], review.turns, strict=True):
        turn["sureness"] = say(sureness(each))
        turn["remedies"] = [say(line) for line in remedies(each, review.a_second)]
    told["times"] = time_lines(review, game, say)
    told["seats"] = [say(seat_summary(review, game, seat)) for seat in range(review.seats)]
    return told
