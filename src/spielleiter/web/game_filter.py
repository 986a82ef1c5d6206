"""Which games of a list somebody wants to see: the same questions for ladders, contests, stores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Query

from spielleiter import games
from spielleiter.errors import SpielleiterError
from spielleiter.game import reason_text
from spielleiter.text import ENGLISH, catalogue
from spielleiter.tournament.recorded_game import RecordFilter
from spielleiter.web.language import translator
from spielleiter.web.models import Model

Word = Annotated[str | None, Query(max_length=200)]
FaultWord = Annotated[
    str | None, Query(max_length=200, description="A word of a fault; empty: any fault.")
]


class EndReason(Model):
    """A rule by which games end."""

    id: str
    """The word to ask for."""
    text: str


@dataclass(frozen=True, slots=True)
class GameFilter:
    """What is wanted of somebody's games; all that is said has to hold."""

    opponent: Word = None
    seat: Annotated[int | None, Query(ge=1, le=16, description="From 1.")] = None
    result: Literal["won", "drawn", "lost"] | None = None
    fault: FaultWord = None
    opening: Word = None
    reason: Word = None

    def of(self, player: str | None) -> RecordFilter:
        """The filter for the games of a player, or of anybody."""
        return RecordFilter(
            player=player,
            opponent=self.opponent,
            seat=None if self.seat is None else self.seat - 1,
            result=self.result,
            fault=self.fault,
            opening=self.opening,
            reason=self.reason,
        )


def reasons_of(edition: str) -> Iterator[str]:
    """The rules by which games of an edition can end."""
    for key in catalogue(games.load(edition).folder, ENGLISH):
        if key.startswith("reason."):
            yield key.removeprefix("reason.")


def end_reasons(edition: str, reasons: Iterable[str], lang: str) -> tuple[EndReason, ...]:
    """Rules in the reader's language."""
    return tuple(EndReason(id=each, text=reason_in(edition, each, lang)) for each in reasons)


def reason_in(edition: str, reason: str, lang: str) -> str:
    """Why a game ended, in the reader's language; as it is, if the game is not known any more."""
    try:
        return translator(games.load(edition), lang)(reason_text(reason)) if reason else ""
    except SpielleiterError:
        return reason
