"""Everything about people and bots in one place, opened once for an arena."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from spielleiter.accounts.bots import Bots
from spielleiter.accounts.database import FILE, AccountsDatabase, open_database
from spielleiter.accounts.files import FOLDER, LARGEST, BotFiles
from spielleiter.accounts.notices import Notices
from spielleiter.store.address import StoreAddress


@dataclass(frozen=True, slots=True)
class ArenaAccounts:
    """People, teams, bots, files and notices of an arena."""

    database: AccountsDatabase
    files: BotFiles
    bots: Bots
    notices: Notices


@contextmanager
def open_accounts(
    data: Path,
    database: str | StoreAddress | None = None,
    *,
    largest: int = LARGEST,
    now: Callable[[], float] = time.time,
) -> Iterator[ArenaAccounts]:
    """The accounts in a data folder; the tables lie in `database` if one is named."""
    opened = open_database(database or data / FILE)
    files = BotFiles(data / FOLDER, largest)
    try:
        yield ArenaAccounts(opened, files, Bots(opened, files, now), Notices(opened, now))
    finally:
        opened.close()
