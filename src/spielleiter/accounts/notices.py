"""Notices to a team: on its page, in an Atom feed, and by webhook if it has one.

A notice stores ids of teams and versions; readers get their current names.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from sqlalchemy import Connection, delete, insert, select, update

from spielleiter.accounts import schema
from spielleiter.accounts.database import AccountsDatabase
from spielleiter.text import Messages, Text, Value, from_stored, stored

NoticeKind = Literal["released", "rejected", "parked", "played", "contest", "friendly", "organiser"]
KEPT = 200
"""Notices of a team that are kept."""
_PREFIX = "notice."
messages = Messages("spielleiter", _PREFIX)
"""Texts of notices."""
TEAM, VERSION = "named.team", "named.version"
"""Ids of texts that are the name of a team or the title of a version."""
_NOTICE, _TEAM, _BOT, _VERSION = schema.notice.c, schema.team.c, schema.bot.c, schema.version.c
Names = dict[tuple[str, str], str]
"""What the ids of teams and versions stand for now."""


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


def team_named(team: str, name: str) -> Text:
    """The name of a team in a notice, which keeps its id instead."""
    return Text(TEAM, name, {"id": team})


def version_named(version: str, title: str) -> Text:
    """The title of a version in a notice, which keeps its id instead."""
    return Text(VERSION, title, {"id": version})


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
        values |= {"text": stored(_nameless(notice.text)), "link": notice.link}
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
        found = [SentNotice(row.number, row.at, row.team, _notice(row)) for row in rows]
        names = self._names(each.notice.text for each in found)
        return [replace(each, notice=_with_names(each.notice, names)) for each in found]

    def _names(self, texts: Iterable[str]) -> Names:
        """The names that stand in some texts, as they are now; what was erased has none."""
        wanted = {each for text in texts for each in _references(text)}
        if not wanted:
            return {}
        ids = [name for _, name in wanted]
        teams = select(_TEAM.id, _TEAM.name).where(_TEAM.id.in_(ids), _TEAM.erased.is_(None))
        versions = (
            select(_VERSION.id, _VERSION.number, _BOT.name)
            .join(schema.bot, _BOT.id == _VERSION.bot)
            .where(_VERSION.id.in_(ids), _BOT.erased.is_(None))
        )
        found = {(TEAM, row.id): row.name for row in self._database.rows(teams)}
        for row in self._database.rows(versions):
            found[VERSION, row.id] = f"{row.name} v{row.number}"
        return found


def erase_name(writing: Connection, reference: Text) -> None:
    """Take a name out of notices that hold it as words, as all did before 18 November 2026."""
    if not str(reference):
        return
    name = json.dumps(str(reference), ensure_ascii=False)
    known = select(_NOTICE.number, _NOTICE.text)
    for row in writing.execute(known.where(_NOTICE.text.contains(name, autoescape=True))).all():
        found = from_stored(row.text)
        if isinstance(found, Text):
            blank = stored(_nameless(_referring(found, reference)))
            change = update(schema.notice).values(text=blank)
            writing.execute(change.where(_NOTICE.number == row.number))


def _notice(row: Any) -> TeamNotice:
    return TeamNotice(row.kind, from_stored(row.text), row.link)


def _with_names(notice: TeamNotice, names: Names) -> TeamNotice:
    text = notice.text
    return replace(notice, text=_named(text, names)) if isinstance(text, Text) else notice


def _references(text: Value) -> Iterator[tuple[str, str]]:
    """The ids of all teams and versions in a text."""
    if not isinstance(text, Text):
        return
    if text.id in (TEAM, VERSION):
        yield text.id, str(text.values["id"])
    for each in text.values.values():
        yield from _references(each)


def _nameless(text: Value) -> Any:
    """A text without the names in it; its English words, which have them, go as well."""
    if not isinstance(text, Text) or not any(_references(text)):
        return text
    if text.id in (TEAM, VERSION):
        return Text(text.id, "", text.values)
    return Text(text.id, "", {name: _nameless(each) for name, each in text.values.items()})


def _named(text: Value, names: Names) -> Any:
    """A text with the names that are behind its ids now."""
    if not isinstance(text, Text) or not any(_references(text)):
        return text
    if text.id in (TEAM, VERSION):
        name = names.get((text.id, str(text.values["id"])))
        return messages("erased") if name is None else Text(text.id, name, text.values)
    values = {name: _named(each, names) for name, each in text.values.items()}
    return messages(text.id.removeprefix(_PREFIX), **values)


def _referring(text: Value, reference: Text) -> Any:
    """A text with a reference where the name was."""
    if not isinstance(text, Text):
        return reference if text == str(reference) else text
    values = {name: _referring(each, reference) for name, each in text.values.items()}
    return Text(text.id, str(text), values)
