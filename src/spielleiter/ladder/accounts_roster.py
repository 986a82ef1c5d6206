"""The versions of an arena's accounts as the ladder sees them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.accounts.bots import NoSuchBot, Version
from spielleiter.accounts.notices import TeamNotice, messages, version_named
from spielleiter.store.retry import Retry


@dataclass(frozen=True, slots=True)
class EnteredVersion:
    """The fields of a version that the ladder needs."""

    id: str
    team: str
    edition: str
    name: str
    team_name: str
    hash: str
    path: Path

    @classmethod
    def of(cls, version: Version) -> EnteredVersion:
        """Convert a version of the accounts."""
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
    """The roster of an arena: active versions play, older ones can play friendlies.

    Accounts do not retry, so that pages report errors at once; the ladder retries.
    """

    def __init__(self, accounts: ArenaAccounts, patience: Retry | None = None) -> None:
        self._accounts, self._patience = accounts, patience or Retry()

    def released_versions(self, edition: str) -> list[EnteredVersion]:
        """The versions that play now."""
        found = self._patience(lambda again: self._accounts.bots.active_versions(edition))
        return [EnteredVersion.of(each) for each in found]

    def version(self, version: str, /) -> EnteredVersion | None:
        """The version of an id, unless it was erased."""
        try:
            found = self._patience(lambda again: self._accounts.bots.version(version))
        except NoSuchBot:
            return None
        return None if found.state == "erased" else EnteredVersion.of(found)

    def versions(self, versions: Sequence[str], /) -> list[EnteredVersion]:
        """The versions of these ids, unless they were erased."""
        found = self._accounts.bots.versions_named(versions)
        return [EnteredVersion.of(each) for each in found if each.state != "erased"]

    def park(self, version: str, reason: str, /) -> None:
        """Park a released version; others do not play anyway."""

        def parked(again: bool) -> None:
            if self._accounts.bots.version(version).state == "released":
                self._accounts.bots.park(version, reason)

        self._patience(parked)

    def tell(self, team: str, version: str, failures: int, fault: str, /) -> None:
        """Notify the team on its page, in its feed and by webhook."""
        found = self.version(version)
        name = version_named(version, "?" if found is None else found.name)
        said = messages("failing", version=name, failures=failures, fault=fault)
        told = TeamNotice("parked", said, f"/ladder/version/{version}")
        self._patience(lambda again: self._accounts.notices.tell(team, told))
