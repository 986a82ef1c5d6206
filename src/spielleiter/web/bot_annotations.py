"""Routes of annotations: bots send them, pages read them turn by turn.

An external bot sends lines to the secret address of its seat. Nobody can read them before the game
is over, since they would help the opponent.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request

from spielleiter.annotation import PREFIX, Annotation, read_line
from spielleiter.web.arena import is_organiser, refusal
from spielleiter.web.library import Origin
from spielleiter.web.models import Model
from spielleiter.web.replays import Name, found
from spielleiter.web.routes import ERRORS, TheArena

router = APIRouter(prefix="/api/annotations", tags=["replays"], responses=ERRORS)

_RIVALS: tuple[Origin, ...] = ("contest", "ladder")
"""Sources where bots of several authors meet; there only organisers see annotations."""


class AnnotationView(Model):
    """What a bot showed before the move of a turn; docs/author/debugger.md describes it."""

    turn: int
    values: dict[str, float]
    cells: dict[str, float | str]
    arrows: tuple[tuple[str, str], ...]
    text: str


@router.get("/{source}/{name}")
async def get_annotations(
    arena: TheArena, request: Request, source: Origin, name: Name
) -> tuple[AnnotationView, ...]:
    """The annotations of a game, by turn; empty if the caller must not see them."""
    if source in _RIVALS and not is_organiser(request):
        return ()
    record = await found(arena, source, name)
    if source == "game" and record.ended is None:
        return ()
    return tuple(
        AnnotationView(
            turn=turn,
            values=dict(shown.values),
            cells=dict(shown.cells),
            arrows=shown.arrows,
            text=shown.text,
        )
        for turn, shown in sorted(record.shown().items())
    )


@router.post(
    "/seats/{code}",
    status_code=204,
    openapi_extra={"requestBody": {"content": {"text/plain": {}}}},
)
async def show_beside(
    arena: TheArena, request: Request, code: Annotated[str, Path(max_length=80)]
) -> None:
    """Send annotations: lines of JSON, with or without the prefix `#show`, for the code's seat."""
    seat = arena.show_codes.get(code)
    if seat is None:
        raise refusal(404, "no-such-seat", "no seat has this code")
    if not arena.shows.passes(code):
        raise refusal(429, "too-often", "send several lines at once, up to four times a second")
    lines = (await request.body()).decode(errors="replace").splitlines()
    for shown in [_shown(line) for line in lines if line.strip()]:
        if not arena.recorder.show(*seat, shown):
            raise refusal(409, "too-much", "this game takes no more")


def _shown(line: str) -> Annotation:
    plain = line.strip()
    shown = read_line(plain if plain.startswith(PREFIX) else PREFIX + plain)
    if shown is None:
        raise refusal(422, "not-shown", "a line breaks the bounds of docs/author/debugger.md")
    return shown
