"""What was played from a position in many games: indexes in memory that grow with their games."""

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
"""Of one source and edition; later ones are not taken."""
_SOURCES = 8
"""Whose indexes are kept; the one that nobody asked for the longest is forgotten."""
_AT_ONCE = 1.5
"""Seconds that games are read for one answer; the next answer knows more."""

Load = Callable[[], GameRecord | None]


@dataclass(frozen=True, slots=True)
class ExplorableGame:
    """A game of a source: its name in addresses, its players, and how to read it."""

    name: str
    players: tuple[str, ...]
    load: Load


@dataclass(frozen=True, slots=True)
class Explored:
    """What is known of a position."""

    moves: Sequence[PlayedMove]
    games: Sequence[str]
    """Names of games in which it stood."""
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
        """Forget what was read; whoever still asks begins anew."""
        with self.lock:
            for index in self.indexes.values():
                index.close()
            self.indexes.clear()
            self.read.clear()


class GameExplorer:
    """Answers for sources by name; what was read once is not read again."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._sources: OrderedDict[str, _Source] = OrderedDict()
        self._clock, self._lock = clock, threading.Lock()

    def read(self, source: str, known: Iterable[ExplorableGame]) -> dict[str, Counter[str]]:
        """Take in games for a moment; for each edition the positions that its games begin with."""
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
        """Let go of all indexes."""
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
    """Put a game that is over into its index; one without moves or a replay is left out."""
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
    """Whether anybody moved: a player who stayed away begins no opening."""
    return any(isinstance(event, Played | PositionStated) for event in record.events)


def _index(kept: _Source, game: Game) -> ExplorerIndex:
    if game.name not in kept.indexes:
        kept.indexes[game.name] = ExplorerIndex(None, game)
    return kept.indexes[game.name]
