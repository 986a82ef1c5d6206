"""The ladder of an arena: opened with it, closed with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from spielleiter import games
from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.entered import AccountsRoster
from spielleiter.ladder.execution import VersionMaker
from spielleiter.ladder.ladder import Ladder, LadderSettings
from spielleiter.ladder.workers import LadderWorkers
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import Level, probe
from spielleiter.store import open_store
from spielleiter.store.address import StoreAddress
from spielleiter.store.retry import opened
from spielleiter.tournament.time_control import time_control

FILE = "ladder.db"
"""The record of the ladder, in the data folder of an arena."""


@contextmanager
def open_ladder(
    data: Path,
    accounts: ArenaAccounts,
    workers: int,
    *,
    database: str | StoreAddress | None = None,
    trusted: bool = False,
    is_busy: Callable[[], bool] = lambda: False,
) -> Iterator[Ladder]:
    """The ladder in a data folder; `workers` games are played at a time while it is open.

    While people play (`is_busy`) it steps back to one. Where nothing can be held in a sandbox and
    uploads are not `trusted`, nothing is played.
    """
    address = _address(data, database)
    settings = LadderSettings(games.names(), workers)
    with (
        closing(opened(address, open_store)) as record,
        closing(opened(address, LadderDatabase)) as tables,
    ):
        ladder = Ladder(record, tables, AccountsRoster(accounts), settings)
        setting = _setting(trusted)
        if setting is None:
            yield ladder
            return
        make = VersionMaker(time_control(None, None, None), setting)
        playing = LadderWorkers(ladder, make, workers, lambda: 1 if is_busy() else workers)
        playing.start()
        try:
            yield ladder
        finally:
            playing.stop()


def _address(data: Path, database: str | StoreAddress | None) -> StoreAddress:
    """A ladder that was begun in a file goes on there, whatever database there is now."""
    begun = data / FILE
    return StoreAddress.of(begun if database is None or begun.exists() else database)


def _setting(trusted: bool) -> Setting | None:
    """How uploads are held; None: they cannot be."""
    found = probe()
    if found.best >= Level.ISOLATED:
        return Setting(found.box(Level.ISOLATED))
    return Setting(found.box(found.best)) if trusted else None
