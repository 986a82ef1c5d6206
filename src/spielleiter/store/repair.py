"""Repairs a damaged store by saving its readable entries.

The hash of an entry covers the entry before it. An entry with a wrong hash, or that cannot be read,
is lost. An entry after a lost one cannot always be checked and is kept. The kept entries form a new
store with its own chain; its last entry lists what was lost.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, pairwise
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, func, select
from sqlalchemy.exc import SQLAlchemyError

from spielleiter.errors import StoreError, UsageError
from spielleiter.store import schema
from spielleiter.store.address import StoreAddress
from spielleiter.store.entry import Entry
from spielleiter.store.store import (
    FIRST_HASH,
    HASH,
    Store,
    chained,
    engine_of,
    entry_of,
    is_text,
    open_store,
    store_errors,
)

REPAIR = "repair"
"""The kind of the entry that says what a repair lost."""
DAMAGED = ".damaged"
"""Appended to the name of a file that was repaired."""
_AT_ONCE = 500
_MOST_MISSING = 10_000
"""If the last number is unknown, the search stops after so many missing numbers."""


@dataclass(slots=True)
class RepairReport:
    """The result of a repair."""

    kept: int = 0
    lost: list[str] = field(default_factory=list)
    doubtful: list[str] = field(default_factory=list)
    """Kept, with what is wrong about them."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing was wrong."""
        return not self.lost and not self.doubtful


@dataclass(frozen=True, slots=True)
class SavedRow:
    """One number of the damaged store and what can be read there."""

    number: int
    entry: Entry | None
    hash: bytes | None

    @property
    def name(self) -> str:
        """What to call it in a report."""
        called = "" if self.entry is None else f" ({self.entry.kind} {self.entry.key})"
        return f"entry {self.number}{called.encode('utf-8', 'replace').decode()}"


def repair(where: StoreAddress, target: StoreAddress | None = None) -> RepairReport:
    """Save a store into a new one; without a target the file is replaced and kept as `.damaged`."""
    if target is None:
        return _replaced(Path(where.where), where)
    if not target.is_database and Path(target.where).exists():
        raise UsageError(f"{target} exists already")
    with closing(open_store(target)) as store:
        if not store.is_empty:
            raise UsageError(f"{target} is not empty")
        return _saved(where, store)


def _replaced(path: Path, where: StoreAddress) -> RepairReport:
    if where.is_database:
        raise UsageError("a database is repaired into another store: name it with --to")
    if not path.is_file():
        raise UsageError(f"there is no file {path}")
    new = path.with_name(path.name + ".repaired")
    for part in _parts(new):
        part.unlink(missing_ok=True)
    report = repair(where, StoreAddress.of(new))
    if report.is_whole:
        new.unlink()
        return report
    for old, kept in zip(_parts(path), _parts(_free(path)), strict=True):
        if old.exists():
            os.replace(old, kept)
    os.replace(new, path)
    return report


def _parts(path: Path) -> list[Path]:
    """A file of SQLite and those beside it."""
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]


def _free(path: Path) -> Path:
    """A name for the damaged file that no earlier repair has taken."""
    kept, number = path.with_name(path.name + DAMAGED), 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.name}{DAMAGED}-{number}")
    return kept


# ------------------------------------------------------------------------------------------ saving


def _saved(where: StoreAddress, store: Store) -> RepairReport:
    report, batch, seen = RepairReport(), list[Entry](), set[int]()
    for entry in _vouched(_rows(where), report):
        if hash((entry.kind, entry.key)) in seen:
            report.lost.append(f"{entry.kind} {entry.key} stands there twice")
            continue
        seen.add(hash((entry.kind, entry.key)))
        batch.append(entry)
        if len(batch) == _AT_ONCE:
            store.append(batch)
            report.kept, batch = report.kept + len(batch), []
    store.append(batch)
    report.kept += len(batch)
    if not report.is_whole:
        data = {"lost": report.lost, "doubtful": report.doubtful}
        store.append([Entry(REPAIR, str(report.kept), json.dumps(data, ensure_ascii=False))])
    return report


def _vouched(rows: Iterable[SavedRow], report: RepairReport) -> Iterator[Entry]:
    """Yield the entries to keep; the others go into the report."""
    before, is_sure = FIRST_HASH, True
    for row, after in pairwise(chain(rows, [SavedRow(0, None, None)])):
        if row.entry is None:
            report.lost.append(f"{row.name} cannot be read")
            before, is_sure = row.hash or FIRST_HASH, False
            continue
        own = chained(before, row.number, row.entry)
        if own == row.hash:
            before, is_sure = own, True
            yield row.entry
        elif is_sure and _leads_to(own, after):
            report.doubtful.append(f"{row.name} had a damaged hash")
            before = own
            yield row.entry
        elif is_sure:
            report.lost.append(f"{row.name} is not what was written")
            before, is_sure = row.hash or FIRST_HASH, False
        else:
            report.doubtful.append(f"{row.name} cannot be checked: the one before is lost")
            before, is_sure = row.hash or FIRST_HASH, True
            yield row.entry


def _leads_to(digest: bytes, after: SavedRow) -> bool:
    return after.entry is not None and chained(digest, after.number, after.entry) == after.hash


# ----------------------------------------------------------------------------------------- reading


def _rows(where: StoreAddress) -> Iterator[SavedRow]:
    """All numbers from 1 to the last; where a page of the file is broken, one by one."""
    with store_errors(where):
        engine = engine_of(where)
        try:
            yield from _numbered(engine, _last(engine))
        finally:
            engine.dispose()


def _numbered(engine: Engine, last: int | None) -> Iterator[SavedRow]:
    first, missing = 1, 0
    while first <= last if last is not None else missing < _MOST_MISSING:
        end = first + _AT_ONCE if last is None else min(first + _AT_ONCE, last + 1)
        rows = _found(engine, first, end)
        missing = 0 if rows else missing + _AT_ONCE
        if last is not None or rows:
            yield from (
                rows.get(number, SavedRow(number, None, None)) for number in range(first, end)
            )
        first = end


def _found(engine: Engine, first: int, end: int) -> dict[int, SavedRow]:
    """What can be read of some numbers."""
    try:
        return {row.number: _saved_row(row) for row in _fetched(engine, first, end)}
    except SQLAlchemyError:
        if end - first == 1:
            return {}
    middle = (first + end) // 2
    return _found(engine, first, middle) | _found(engine, middle, end)


def _fetched(engine: Engine, first: int, end: int) -> list[Any]:
    columns = schema.event.c
    query = select(columns.number, columns.kind, columns.key, columns.data, HASH)
    with engine.connect() as connection:
        return list(connection.execute(query.where(columns.number >= first, columns.number < end)))


def _saved_row(row: Any) -> SavedRow:
    entry = entry_of(row) if is_text(row) and _is_unicode(row) else None
    return SavedRow(row.number, entry, row.hash)


def _is_unicode(row: Any) -> bool:
    try:
        f"{row.kind}{row.key}{row.data}".encode()
    except UnicodeEncodeError:
        return False
    return True


def _last(engine: Engine) -> int | None:
    """The last number; None if the file is so damaged that it cannot be asked for."""
    try:
        with engine.connect() as connection:
            return connection.scalar(select(func.max(schema.event.c.number))) or 0
    except SQLAlchemyError as problem:
        if "no such table" in str(problem) or "not a database" in str(problem):
            raise StoreError(f"nothing can be read: {problem.__cause__ or problem}") from None
        return None
