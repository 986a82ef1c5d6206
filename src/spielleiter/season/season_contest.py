"""The contest of a season: its file, its record, and what plays for each team."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass

from spielleiter.accounts.bots import Bots, Version
from spielleiter.errors import StoreError
from spielleiter.ladder.execution import SeatedVersion
from spielleiter.programs.contest_store import (
    PLAYERS,
    begin,
    opened_if_begun,
    rulings_in,
    state_in,
)
from spielleiter.programs.result_store import SPOILT
from spielleiter.season.definition_text import written
from spielleiter.season.season import CONTEST, RECORD, ArenaSeason, SeasonEntry, SeasonFolders
from spielleiter.store import Store, open_store
from spielleiter.store.private import write_private
from spielleiter.tournament.definition import Definition
from spielleiter.tournament.rulings import ContestState
from spielleiter.tournament.runner import SpoiltGame


@dataclass(frozen=True, slots=True)
class OpenContest:
    """An open contest: its definition, its store and its state."""

    definition: Definition
    store: Store
    state: ContestState


class SeasonContests:
    """Opens the contests of seasons as `spielleiter contest` does."""

    def __init__(self, folders: SeasonFolders, bots: Bots) -> None:
        self._folders, self._bots = folders, bots

    @contextmanager
    def opened(self, season: ArenaSeason) -> Iterator[OpenContest]:
        """Open the contest of a season and record the current players; may create the store."""
        self.write(season, self.joined(season))
        file = self._folders.path(season.id, CONTEST)
        definition, store = begin(file, self._prints(season))
        with closing(store):
            yield OpenContest(definition, store, state_in(store))

    @contextmanager
    def entering(self, season: ArenaSeason, team: str) -> Iterator[OpenContest]:
        """The contest with one more team, while its late entry is being decided."""
        self.write(season, [*self.joined(season), team])
        file = self._folders.path(season.id, CONTEST)
        try:
            definition, store = opened_if_begun(file, entering=[team])
            if store is None:
                raise StoreError(f"the record of season {season.id} is gone")
            with closing(store):
                yield OpenContest(definition, store, state_in(store))
        finally:
            self.write(season, self.joined(season))

    def write(self, season: ArenaSeason, joined: Collection[str] = ()) -> None:
        """Write the contest's file: the teams that began, and those that joined."""
        there = [each for each in season.entries.values() if each.began or each.team in joined]
        teams = [self._team(season, each) for each in there]
        text = written(season.definition, teams).encode()
        path = self._folders.path(season.id, CONTEST)
        if not path.exists() or path.read_bytes() != text:
            write_private(path, text)

    def joined(self, season: ArenaSeason) -> dict[str, int]:
        """Late entries with their match day."""
        path = self._folders.path(season.id, RECORD)
        if not path.exists():
            return {}
        with closing(open_store(path)) as store:
            return rulings_in(store).joined

    def spoilt(self, season: ArenaSeason) -> list[SpoiltGame]:
        """Recorded games that were spoilt by a machine; they do not count."""
        path = self._folders.path(season.id, RECORD)
        if not path.exists():
            return []
        with closing(open_store(path)) as store:
            found = [json.loads(entry.data) for entry in store.read(SPOILT)]
        return [SpoiltGame(each["game"], each["machine"], each["reason"]) for each in found]

    def versions(self, season: ArenaSeason) -> dict[str, set[str]]:
        """Team → every version that it chose or played with."""
        path = self._folders.path(season.id, RECORD)
        noted: list[dict[str, str]] = []
        if path.exists():
            with closing(open_store(path)) as store:
                noted = [json.loads(each.data) for each in store.read(PLAYERS)]
        played = [(team, text.partition(" ")[0]) for each in noted for team, text in each.items()]
        return {
            team: {entry.version, *(version for who, version in played if who == team)}
            for team, entry in season.entries.items()
        }

    def seats(self, season: ArenaSeason) -> dict[str, SeatedVersion]:
        """Team → its frozen version."""
        return {
            team: SeatedVersion(team, str(self._version(each).path), each.file, season.game)
            for team, each in season.entries.items()
            if each.frozen
        }

    def _team(self, season: ArenaSeason, entry: SeasonEntry) -> dict[str, str]:
        """A team under its id; the path of its player is relative to the contest's file."""
        folder = self._folders.path(season.id, CONTEST).parent
        return {"name": entry.team, "player": os.path.relpath(self._version(entry).path, folder)}

    def _prints(self, season: ArenaSeason) -> dict[str, str | None]:
        frozen = {team: each for team, each in season.entries.items() if each.frozen}
        return {team: f"{each.frozen} sha256={each.file}" for team, each in frozen.items()}

    def _version(self, entry: SeasonEntry) -> Version:
        return self._bots.version(entry.frozen or entry.version)
