"""The versions of an arena's accounts as the ladder sees them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.accounts.bots import NoSuchBot, Version
from spielleiter.accounts.notices import TeamNotice


@dataclass(frozen=True, slots=True)
class EnteredVersion:
    """A version with what the ladder needs of it."""

    id: str
    team: str
    edition: str
    name: str
    team_name: str
    hash: str
    path: Path

    @classmethod
    def of(cls, version: Version) -> EnteredVersion:
        """That of the accounts."""
        return cls(
            version.id,
            version.team,
            version.edition,
            version.title,
            version.team_name,
            version.file,
            version.path,
        )


class AccountsRoster:
    """The active versions of all bots play; older ones can be asked for a friendly."""

    def __init__(self, accounts: ArenaAccounts) -> None:
        self._accounts = accounts

    def released_versions(self, edition: str) -> list[EnteredVersion]:
        """The versions that their teams let play now."""
        found = self._accounts.bots.released_versions(edition)
        return [EnteredVersion.of(each) for each in found if each.active]

    def version(self, version: str, /) -> EnteredVersion | None:
        """The version of an id, unless it was erased."""
        try:
            found = self._accounts.bots.version(version)
        except NoSuchBot:
            return None
        return None if found.state == "erased" else EnteredVersion.of(found)

    def park(self, version: str, reason: str, /) -> None:
        """Let it play no more; who is not released plays none anyway."""
        if self._accounts.bots.version(version).state == "released":
            self._accounts.bots.park(version, reason)

    def tell(self, team: str, notice: str, /) -> None:
        """On the team's page, in its feed and by its webhook."""
        self._accounts.notices.tell(team, TeamNotice("parked", notice, "/team"))
