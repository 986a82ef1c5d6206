"""The games of a file or store: replays, logs, matches and contests."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from spielleiter.errors import SpielleiterError, UnknownName, UsageError
from spielleiter.match import GameRecord
from spielleiter.service.record_files import read
from spielleiter.service.table_games import table_games
from spielleiter.store.stored_games import stored_records
from spielleiter.tournament.record import from_text
from spielleiter.tournament.recorded_game import RecordedGame, recorded
from spielleiter.web.uploads import unpacked

if TYPE_CHECKING:
    from spielleiter.store import Store

GAME, MATCH = "game", "match"
"""The kinds of a store's entries: a game, and the settings of a match."""
LARGEST_RECORD = 64 * 1024 * 1024
"""Bytes of a record, unpacked."""
_SQLITE = b"SQLite format 3\x00"


def recorded_games(source: str) -> Iterator[RecordedGame]:
    """All games of a record's file, of the store of a match or contest, or of an arena's folder."""
    if "://" in source:
        yield from _of_store(source)
        return
    path = Path(source)
    if path.is_dir():
        yield from _of_arena(path)
        return
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


def _of_arena(folder: Path) -> Iterator[RecordedGame]:
    from spielleiter.service.arena_records import arena_games, is_arena  # only where there is one

    if not is_arena(folder):
        raise UsageError(f"{str(folder)!r} is no data folder of an arena")
    yield from arena_games(folder)


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
            yield replace(recorded(entry, nodes), key=stored.key)
        yield from table_games(store)


def _nodes(store: Store) -> int | None:
    """The node limit of a match."""
    for entry in store.read(MATCH):
        found = json.loads(entry.data)["limits"]["nodes"]
        return None if found is None else int(found)
    return None
