"""Opens the ladder of an arena with its workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from spielleiter import games
from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.ladder.accounts_roster import AccountsRoster
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.execution import VersionMaker
from spielleiter.ladder.ladder import Ladder, LadderSettings
from spielleiter.ladder.workers import GRACE, LadderWorkers
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import Level, probe
from spielleiter.store import open_store
from spielleiter.store.address import StoreAddress
from spielleiter.store.retry import opened
from spielleiter.tournament.cluster import RayGames
from spielleiter.tournament.time_control import time_control

FILE = "ladder.db"
"""The record of the ladder, in the data folder of an arena."""


@dataclass(frozen=True, slots=True)
class Cluster:
    """A Ray cluster that plays the games of uploaded bots."""

    address: str | None = None
    """None: the cluster that Ray finds, or a new one on this machine."""

    def games(self, make: VersionMaker) -> RayGames:
        """The client that plays single games; raises UsageError if there is no cluster."""
        return RayGames(make, make.limits.patience + GRACE, self.address)


@contextmanager
def open_ladder(
    data: Path,
    accounts: ArenaAccounts,
    workers: int,
    *,
    database: str | StoreAddress | None = None,
    trusted: bool = False,
    is_busy: Callable[[], bool] = lambda: False,
    cluster: Cluster | None = None,
) -> Iterator[Ladder]:
    """The ladder in a data folder; `workers` games are played at a time while it is open.

    While people play (`is_busy`), only one game runs at a time, unless a `cluster` plays. Without a
    sandbox nothing is played, unless uploads are `trusted`.
    """
    address = _address(data, database)
    settings = LadderSettings(games.names(), workers)
    with (
        closing(opened(address, open_store)) as record,
        closing(opened(address, LadderDatabase)) as tables,
    ):
        ladder = Ladder(record, tables, AccountsRoster(accounts), settings)
        accounts.privacy.listen(ladder.forget)
        setting = _setting(trusted)
        if setting is None:
            yield ladder
            return
        make = VersionMaker(time_control(None, None, None), setting)
        allowed = lambda: 1 if cluster is None and is_busy() else workers  # noqa: E731
        there = None if cluster is None else cluster.games(make)
        playing = LadderWorkers(ladder, make, workers, allowed, there)
        playing.start()
        try:
            yield ladder
        finally:
            playing.stop()
            if there is not None:
                there.close()


def _address(data: Path, database: str | StoreAddress | None) -> StoreAddress:
    """A ladder that began in a file stays there, even if a database is configured now."""
    begun = data / FILE
    return StoreAddress.of(begun if database is None or begun.exists() else database)


def _setting(trusted: bool) -> Setting | None:
    """How uploads are sandboxed; None if that is impossible."""
    found = probe()
    if found.best >= Level.ISOLATED:
        return Setting(found.box(Level.ISOLATED))
    return Setting(found.box(found.best)) if trusted else None
