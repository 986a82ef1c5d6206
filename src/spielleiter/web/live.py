"""Live connections: the feed for spectators (SSE) and the seats of people (WebSocket)."""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import Annotated

from fastapi import APIRouter, Header, Query, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import StreamingResponse
from fastapi.websockets import WebSocketState
from pydantic import ValidationError

from spielleiter.errors import SpielleiterError
from spielleiter.web import models
from spielleiter.web.arena import Arena, game_of, refusal
from spielleiter.web.human_players import PlayerConnection
from spielleiter.web.language import LANGUAGES
from spielleiter.web.models import Language
from spielleiter.web.proxies import visitor_of
from spielleiter.web.routes import ERRORS, Lang, TheArena
from spielleiter.web.take_backs import CannotTakeBack, target

router = APIRouter(prefix="/api", responses=ERRORS)

BAD_KEY, TOO_MANY, NONSENSE = 4401, 4429, 4400
"""Why a WebSocket is closed."""
_LONGEST = 4_096
_NUMBER = re.compile(r"[0-9]{1,18}")


@router.get(
    "/games/{game}/feed",
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "Server-sent events; the data of each is a `FeedMessage`'s `message`.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        204: {"description": "Nothing more will happen: do not come again."},
    },
)
async def feed(
    arena: TheArena,
    game: str,
    lang: Lang = "en",
    after: Annotated[int | None, Query(description="As Last-Event-ID.")] = None,
    last_event_id: Annotated[str | None, Header()] = None,
) -> Response:
    """The events of a game, from now on or after an event."""
    found = (await game_of(arena, game)).feed
    if arena.recorder.spectators >= arena.bounds.spectators:
        raise refusal(503, "too-many-spectators", "too many watch already")
    if last_event_id is not None and _NUMBER.fullmatch(last_event_id):
        after = int(last_event_id)
    if found.over and after == found.last:
        return Response(status_code=204)
    headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
    return StreamingResponse(
        found.listen(lang, after), media_type="text/event-stream", headers=headers
    )


@router.websocket("/games/{game}/seats/{seat}")
async def sit(socket: WebSocket, game: str, seat: int, token: str = "", lang: str = "en") -> None:
    """The WebSocket of a human player's seat."""
    arena: Arena = socket.app.state.arena
    await socket.accept()
    state = arena.recorder.live(game)
    if state is None or not arena.human_players.opens(game, seat, token):
        await socket.close(BAD_KEY, "no such seat, or the wrong key")
        return
    language: Language = next((each for each in LANGUAGES if each == lang), "en")
    with contextlib.suppress(SpielleiterError):  # it may end at this moment: the greeting says so
        await arena.service.join(game, seat)
    connection = PlayerConnection(state, seat, language)
    if not arena.human_players.subscribe(game, connection.on_event, _visitor(socket)):
        await socket.close(TOO_MANY, "too many windows")
        return
    try:
        connection.greet()
        if (asker := arena.take_backs.asker(game)) is not None:
            connection.on_event(models.TakeBackAsked(seat=asker))
        await _serve(arena, socket, connection, game, seat)
    finally:
        arena.human_players.unsubscribe(game, connection.on_event)


def _visitor(socket: WebSocket) -> str:
    return "" if socket.client is None else visitor_of(socket.client.host)


async def _serve(
    arena: Arena, socket: WebSocket, connection: PlayerConnection, game: str, seat: int
) -> None:
    sending = asyncio.create_task(_send(socket, connection))
    receiving = asyncio.create_task(_receive(arena, socket, connection, game, seat))
    done, rest = await asyncio.wait((sending, receiving), return_when=asyncio.FIRST_COMPLETED)
    for task in rest:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
    for task in done:
        task.result()


async def _send(socket: WebSocket, connection: PlayerConnection) -> None:
    with contextlib.suppress(WebSocketDisconnect, RuntimeError):
        while True:
            message = await connection.outbox.get()
            await socket.send_text(message.model_dump_json())
            if isinstance(message, models.Over):
                await socket.close(1000, "over")
                return


async def _receive(
    arena: Arena, socket: WebSocket, connection: PlayerConnection, game: str, seat: int
) -> None:
    with contextlib.suppress(WebSocketDisconnect):
        while socket.application_state is WebSocketState.CONNECTED:  # a last move ends the game
            text = await socket.receive_text()
            try:
                if len(text) > _LONGEST:
                    raise ValueError("too long")
                said = models.PersonMessage.model_validate_json(f'{{"message":{text}}}').message
            except (ValidationError, ValueError):
                await socket.close(NONSENSE, "this is no message")
                return
            await _answer(arena, connection, said, game, seat)


async def _answer(
    arena: Arena,
    connection: PlayerConnection,
    said: models.MoveMade | models.WhyAsked | models.Resigned | models.TakeBackMessage,
    game: str,
    seat: int,
) -> None:
    if isinstance(said, models.WhyAsked):
        await connection.outbox.put(connection.why(said))
        return
    if isinstance(said, models.TakeBackMessage):
        await _take_back(arena, connection, said, game, seat)
        return
    refused = None if isinstance(said, models.Resigned) else connection.refusal(said)
    if refused is None:
        refused = await _passed_on(arena, said, game, seat)
    if refused is not None:
        await connection.outbox.put(refused)


async def _take_back(
    arena: Arena, connection: PlayerConnection, said: models.TakeBackMessage, game: str, seat: int
) -> None:
    """Ask the others for a take-back, or do it if all agree."""
    state, asked = arena.recorder.live(game), arena.take_backs.asker(game)
    if state is None:
        return
    if not said.agreed:
        if arena.take_backs.forget(game):
            arena.human_players.tell(game, models.TakeBackOver(refused=asked != seat))
        return
    try:
        agreed = arena.take_backs.wish(state, seat)
        asker = seat if asked is None else asked
        if not agreed:
            arena.human_players.tell(game, models.TakeBackAsked(seat=asker))
            return
        frame = target(state, asker)
        await arena.service.take_back(game, asker, frame.turn.number, frame.position.text())
    except CannotTakeBack as problem:
        await connection.outbox.put(connection.refused("take-back", problem.text))
    except SpielleiterError as problem:
        refused = models.MoveRefused(code="take-back", explanation=str(problem))
        await connection.outbox.put(refused)


async def _passed_on(
    arena: Arena, said: models.MoveMade | models.Resigned, game: str, seat: int
) -> models.MoveRefused | None:
    try:
        if isinstance(said, models.Resigned):
            await arena.service.resign(game, seat)
        else:
            await arena.service.play(game, seat, said.move)
    except SpielleiterError as problem:
        return models.MoveRefused(code="refused", explanation=str(problem))
    return None
