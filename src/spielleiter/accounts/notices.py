"""Notices to a team: on its page, in an Atom feed, and by webhook if it has one."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import delete, insert, select

from spielleiter.accounts import schema
from spielleiter.accounts.database import AccountsDatabase
from spielleiter.text import Messages, from_stored, stored

NoticeKind = Literal["released", "rejected", "parked", "played", "contest", "friendly", "organiser"]
KEPT = 200
"""Notices of a team that are kept."""
messages = Messages("spielleiter", "notice.")
"""What teams are told."""
_NOTICE = schema.notice.c


@dataclass(frozen=True, slots=True)
class TeamNotice:
    """One notice to a team."""

    kind: NoticeKind
    text: str
    """A `Text` is translated for each reader."""
    link: str = ""
    """A page of the arena, from its root."""


@dataclass(frozen=True, slots=True)
class SentNotice:
    """A notice with its number and moment."""

    number: int
    at: float
    team: str
    notice: TeamNotice


class Notices:
    """All notices of an arena."""

    def __init__(self, database: AccountsDatabase, now: Callable[[], float] = time.time) -> None:
        self._database, self._now = database, now
        self._listeners: list[Callable[[SentNotice], None]] = []

    def listen(self, listener: Callable[[SentNotice], None]) -> None:
        """Call the listener for every notice; it must be quick and not raise."""
        self._listeners.append(listener)

    def tell(self, team: str, notice: TeamNotice) -> None:
        """Add a notice for a team; the oldest are removed beyond `KEPT`."""
        at = self._now()
        values = {"team": team, "at": at, "kind": notice.kind}
        values |= {"text": stored(notice.text), "link": notice.link}
        with self._database.writing() as writing:
            added = writing.execute(insert(schema.notice).values(values)).inserted_primary_key
            assert added is not None
            newest = select(_NOTICE.number).where(_NOTICE.team == team)
            last = newest.order_by(_NOTICE.number.desc()).limit(1).offset(KEPT)
            if (oldest := writing.scalar(last)) is not None:
                gone = delete(schema.notice).where(_NOTICE.team == team, _NOTICE.number <= oldest)
                writing.execute(gone)
        for listener in self._listeners:
            listener(SentNotice(int(added[0]), at, team, notice))

    def of_team(self, team: str, limit: int = 50) -> list[SentNotice]:
        """The last notices of a team, newest first."""
        query = select(schema.notice).where(_NOTICE.team == team)
        rows = self._database.rows(query.order_by(_NOTICE.number.desc()).limit(limit))
        return [
            SentNotice(
                row.number, row.at, row.team, TeamNotice(row.kind, from_stored(row.text), row.link)
            )
            for row in rows
        ]
