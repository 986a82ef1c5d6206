"""Route of annotations: what the bots of a game showed beside it, turn by turn."""

from __future__ import annotations

from fastapi import APIRouter, Request

from spielleiter.web.arena import is_organiser
from spielleiter.web.library import Origin
from spielleiter.web.models import Model
from spielleiter.web.replays import Name, found
from spielleiter.web.routes import ERRORS, TheArena

router = APIRouter(prefix="/api/annotations", tags=["replays"], responses=ERRORS)

_RIVALS: tuple[Origin, ...] = ("contest", "ladder")
"""Where bots of several authors meet: what they show is, like their logs, for the organiser."""


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
    """What was shown in a game, by turns; nothing if whoever asks must not see it."""
    if source in _RIVALS and not is_organiser(request):
        return ()
    record = await found(arena, source, name)
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
