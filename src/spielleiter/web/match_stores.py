"""The stores of matches and contests that the arena was opened with."""

from __future__ import annotations

import itertools
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from spielleiter.game import Outcome
from spielleiter.match import GameRecord
from spielleiter.store import Store, StoreAddress, open_store
from spielleiter.tournament.record import from_text
from spielleiter.tournament.recorded_game import RecordFilter, recorded

GAME = "game"


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game in the list of a store."""

    number: int
    """Its number in the store."""
    key: str
    players: tuple[str, ...]
    outcome: Outcome | None
    faults: tuple[str | None, ...]
    opening: str
    edition: str


class MatchStore:
    """One store; each entry is read once."""

    def __init__(self, title: str, store: Store) -> None:
        self.title = title
        self._store, self._lock = store, threading.Lock()
        self._games: list[StoredGame] = []

    def games(self, wanted: RecordFilter | None = None) -> list[StoredGame]:
        """The games that match a filter, in the order they were played."""
        with self._lock:
            self._games += self._news()
            chosen = wanted or RecordFilter()
            return [game for game in self._games if chosen.takes(game)]

    def _news(self) -> Iterator[StoredGame]:
        after = self._games[-1].number if self._games else 0
        for number, entry in self._store.news(after, GAME):
            game = recorded(from_text(entry.data))
            yield StoredGame(
                number,
                game.key,
                game.players,
                game.outcome,
                game.faults,
                game.opening,
                game.record.opened.edition,
            )

    def record(self, number: int) -> GameRecord | None:
        """The game that the store has under a number."""
        with self._lock:
            for found, entry in self._store.news(number - 1, GAME):
                return from_text(entry.data).record if found == number else None
        return None

    def close(self) -> None:
        """Close the store."""
        self._store.close()


class MatchStores:
    """All stores, by their names in URLs."""

    def __init__(
        self,
        places: Sequence[Path | StoreAddress] = (),
        opened: Callable[[StoreAddress], Store] = open_store,
    ) -> None:
        """`places` are files and databases; of a database only the name is shown."""
        self.all: dict[str, MatchStore] = {}
        self.uploaded: Callable[[str], MatchStore | None] = lambda name: None
        """Finds a store that a visitor uploaded; no list contains it."""
        for address in map(StoreAddress.of, places):
            title = _title(address)
            self.all[self._name(Path(title).stem)] = MatchStore(title, opened(address))

    def _name(self, title: str) -> str:
        plain = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "store"
        further = (f"{plain}-{number}" for number in itertools.count(2))
        return next(name for name in itertools.chain([plain], further) if name not in self.all)

    def get(self, name: str) -> MatchStore | None:
        """The store of a name: one that was named at the start, or one that was uploaded."""
        return self.all.get(name) or self.uploaded(name)

    def record(self, name: str) -> GameRecord | None:
        """A game by its name in addresses, such as `match~17`."""
        store, _, number = name.rpartition("~")
        if not re.fullmatch(r"[0-9]{1,12}", number) or (found := self.get(store)) is None:
            return None
        return found.record(int(number))

    def close(self) -> None:
        """Close all stores."""
        for each in self.all.values():
            each.close()


def _title(address: StoreAddress) -> str:
    """The title of a store: a file's name, or the database's name without host and user."""
    path = urlsplit(address.where).path if address.is_database else address.where
    return Path(path).name or "database"
