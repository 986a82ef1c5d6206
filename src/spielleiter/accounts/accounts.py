"""Everything about people and bots in one place, opened once for an arena."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from argon2 import PasswordHasher

from spielleiter.accounts.bots import Bots
from spielleiter.accounts.database import FILE, AccountsDatabase, open_database
from spielleiter.accounts.files import FOLDER, LARGEST, BotFiles
from spielleiter.accounts.logins import Logins
from spielleiter.accounts.members import Members
from spielleiter.accounts.notices import Notices
from spielleiter.accounts.privacy import Privacy
from spielleiter.accounts.settings import AccountSettings
from spielleiter.accounts.teams import Teams
from spielleiter.store.address import StoreAddress
from spielleiter.store.retry import opened


@dataclass(frozen=True, slots=True)
class ArenaAccounts:
    """People, teams, bots, files and notices of an arena."""

    database: AccountsDatabase
    files: BotFiles
    members: Members
    logins: Logins
    teams: Teams
    bots: Bots
    notices: Notices
    settings: AccountSettings
    privacy: Privacy


@contextmanager
def open_accounts(
    data: Path,
    database: str | StoreAddress | None = None,
    *,
    largest: int = LARGEST,
    hasher: PasswordHasher | None = None,
    now: Callable[[], float] = time.time,
) -> Iterator[ArenaAccounts]:
    """The accounts in a data folder; the tables lie in `database` if one is named."""
    tables = opened(database or data / FILE, open_database)
    files = BotFiles(data / FOLDER, largest)
    parts = (
        Members(tables, hasher, now),
        Logins(tables, now),
        Teams(tables, now),
        Bots(tables, files, now),
        Notices(tables, now),
    )
    privacy = Privacy(tables, files, parts, now)
    try:
        yield ArenaAccounts(tables, files, *parts, AccountSettings(tables), privacy)
    finally:
        tables.close()
