"""The games of a file or store, wherever they come from: replays, logs, matches and contests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from spielleiter.errors import SpielleiterError, UnknownName, UsageError
from spielleiter.game import Outcome, Seat
from spielleiter.match import GameRecord
from spielleiter.service.record_files import read
from spielleiter.tournament.pairing import Opening, Pairing, drawn
from spielleiter.tournament.record import from_text
from spielleiter.web.uploads import unpacked

if TYPE_CHECKING:
    from spielleiter.store import Store

GAME, MATCH = "game", "match"
"""The kinds of a store's entries: a game, and what a match began with."""
LARGEST_RECORD = 64 * 1024 * 1024
"""Bytes of a record, unpacked."""
_SQLITE = b"SQLite format 3\x00"


@dataclass(frozen=True, slots=True)
class RecordedGame:
    """A game with the name it goes by in its source."""

    key: str
    players: tuple[str, ...]
    record: GameRecord
    faults: tuple[str | None, ...]
    """For each seat what it did wrong, in a word or two."""
    spent: tuple[float, ...] = ()
    """Seconds that each seat thought, if that is known."""
    opening: str = ""
    """The seed and the options of the start, as `match` takes them."""
    log: str = ""
    """What the players printed."""
    pairing: Pairing | None = None
    """Whose seeds the players had; None: the record does not say."""
    nodes: int | None = None
    """What a player was told to search, if that was said."""

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None: the record does not say."""
        ended = self.record.ended
        return None if ended is None else ended.outcome

    def seed(self, seat: Seat) -> int:
        """What the player of a seat drew its lots from; 0 if that is not known."""
        return (
            0 if self.pairing is None else drawn(self.pairing.opening.seed, self.pairing.key, seat)
        )

    def seat_of(self, player: str) -> Seat | None:
        """Where a player sat; None: not here."""
        return self.players.index(player) if player in self.players else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFilter:
    """Which games somebody wants to see; what is None does not matter."""

    player: str | None = None
    opponent: str | None = None
    seat: Seat | None = None
    """Where the player sat, or where somebody failed."""
    result: str | None = None
    """`won`, `drawn` or `lost`, as the player sees it."""
    fault: str | None = None
    """A word of the fault of anybody, such as `late`; empty: any fault."""
    opening: str | None = None
    reason: str | None = None
    """A word of the reason why the game ended."""

    def takes(self, game: RecordedGame) -> bool:
        """Whether a game is wanted."""
        seat = None if self.player is None else game.seat_of(self.player)
        if self.player is not None and seat is None:
            return False
        return (
            self._fits_opponent(game, seat)
            and (self.seat is None or seat is None or seat == self.seat)
            and (self.result is None or _result(game, seat) == self.result)
            and (self.fault is None or self._fits_fault(game, seat))
            and self.opening in (None, game.opening, game.opening.partition(" ")[0])
            and (self.reason or "") in (game.outcome.reason if game.outcome else "")
        )

    def _fits_opponent(self, game: RecordedGame, seat: Seat | None) -> bool:
        others = [name for at, name in enumerate(game.players) if at != seat]
        return self.opponent is None or self.opponent in others

    def _fits_fault(self, game: RecordedGame, seat: Seat | None) -> bool:
        faults = game.faults if seat is None else game.faults[seat : seat + 1]
        return any(fault is not None and (self.fault or "") in fault for fault in faults)


def _result(game: RecordedGame, seat: Seat | None) -> str:
    """How a game ended for a seat; without one a game is `drawn` or `won` by somebody."""
    if game.outcome is None:
        return "unfinished"
    winners = game.outcome.winners
    if seat is not None and seat not in winners:
        return "lost"
    return "won" if len(winners) == 1 else "drawn"


def recorded_games(source: str) -> Iterator[RecordedGame]:
    """All games of a record's file, or of the store of a match or contest."""
    if "://" in source:
        yield from _of_store(source)
        return
    path = Path(source)
    if not path.is_file():
        raise UsageError(f"there is no file {source!r}")
    with path.open("rb") as file:
        is_store = file.read(len(_SQLITE)) == _SQLITE
    yield from _of_store(source) if is_store else _of_file(path)


def file_records(path: Path) -> Iterator[GameRecord]:
    """The records in a file: a replay or log, or the store of a match, a contest or an arena."""
    if path.suffix != ".db":
        yield read(unpacked(path.read_bytes(), LARGEST_RECORD))
        return
    from spielleiter.store import open_store
    from spielleiter.web.recorder import stored_records

    with closing(open_store(path)) as store:
        for entry in store.read(GAME):
            yield from_text(entry.data).record
        yield from stored_records(store)


def chosen_game(source: str, key: str) -> RecordedGame:
    """One game of a source, by its key."""
    known = list(recorded_games(source))
    for each in known:
        if each.key == key:
            return each
    raise UnknownName("game", key, [each.key for each in known])


def _of_file(path: Path) -> Iterator[RecordedGame]:
    record = read(unpacked(path.read_bytes(), LARGEST_RECORD))
    ended = record.ended
    faults = (None,) * len(record.names) if ended is None else ended.faults
    said = tuple(None if fault is None else str(fault.kind.value) for fault in faults)
    yield RecordedGame(path.name, record.names, record, said)


def _of_store(source: str) -> Iterator[RecordedGame]:
    from spielleiter.store import open_store  # files need no database

    with closing(open_store(source)) as store:
        nodes = _nodes(store)
        for stored in store.read(GAME):
            try:
                entry = from_text(stored.data)
            except SpielleiterError as problem:
                raise UsageError(f"{source} holds games of another kind: {problem}") from problem
            result, key = entry.result(), entry.pairing.key
            yield RecordedGame(
                key,
                entry.pairing.players,
                entry.record,
                result.faults,
                result.spent,
                _opening(entry.pairing.opening),
                entry.log,
                entry.pairing,
                nodes,
            )


def _nodes(store: Store) -> int | None:
    """What a match told its players to search."""
    for entry in store.read(MATCH):
        found = json.loads(entry.data)["limits"]["nodes"]
        return None if found is None else int(found)
    return None


def _opening(opening: Opening) -> str:
    """The seed, then the options: `17 map=p2_08x08`."""
    return " ".join([str(opening.seed), *(f"{name}={value}" for name, value in opening.options)])
