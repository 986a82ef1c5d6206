"""The games of a file or store, wherever they come from: replays, logs, matches and contests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from spielleiter.errors import SpielleiterError, UnknownName, UsageError
from spielleiter.match import GameRecord
from spielleiter.service.record_files import read
from spielleiter.store import open_store
from spielleiter.tournament.record import from_text
from spielleiter.web.uploads import unpacked

GAME = "game"
"""The kind of a store's entries that hold games."""
_MOST = 64 * 1024 * 1024
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
    seconds: tuple[float, ...] = ()
    """What each seat spent, if that is known."""


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


def chosen_game(source: str, key: str) -> RecordedGame:
    """One game of a source, by its key."""
    known = list(recorded_games(source))
    for each in known:
        if each.key == key:
            return each
    raise UnknownName("game", key, [each.key for each in known])


def _of_file(path: Path) -> Iterator[RecordedGame]:
    record = read(unpacked(path.read_bytes(), _MOST))
    ended = record.ended
    faults = (None,) * len(record.names) if ended is None else ended.faults
    said = tuple(None if fault is None else str(fault.kind.value) for fault in faults)
    yield RecordedGame(path.name, record.names, record, said)


def _of_store(source: str) -> Iterator[RecordedGame]:
    with closing(open_store(source)) as store:
        for stored in store.read(GAME):
            try:
                entry = from_text(stored.data)
            except SpielleiterError as problem:
                raise UsageError(f"{source} holds games of another kind: {problem}") from problem
            result, key = entry.result(), entry.pairing.key
            yield RecordedGame(
                key, entry.pairing.players, entry.record, result.faults, result.spent
            )
