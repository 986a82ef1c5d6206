"""Games of a ladder by what somebody wants to see, with a bounded amount of work for each answer.

A million games are not gone through for one that was lost on time. The table with the best index
for what is wanted gives the newest so many games; the rest of the conditions is tried on those. If
more lie further back, the answer says from where to go on.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Select, Subquery, func, literal_column, select

from spielleiter.ladder.schema import game, meeting, seat
from spielleiter.tournament.recorded_game import RecordFilter

REACH = 3_000
"""Games that are looked at for one answer."""
_IS_FAILED: ColumnElement[int] = literal_column("1")
"""A literal: an index of failed games only is not used for a parameter."""


class GameSearch:
    """The queries for one page of games."""

    def __init__(self, wanted: RecordFilter, edition: str, before: int | None) -> None:
        """`edition` matters if no player is wanted; `before`: only games with a lower number."""
        self._wanted, self._edition, self._before = wanted, edition, before
        self._window = self._newest()

    def games(self, most: int) -> Select[Any]:
        """The games that are wanted, newest first."""
        window = self._window
        query = select(game).join(window, window.c.number == game.c.number)
        if self._wanted.player is not None:
            query = query.join(seat, seat.c.number == window.c.number)
            query = query.where(seat.c.player == self._wanted.player)
        query = query.where(*self._conditions())
        return query.order_by(game.c.number.desc()).limit(most)

    def rest(self) -> Select[Any]:
        """The oldest number that was looked at; no row if there are no further games."""
        number = self._window.c.number
        return select(func.min(number).label("oldest")).having(func.count(number) == REACH)

    def _newest(self) -> Subquery:
        """The newest numbers by the condition that leaves out most."""
        wanted = self._wanted
        if wanted.opening is not None:
            query = select(game.c.number).where(game.c.seed == wanted.opening.partition(" ")[0])
        elif wanted.player is None:
            query = select(game.c.number).where(game.c.edition == self._edition)
            if wanted.fault is not None:
                query = query.where(game.c.failed == _IS_FAILED)
        else:
            query = self._of_player(wanted.player)
        number = query.selected_columns[0]
        if self._before is not None:
            query = query.where(number < self._before)
        return query.order_by(number.desc()).limit(REACH).subquery()

    def _of_player(self, player: str) -> Select[Any]:
        wanted = self._wanted
        if wanted.opponent is not None:
            query = select(meeting.c.number).where(meeting.c.player == player)
            return query.where(meeting.c.opponent == wanted.opponent)
        query = select(seat.c.number).where(seat.c.player == player)
        if wanted.fault is not None:
            return query.where(seat.c.failed == _IS_FAILED)
        return query if wanted.result is None else query.where(seat.c.result == wanted.result)

    def _conditions(self) -> list[ColumnElement[bool]]:
        """What the index does not tell."""
        wanted, own = self._wanted, self._wanted.player is not None
        table = seat if own else game
        found: list[ColumnElement[bool]] = []
        if not own:
            found.append(game.c.edition == self._edition)
        if wanted.fault is not None:
            found.append(table.c.failed == _IS_FAILED)
        if wanted.fault:
            found.append(table.c.fault.contains(wanted.fault, autoescape=True))
        if wanted.opening is not None and " " in wanted.opening:
            found.append(game.c.opening == wanted.opening)
        if wanted.reason:
            found.append(game.c.reason.contains(wanted.reason, autoescape=True))
        if own and wanted.seat is not None:
            found.append(seat.c.at == wanted.seat)
        if own and wanted.result is not None:
            found.append(seat.c.result == wanted.result)
        if own and wanted.opponent is not None and wanted.opening is not None:
            met = select(meeting.c.number).where(
                meeting.c.player == wanted.player,
                meeting.c.opponent == wanted.opponent,
                meeting.c.number == game.c.number,
            )
            found.append(met.exists())
        return found
