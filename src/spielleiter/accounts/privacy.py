"""Export and erase everything that is kept about a person.

The chained record of games holds ids. Erasing removes what an id stands for. A row without a name
stays, the tombstone, so that references and the record stay valid.
"""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Callable
from typing import IO, Any

from sqlalchemy import Connection, delete, select, update

from spielleiter.accounts import schema
from spielleiter.accounts.bots import Bots, Version
from spielleiter.accounts.database import AccountsDatabase
from spielleiter.accounts.files import BotFiles
from spielleiter.accounts.logins import Logins
from spielleiter.accounts.members import Members
from spielleiter.accounts.notices import Notices, erase_name, team_named, version_named
from spielleiter.accounts.teams import Teams

_CHUNK = 1 << 20


class Privacy:
    """Exports and erases the data of a person."""

    def __init__(
        self,
        database: AccountsDatabase,
        files: BotFiles,
        parts: tuple[Members, Logins, Teams, Bots, Notices],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._database, self._files, self._now = database, files, now
        self._members, self._logins, self._teams, self._bots, self._notices = parts
        self._listeners: list[Callable[[list[str]], None]] = []

    def listen(self, listener: Callable[[list[str]], None]) -> None:
        """Call the listener with erased versions, so that other parts erase their data too."""
        self._listeners.append(listener)

    def export(self, member: str, target: IO[bytes]) -> None:
        """Write a ZIP with all data about a member and the files of its teams."""
        with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
            text = json.dumps(self.described(member), indent=2, ensure_ascii=False)
            archive.writestr("me.json", text + "\n", zipfile.ZIP_DEFLATED)
            for version in self._versions(member):
                self._copy(version, archive)

    def described(self, member: str) -> dict[str, Any]:
        """All data about a member, except the hash of the password."""
        found = self._members.find(member)
        return {
            "id": found.id,
            "name": found.name,
            "role": found.role,
            "registered": found.created,
            "open sessions": self._logins.sessions(member),
            "tokens": [
                {"label": each.label, "scopes": sorted(each.scopes), "expires": each.expires}
                for each in self._logins.tokens(member)
            ],
            "teams": [self._team(each.id, each.name) for each in self._teams.of_member(member)],
        }

    def _team(self, team: str, name: str) -> dict[str, Any]:
        return {
            "id": team,
            "name": name,
            "notices": [
                {"at": each.at, "text": each.notice.text} for each in self._notices.of_team(team)
            ],
            "bots": [
                {
                    "id": bot.id,
                    "name": bot.name,
                    "edition": bot.edition,
                    "versions": [_described(each) for each in self._bots.versions(bot.id)],
                }
                for bot in self._bots.of_team(team)
            ],
        }

    def _versions(self, member: str) -> list[Version]:
        teams = self._teams.of_member(member)
        bots = [bot for team in teams for bot in self._bots.of_team(team.id)]
        return [version for bot in bots for version in self._bots.versions(bot.id)]

    def _copy(self, version: Version, archive: zipfile.ZipFile) -> None:
        if not version.path.is_file():
            return
        name = f"{version.bot}/{version.number}-{version.file_name}"
        with version.path.open("rb") as source, archive.open(name, "w") as copy:
            while chunk := source.read(_CHUNK):
                copy.write(chunk)

    # ---------------------------------------------------------------------------------- erasing

    def erase_member(self, member: str) -> None:
        """Erase a member, and the teams without other members; tombstones stay."""
        alone = [
            team.id
            for team in self._teams.of_member(member)
            if len(self._teams.members(team.id)) == 1
        ]
        for team in alone:
            self.erase_team(team)
        blank = {"name": "", "name_key": _tomb(member), "password": None, "role": "member"}
        with self._database.writing() as writing:
            known = schema.member.c.id == member
            writing.execute(update(schema.member).where(known).values(erased=self._now(), **blank))
            writing.execute(delete(schema.login).where(schema.login.c.member == member))
            ships = delete(schema.membership)
            writing.execute(ships.where(schema.membership.c.member == member))
        self._database.empty_log()

    def erase_team(self, team: str) -> None:
        """Erase a team with its bots, files and notices; tombstones stay."""
        for bot in self._bots.of_team(team):
            self.erase_bot(bot.id)
        blank = {"name": "", "name_key": _tomb(team), "feed_key": _tomb(team), "webhook": ""}
        with self._database.writing() as writing:
            known = schema.team.c.id == team
            name = writing.scalar(select(schema.team.c.name).where(known))
            erase_name(writing, team_named(team, name or ""))
            writing.execute(update(schema.team).where(known).values(erased=self._now(), **blank))
            for table in (schema.membership, schema.invitation, schema.notice):
                writing.execute(delete(table).where(table.c.team == team))
        self._database.empty_log()

    def erase_bot(self, bot: str) -> None:
        """Erase a bot, its versions and the files that no other version uses; tombstones stay."""
        versions = self._bots.versions(bot)
        blank = {"name": "", "name_key": _tomb(bot), "active": None}
        with self._database.writing() as writing:
            known = schema.bot.c.id == bot
            for each in versions:
                erase_name(writing, version_named(each.id, each.title))
            writing.execute(update(schema.bot).where(known).values(erased=self._now(), **blank))
            tombs = update(schema.version).where(schema.version.c.bot == bot)
            writing.execute(
                tombs.values(state="erased", reason="", findings="", file_name="", file="", size=0)
            )
            gone = [each for each in versions if not _is_used(writing, each.file)]
        self._database.empty_log()
        for each in gone:
            self._files.erase(each.file, each.path.suffix)
        for listener in self._listeners:
            listener([each.id for each in versions])


def _is_used(writing: Connection, file: str) -> bool:
    used = select(schema.version.c.id).where(schema.version.c.file == file).limit(1)
    return writing.scalar(used) is not None


def _tomb(of: str) -> str:
    """A key that no name can have: names have no control characters."""
    return f"\x1f{of}"


def _described(version: Version) -> dict[str, Any]:
    return {
        "id": version.id,
        "number": version.number,
        "file": version.file_name,
        "sha256": version.file,
        "bytes": version.size,
        "state": version.state,
        "reason": version.reason,
        "uploaded": version.created,
    }
