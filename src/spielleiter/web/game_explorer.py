"""In-memory indexes of the moves played from positions in many games."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from spielleiter import games
from spielleiter.errors import SpielleiterError
from spielleiter.explorer import ExplorerIndex, PlayedMove
from spielleiter.game import Game, Position
from spielleiter.match import GameRecord, Played, PositionStated

MOST_GAMES = 20_000
"""Most games of one source and edition."""
_SOURCES = 8
"""Most sources with indexes in memory; the least recently used one is dropped."""
_AT_ONCE = 1.5
"""Seconds for reading games per answer; the next answer continues."""

Load = Callable[[], GameRecord | None]


@dataclass(frozen=True, slots=True)
class ExplorableGame:
    """A game of a source: its name in addresses, its players, and how to read it."""

    name: str
    players: tuple[str, ...]
    load: Load


@dataclass(frozen=True, slots=True)
class Explored:
    """The moves and games of a position."""

    moves: Sequence[PlayedMove]
    games: Sequence[str]
    """Names of games with the position."""
    read: int
    """How many games of the source were read so far."""


@dataclass(slots=True)
class _Source:
    """The indexes of one source, by edition."""

    indexes: dict[str, ExplorerIndex] = field(default_factory=dict)
    games: Counter[str] = field(default_factory=Counter)
    starts: dict[str, Counter[str]] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def close(self) -> None:
        """Drop all indexes."""
        with self.lock:
            for index in self.indexes.values():
                index.close()
            self.indexes.clear()
            self.read.clear()


class GameExplorer:
    """Explores sources by name; each game is read once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._sources: OrderedDict[str, _Source] = OrderedDict()
        self._clock, self._lock = clock, threading.Lock()

    def read(self, source: str, known: Iterable[ExplorableGame]) -> dict[str, Counter[str]]:
        """Read games for a limited time; returns the start positions of each edition."""
        kept = self._source(source)
        with kept.lock:
            until = self._clock() + _AT_ONCE
            for each in (game for game in known if game.name not in kept.read):
                if self._clock() > until:
                    break
                kept.read.add(each.name)
                _take(kept, each)
            return {edition: Counter(starts) for edition, starts in kept.starts.items()}

    def answer(self, source: str, position: Position, player: str | None = None) -> Explored:
        """What was played from a position in the games that were read."""
        kept = self._source(source)
        with kept.lock:
            index = kept.indexes.get(position.edition)
            if index is None:
                return Explored((), (), len(kept.read))
            return Explored(
                index.played(position, player), index.games_with(position), len(kept.read)
            )

    def close(self) -> None:
        """Drop all indexes."""
        with self._lock:
            while self._sources:
                self._sources.popitem()[1].close()

    def _source(self, name: str) -> _Source:
        with self._lock:
            self._sources[name] = self._sources.pop(name, _Source())
            while len(self._sources) > _SOURCES:
                self._sources.popitem(last=False)[1].close()
            return self._sources[name]


def _take(kept: _Source, each: ExplorableGame) -> None:
    """Add a finished game to its index, if it has moves."""
    try:
        loaded = each.load()
        record = None if loaded is None else loaded.counted
        if record is None or record.ended is None or not _was_played(record):
            return
        game = record.game(games.load_recorded)
        index = _index(kept, game)
        if kept.games[game.name] < MOST_GAMES and index.add([(each.name, record)]):
            kept.games[game.name] += 1
            kept.starts.setdefault(game.name, Counter())[record.opened.position] += 1
    except SpielleiterError:
        return


def _was_played(record: GameRecord) -> bool:
    """Whether any move was played."""
    return any(isinstance(event, Played | PositionStated) for event in record.events)


def _index(kept: _Source, game: Game) -> ExplorerIndex:
    if game.name not in kept.indexes:
        kept.indexes[game.name] = ExplorerIndex(None, game)
    return kept.indexes[game.name]
