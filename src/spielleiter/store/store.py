"""A store: append and read entries.

Entries are chained: the hash of each covers the one before, so that changing a byte invalidates all
that follows. One process writes; entries are numbered, so that a second writer fails on the first
number that is taken.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import (
    Connection,
    Engine,
    LargeBinary,
    cast,
    create_engine,
    event,
    insert,
    select,
)
from sqlalchemy.exc import IntegrityError, InterfaceError, OperationalError, SQLAlchemyError

from spielleiter.errors import StoreError, TextError
from spielleiter.store import schema
from spielleiter.store.address import StoreAddress
from spielleiter.store.entry import Entry
from spielleiter.store.private import private_file
from spielleiter.store.retry import PATIENCE, DatabaseAway, Retry
from spielleiter.store.versions import Versions

VERSIONS = Versions(
    schema.metadata, "0001", Path(__file__).parent / "migrations", "alembic_version"
)
FIRST_HASH = bytes(32)
"""The hash before the first entry."""
_AT_ONCE = 1_000
_AFTER_SLASH = chr(ord("/") + 1)
_BUSY = 5.0
"""Seconds that one connection to a file waits for another."""
_SEAL = re.compile(r"(\d{1,18}):([0-9a-f]{64})")
_COLUMNS = schema.event.c
_ENTRY = (_COLUMNS.number, _COLUMNS.kind, _COLUMNS.key, _COLUMNS.data)
HASH = cast(_COLUMNS.hash, LargeBinary).label("hash")
"""The column as bytes, whatever a damaged row holds."""

Done = TypeVar("Done")


class Store:
    """An open store. Entries are durable when `append` has returned.

    A lost database connection is retried until `patience` is over; nothing is written twice.
    """

    def __init__(
        self,
        engine: Engine,
        address: StoreAddress,
        patience: float = PATIENCE,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._engine, self._address = engine, address
        self._reader, self._patience = reader_of(engine), Retry(patience, wait)
        with self._errors(), self._reader.connect() as connection:
            last = select(_COLUMNS.number, HASH).order_by(_COLUMNS.number.desc()).limit(1)
            row = connection.execute(last).first()
        self._number: int = row.number if row else 0
        self._hash: bytes = row.hash if row else FIRST_HASH

    @property
    def address(self) -> StoreAddress:
        """Where it is."""
        return self._address

    def append(self, entries: Sequence[Entry]) -> None:
        """Append all of these entries, or none if that fails."""
        rows, number, digest = [], self._number, self._hash
        for entry in entries:
            number, digest = number + 1, chained(digest, number + 1, entry)
            rows.append(_row(number, entry, digest))
        if rows:
            self._patiently(lambda again: self._insert(rows, again))
            self._number, self._hash = number, digest

    def _insert(self, rows: list[dict[str, Any]], again: bool) -> None:
        """Insert rows, unless a lost connection had already committed them, as their hash shows."""
        last = rows[-1]
        one = self._reader if len(rows) == 1 else self._engine  # one statement needs no transaction
        with one.begin() as connection:
            if not again or _hash_of(connection, last["number"]) != last["hash"]:
                connection.execute(insert(schema.event), rows)

    def read(self, *kinds: str) -> Iterator[Entry]:
        """All entries of some kinds, in the order they happened."""
        for row in self._rows(select(*_ENTRY).where(_COLUMNS.kind.in_(kinds))):
            yield entry_of(row)

    def all(self) -> Iterator[Entry]:
        """All entries, in the order they happened."""
        for row in self._rows(select(*_ENTRY)):
            yield entry_of(row)

    def named(self, kind: str, keys: Sequence[str]) -> list[Entry]:
        """The entries of a kind with these keys, in the order they happened."""
        found: list[Any] = []
        for at in range(0, len(keys), _AT_ONCE // 2):
            some = _COLUMNS.key.in_(keys[at : at + _AT_ONCE // 2])
            found += self._page(select(*_ENTRY).where(_COLUMNS.kind == kind, some))
        return [entry_of(row) for row in sorted(found, key=lambda row: row.number)]

    def numbered(self, kind: str, name: str) -> list[Entry]:
        """The entries of a kind with keys `name/0`, `name/1` …, in the order they happened."""
        if self._engine.dialect.name != "sqlite":  # others may sort keys by the words of a language
            return self._counted(kind, name)
        begins, ends = f"{name}/", f"{name}{_AFTER_SLASH}"
        mine = (_COLUMNS.kind == kind, _COLUMNS.key >= begins, _COLUMNS.key < ends)
        found = self._page(select(*_ENTRY).where(*mine).order_by(_COLUMNS.number))
        return [entry_of(row) for row in found]

    def _counted(self, kind: str, name: str) -> list[Entry]:
        """The same, asked for number by number."""
        found, first, is_last = list[Entry](), 0, False
        while not is_last:
            keys = [f"{name}/{number}" for number in range(first, first + _AT_ONCE)]
            page = self.named(kind, keys)
            found, first = found + page, first + _AT_ONCE
            is_last = len(page) < _AT_ONCE - 1  # some begin with 1
        return found

    def news(self, after: int, *kinds: str) -> Iterator[tuple[int, Entry]]:
        """Entries of some kinds with their numbers, from the first beyond `after` on."""
        query = select(*_ENTRY).where(_COLUMNS.kind.in_(kinds), _COLUMNS.number > after)
        for row in self._rows(query):
            yield row.number, entry_of(row)

    def check(self) -> Iterator[str]:
        """The errors of the chain, from the first one on; none if the store is intact."""
        try:
            yield from self._broken()
        except StoreError as error:  # a text that is none any more
            yield str(error)

    def _broken(self) -> Iterator[str]:
        digest = FIRST_HASH
        for number, row in enumerate(self._rows(select(*_ENTRY, HASH)), 1):
            if row.number != number:
                yield f"entry {number} is missing: the next one is {row.number}"
                return
            digest = chained(digest, number, entry_of(row)) if is_text(row) else b""
            if row.hash != digest:
                yield f"entry {number} ({row.kind} {row.key}) is not what was written"
                return

    def check_seal(self, seal: str) -> Iterator[str]:
        """What contradicts a seal noted earlier; later entries are fine."""
        noted = _SEAL.fullmatch(seal.strip())
        if noted is None:
            raise TextError("a seal is a number, a colon and 64 hexadecimal digits", seal)
        number, digest = int(noted[1]), bytes.fromhex(noted[2])
        if number > self._number:
            missing = number - self._number
            yield f"{missing} entries were cut off the end: the seal is that of entry {number}"
        elif self._patiently(lambda again: self._hash_at(number)) != digest:
            yield f"entry {number} is not the one that the seal was noted for"

    def _hash_at(self, number: int) -> bytes | None:
        with self._reader.connect() as connection:
            return _hash_of(connection, number) if number else FIRST_HASH

    @property
    def is_empty(self) -> bool:
        """Whether nothing has happened yet."""
        return self._number == 0

    @property
    def seal(self) -> str:
        """The hash of the last entry, which covers all entries."""
        return f"{self._number}:{self._hash.hex()}"

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()

    def _rows(self, query: Any) -> Iterator[Any]:
        """Rows page by page in order, without a transaction that stays open."""
        number = _COLUMNS.number
        page = query.order_by(number).limit(_AT_ONCE)
        rows = self._page(page)
        yield from rows
        while len(rows) == _AT_ONCE:
            rows = self._page(page.where(number > rows[-1].number))
            yield from rows

    def _page(self, query: Any) -> Sequence[Any]:
        return self._patiently(lambda again: self._fetched(query))

    def _fetched(self, query: Any) -> Sequence[Any]:
        with self._reader.connect() as connection:
            return connection.execute(query).all()

    def _patiently(self, act: Callable[[bool], Done]) -> Done:
        def tried(again: bool) -> Done:
            with self._errors():
                return act(again)

        return self._patience(tried)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with store_errors(self._address):
            yield


def open_store(
    where: str | Path | StoreAddress,
    patience: float = PATIENCE,
    wait: Callable[[float], None] = time.sleep,
) -> Store:
    """The store in a file (made if there is none), or at a URL of a database."""
    address = StoreAddress.of(where)
    with store_errors(address):
        if not address.is_database:
            private_file(Path(address.where))
        engine = engine_of(address)
        VERSIONS.bring_up_to_date(engine)
        return Store(engine, address, patience, wait)


def engine_of(address: StoreAddress, *, pings: bool = False) -> Engine:
    """An engine for a database; connects on first use.

    With `pings` it checks a connection before each use.
    """
    settings = _connection_settings(address)
    try:
        engine = create_engine(address.url, connect_args=settings, pool_pre_ping=pings)
    except ValueError as error:
        raise OSError(f"this is no URL of a database: {error}") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
    return engine


def empty_log(engine: Engine) -> None:
    """Empty the write-ahead log of SQLite, in which rows that were erased stand for a while."""
    if engine.dialect.name == "sqlite":
        with closing(engine.raw_connection()) as connection:
            connection.cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")


def reader_of(engine: Engine) -> Engine:
    """The same database in autocommit mode, for single statements."""
    if engine.dialect.name == "sqlite":
        return engine
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def _connection_settings(address: StoreAddress) -> dict[str, int]:
    """Connection settings that detect an unresponsive database within half a minute."""
    if not address.url.startswith("postgresql"):
        return {}
    wanted = {"connect_timeout": 10, "keepalives_idle": 15, "keepalives_interval": 5}
    return {name: value for name, value in wanted.items() if f"{name}=" not in address.url}


def is_text(row: Any) -> bool:
    """Whether a row holds texts; a damaged one may hold anything."""
    return isinstance(row.kind, str) and isinstance(row.key, str) and isinstance(row.data, str)


def entry_of(row: Any) -> Entry:
    """The entry in a row. A damaged value becomes a text that no reader accepts."""
    kind, key, data = row.kind, row.key, row.data
    if isinstance(kind, str) and isinstance(key, str) and isinstance(data, str):
        return Entry(kind, key, data)
    return Entry(_as_text(kind), _as_text(key), _as_text(data))


def _as_text(part: Any) -> str:
    return part.decode("utf-8", "surrogateescape") if isinstance(part, bytes) else str(part)


def _hash_of(connection: Connection, number: int) -> bytes | None:
    found: bytes | None = connection.scalar(select(HASH).where(_COLUMNS.number == number))
    return found


def chained(before: bytes, number: int, entry: Entry) -> bytes:
    """The hash of an entry: over the hash before it, its number and all its parts with lengths."""
    parts = [part.encode("utf-8", "surrogatepass") for part in (entry.kind, entry.key, entry.data)]
    lengths = ",".join(str(len(part)) for part in parts)
    return hashlib.sha256(b"".join((before, f"{number}:{lengths};".encode(), *parts))).digest()


@contextmanager
def store_errors(where: str | Path | StoreAddress) -> Iterator[None]:
    """Convert database errors into StoreError, without the password."""
    address = StoreAddress.of(where)
    try:
        yield
    except IntegrityError as error:
        raise StoreError(f"{address}: somebody else writes to it at the same time") from error
    except (SQLAlchemyError, OSError, sqlite3.Error, ModuleNotFoundError) as error:
        reason = str(getattr(error, "orig", None) or error).strip()
        kind = DatabaseAway if _is_away(error, address) else StoreError
        raise kind(f"{address}: {address.hide_in(reason)}{_hint(reason, address)}") from None


def _is_away(error: Exception, address: StoreAddress) -> bool:
    return address.is_database and isinstance(error, OperationalError | InterfaceError)


def _hint(reason: str, address: StoreAddress) -> str:
    if "malformed" not in reason:
        return ""
    return f"; save what can be read: spielleiter store repair {address}"


def _row(number: int, entry: Entry, digest: bytes) -> dict[str, Any]:
    return {
        "number": number,
        "kind": entry.kind,
        "key": entry.key,
        "data": entry.data,
        "hash": digest,
    }


def _prepare_sqlite(connection: Any, _: Any) -> None:
    """Set up SQLite: readers do not wait for the writer, and commits are durable.

    Invalid UTF-8 is decoded with replacements, so that one damaged row does not hide the others.
    """
    connection.text_factory = _decoded
    for pragma in (f"busy_timeout = {_BUSY * 1000:.0f}", "synchronous = FULL"):
        connection.execute(f"PRAGMA {pragma}")
    _write_ahead(connection)


def _write_ahead(connection: Any) -> None:
    """Switch a new file to write-ahead logging, waiting for others that open it too.

    SQLite itself does not wait here; it reports a locked file at once.
    """
    until = time.monotonic() + _BUSY
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(0.01)


def _decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")
