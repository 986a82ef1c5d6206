"""Bots and their versions, and which of them play."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from sqlalchemy import Connection, Row, func, insert, select, update

from spielleiter.accounts import schema
from spielleiter.accounts.database import AccountsDatabase, new_id
from spielleiter.accounts.files import FULL, BotFiles, TeamFull, UploadedFile
from spielleiter.accounts.names import NameTaken, checked_name, key_of
from spielleiter.errors import UsageError
from spielleiter.text import from_stored, stored

VersionState = Literal["waiting", "released", "rejected", "parked", "erased"]
MOST_BOTS = 20
"""Bots of a team."""
MOST_KEPT = 20
"""The files of a team are together at most so many times as large as the largest upload."""
MOST_WAITING = 5
"""Versions of a team that wait for their check."""
_AT_ONCE = 500
_BOT, _VERSION, _TEAM = schema.bot.c, schema.version.c, schema.team.c


@dataclass(frozen=True, slots=True)
class TeamBot:
    """A team's bot for one game."""

    id: str
    team: str
    edition: str
    name: str
    active: str | None
    """The version that plays for it."""
    created: float


@dataclass(frozen=True, slots=True)
class Version:
    """One upload. Its file never changes; its state does."""

    id: str
    bot: str
    team: str
    edition: str
    name: str
    """The bot's name, as people read it."""
    number: int
    """Counts the versions of a bot from 1."""
    team_name: str
    file: str
    """The SHA-256 of its content."""
    path: Path
    file_name: str
    size: int
    state: VersionState
    reason: str
    """Why it was rejected or parked, for its team."""
    active: bool
    """Whether its team lets this one play; older ones stay playable."""
    created: float
    checked: float | None

    @property
    def title(self) -> str:
        """The name with the number of the version."""
        return f"{self.name} v{self.number}"


class NoSuchBot(UsageError):
    """No bot or version has that id."""


class Bots:
    """All bots and versions of an arena."""

    def __init__(
        self, database: AccountsDatabase, files: BotFiles, now: Callable[[], float] = time.time
    ) -> None:
        self._database, self._files, self._now = database, files, now

    # ---------------------------------------------------------------------------------- reading

    def bot(self, bot: str) -> TeamBot:
        """The bot of that id; raises NoSuchBot."""
        found = self._database.row(select(schema.bot).where(_BOT.id == bot, _BOT.erased.is_(None)))
        if found is None:
            raise NoSuchBot(f"there is no bot {bot!r}")
        return _bot(found)

    def of_team(self, team: str) -> list[TeamBot]:
        """The bots of a team, oldest first."""
        query = select(schema.bot).where(_BOT.team == team, _BOT.erased.is_(None))
        return [_bot(row) for row in self._database.rows(query.order_by(_BOT.created))]

    def version(self, version: str) -> Version:
        """The version of that id; raises NoSuchBot."""
        found = self._database.row(_versions().where(_VERSION.id == version))
        if found is None:
            raise NoSuchBot(f"there is no version {version!r}")
        return self._version(found)

    def versions(self, bot: str) -> list[Version]:
        """The versions of a bot, newest first."""
        query = _versions().where(_VERSION.bot == bot).order_by(_VERSION.number.desc())
        return [self._version(row) for row in self._database.rows(query)]

    def versions_named(self, versions: Sequence[str]) -> list[Version]:
        """The versions of these ids, as far as there are any."""
        return [
            self._version(row)
            for at in range(0, len(versions), _AT_ONCE)
            for row in self._database.rows(
                _versions().where(_VERSION.id.in_(versions[at : at + _AT_ONCE]))
            )
        ]

    def active_versions(self, edition: str) -> list[Version]:
        """What plays for the bots of a game now, oldest first."""
        query = _versions().where(_BOT.edition == edition, _BOT.active == _VERSION.id)
        order = query.where(_VERSION.state == "released").order_by(_VERSION.created, _VERSION.id)
        return [self._version(row) for row in self._database.rows(order)]

    def released_versions(self, edition: str) -> list[Version]:
        """All released versions for a game, oldest first: active versions and older ones."""
        query = _versions().where(_BOT.edition == edition, _VERSION.state == "released")
        order = query.order_by(_VERSION.created, _VERSION.id)
        return [self._version(row) for row in self._database.rows(order)]

    def waiting(self) -> list[Version]:
        """The versions waiting for their check: teams take turns, the oldest version of each first.

        A team with many uploads waits behind a team with few.
        """
        query = _versions().where(_VERSION.state == "waiting").order_by(_VERSION.created)
        found = [self._version(row) for row in self._database.rows(query)]
        turns: dict[str, int] = {}
        ordered = []
        for each in found:
            turns[each.team] = turns.get(each.team, 0) + 1
            ordered.append((turns[each.team], each.created, each.id, each))
        return [each for *_, each in sorted(ordered, key=lambda entry: entry[:3])]

    def counts(self) -> dict[str, int]:
        """How many versions are in each state."""
        query = select(_VERSION.state, func.count().label("many")).group_by(_VERSION.state)
        return {row.state: int(row.many) for row in self._database.rows(query)}

    def findings(self, version: str) -> str:
        """What the check of a version found, as JSON; empty before."""
        found = self._database.row(select(_VERSION.findings).where(_VERSION.id == version))
        return "" if found is None else str(found[0])

    # ---------------------------------------------------------------------------------- changing

    def add(self, team: str, edition: str, name: str) -> TeamBot:
        """A new bot; raises NameTaken, or UsageError if the team has enough."""
        shown = checked_name(name)
        made = TeamBot(new_id(), team, edition, shown, None, self._now())
        with self._database.writing() as writing:
            count = select(func.count()).where(_BOT.team == team, _BOT.erased.is_(None))
            if (writing.scalar(count) or 0) >= MOST_BOTS:
                raise UsageError(f"a team has at most {MOST_BOTS} bots")
            _check_free(writing, edition, shown)
            writing.execute(insert(schema.bot).values(_bot_row(made)))
        return made

    def rename(self, bot: str, name: str) -> None:
        """Give a bot another name; raises NameTaken."""
        shown = checked_name(name)
        edition = self.bot(bot).edition
        with self._database.writing() as writing:
            _check_free(writing, edition, shown, bot)
            named = {"name": shown, "name_key": key_of(shown)}
            writing.execute(update(schema.bot).where(_BOT.id == bot).values(named))

    def room(self, team: str) -> int:
        """The bytes that a team may upload; raises UsageError if it has to wait or has no room."""
        with self._database.writing() as writing:
            _check_waiting(writing, team)
            left = self._left(writing, team)
        if left <= 0:
            raise TeamFull(FULL)
        return left

    def add_version(self, bot: str, file: UploadedFile, file_name: str) -> Version:
        """A new upload, which waits for its check; raises UsageError if it is one too many."""
        try:
            return self._added(bot, file, file_name)
        except UsageError:
            self._discard(file)
            raise

    def _added(self, bot: str, file: UploadedFile, file_name: str) -> Version:
        version = new_id()
        with self._database.writing() as writing:
            found = writing.execute(select(_BOT.team).where(_BOT.id == bot)).first()
            if found is None:
                raise NoSuchBot(f"there is no bot {bot!r}")
            _check_waiting(writing, found.team)
            if file.size > self._left(writing, found.team, file.hash):
                raise TeamFull(FULL)
            last = writing.scalar(select(func.max(_VERSION.number)).where(_VERSION.bot == bot))
            values = {
                "id": version,
                "bot": bot,
                "number": (last or 0) + 1,
                "file": file.hash,
                "suffix": file.suffix,
                "file_name": file_name,
                "size": file.size,
                "state": "waiting",
                "reason": "",
                "findings": "",
                "created": self._now(),
            }
            writing.execute(insert(schema.version).values(values))
        return self.version(version)

    def _left(self, connection: Connection, team: str, besides: str = "") -> int:
        """The bytes that a team may still keep; a file that is kept already counts once."""
        kept = (
            select(_VERSION.file, _VERSION.size)
            .join(schema.bot, _BOT.id == _VERSION.bot)
            .where(_BOT.team == team, _VERSION.file != besides)
            .distinct()
            .subquery()
        )
        used = connection.scalar(select(func.coalesce(func.sum(kept.c.size), 0)))
        return MOST_KEPT * self._files.largest - int(used or 0)

    def _discard(self, file: UploadedFile) -> None:
        """Remove a file that no version has."""
        with self._database.writing() as writing:
            used = select(_VERSION.id).where(_VERSION.file == file.hash).limit(1)
            if writing.scalar(used) is None:
                self._files.erase(file.hash, file.suffix)

    def release(self, version: str, findings: str = "") -> None:
        """The check is passed: it may play, and it plays for its bot from now on."""
        bot = self.version(version).bot
        with self._database.writing() as writing:
            self._decide(writing, version, "released", "", findings)
            writing.execute(update(schema.bot).where(_BOT.id == bot).values(active=version))

    def reject(self, version: str, reason: str, findings: str = "") -> None:
        """The check is failed: it never plays."""
        with self._database.writing() as writing:
            self._decide(writing, version, "rejected", stored(reason), findings)

    def park(self, version: str, reason: str) -> None:
        """Stop it from playing until it is unparked; only a released version can be parked."""
        self._change(version, "released", "parked", stored(reason))

    def unpark(self, version: str) -> None:
        """It may play again."""
        self._change(version, "parked", "released", "")

    def activate(self, version: str) -> None:
        """This version plays for its bot from now on; raises UsageError if it may not play."""
        found = self.version(version)
        if found.state != "released":
            raise UsageError(f"{found.title} is {found.state}: only a released version can play")
        with self._database.writing() as writing:
            chosen = update(schema.bot).where(_BOT.id == found.bot)
            writing.execute(chosen.values(active=version))

    def _decide(
        self, writing: Connection, version: str, state: VersionState, reason: str, findings: str
    ) -> None:
        values = {
            "state": state,
            "reason": reason,
            "findings": findings,
            "checked": self._now(),
        }
        writing.execute(update(schema.version).where(_VERSION.id == version).values(values))

    def _change(self, version: str, old: VersionState, new: VersionState, reason: str) -> None:
        with self._database.writing() as writing:
            known = update(schema.version).where(_VERSION.id == version, _VERSION.state == old)
            writing.execute(known.values(state=new, reason=reason))

    def _version(self, row: Row[Any]) -> Version:
        *start, file, suffix, name, size, state, reason, active, created, checked = tuple(row)
        path = self._files.path(file, suffix)
        rest = (
            file,
            path,
            name,
            size,
            state,
            from_stored(reason),
            active == row[0],
            created,
            checked,
        )
        fields: tuple[Any, ...] = (*start, *rest)
        return Version(*fields)


def _versions() -> Any:
    """The columns of a version, in the order of its fields."""
    return (
        select(
            _VERSION.id,
            _VERSION.bot,
            _BOT.team,
            _BOT.edition,
            _BOT.name,
            _VERSION.number,
            _TEAM.name.label("team_name"),
            _VERSION.file,
            _VERSION.suffix,
            _VERSION.file_name,
            _VERSION.size,
            _VERSION.state,
            _VERSION.reason,
            _BOT.active.label("active_version"),
            _VERSION.created,
            _VERSION.checked,
        )
        .join(schema.bot, _BOT.id == _VERSION.bot)
        .join(schema.team, _TEAM.id == _BOT.team)
    )


def _check_free(writing: Connection, edition: str, name: str, own: str | None = None) -> None:
    same = select(_BOT.id).where(_BOT.edition == edition, _BOT.name_key == key_of(name))
    found = writing.scalar(same)
    if found is not None and found != own:
        raise NameTaken(f"another bot is called {name!r} already")


def _check_waiting(writing: Connection, team: str) -> None:
    count = (
        select(func.count())
        .select_from(schema.version.join(schema.bot, _BOT.id == _VERSION.bot))
        .where(_BOT.team == team, _VERSION.state == "waiting")
    )
    if (writing.scalar(count) or 0) >= MOST_WAITING:
        raise UsageError(
            f"{MOST_WAITING} of your versions wait for their check: wait until they are done"
        )


def _bot(row: Row[Any]) -> TeamBot:
    return TeamBot(row.id, row.team, row.edition, row.name, row.active, row.created)


def _bot_row(bot: TeamBot) -> dict[str, object]:
    return {
        "id": bot.id,
        "team": bot.team,
        "edition": bot.edition,
        "name": bot.name,
        "name_key": key_of(bot.name),
        "active": bot.active,
        "created": bot.created,
    }
