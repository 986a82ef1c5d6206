"""Append and read events.

Entries are chained: the hash of each covers the one before, so that whoever changes a byte has to
change all that follows. One process writes; its entries are numbered, and a second writer
fails on the first number that is taken instead of mixing in its own.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, insert, inspect, select, text
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from spielleiter.errors import StoreError
from spielleiter.store import schema
from spielleiter.store.address import StoreAddress
from spielleiter.store.entry import Entry

HEAD = "0001"
"""The newest migration."""
_FIRST_HASH = bytes(32)
_AT_ONCE = 1_000


class Store:
    """An open store. An entry is acknowledged, and safe, when `append` has returned."""

    def __init__(self, engine: Engine, address: StoreAddress) -> None:
        self._engine, self._address = engine, address
        with self._errors(), engine.connect() as connection:
            columns = schema.event.c
            last = select(columns.number, columns.hash).order_by(columns.number.desc()).limit(1)
            row = connection.execute(last).first()
        self._number: int = row.number if row else 0
        self._hash: bytes = row.hash if row else _FIRST_HASH

    def append(self, entries: Sequence[Entry]) -> None:
        """Keep all of these entries, or none if that fails."""
        rows, number, digest = [], self._number, self._hash
        for entry in entries:
            number, digest = number + 1, chained(digest, number + 1, entry)
            rows.append(_row(number, entry, digest))
        if rows:
            with self._errors(), self._engine.begin() as connection:
                connection.execute(insert(schema.event), rows)
            self._number, self._hash = number, digest

    def read(self, *kinds: str) -> Iterator[Entry]:
        """All entries of some kinds, in the order they happened."""
        for row in self._rows(select(schema.event).where(schema.event.c.kind.in_(kinds))):
            yield Entry(row.kind, row.key, row.data)

    def named(self, kind: str, keys: Sequence[str]) -> list[Entry]:
        """The entries of a kind with these keys, in the order they happened."""
        table = schema.event.c
        found: list[Any] = []
        for at in range(0, len(keys), _AT_ONCE // 2):
            some = table.key.in_(keys[at : at + _AT_ONCE // 2])
            found += self._page(select(schema.event).where(table.kind == kind, some))
        return [Entry(row.kind, row.key, row.data) for row in sorted(found, key=lambda r: r.number)]

    def news(self, after: int, *kinds: str) -> Iterator[tuple[int, Entry]]:
        """Entries of some kinds with their numbers, from the first beyond `after` on."""
        event = schema.event
        query = select(event).where(event.c.kind.in_(kinds)).where(event.c.number > after)
        for row in self._rows(query):
            yield row.number, Entry(row.kind, row.key, row.data)

    def check(self) -> Iterator[str]:
        """What is wrong with the chain, from the first link on: nothing, if nobody touched it."""
        try:
            yield from self._broken()
        except StoreError as error:  # a text that is none any more
            yield str(error)

    def _broken(self) -> Iterator[str]:
        digest = _FIRST_HASH
        for number, row in enumerate(self._rows(select(schema.event)), 1):
            if row.number != number:
                yield f"entry {number} is missing: the next one is {row.number}"
                return
            parts = (row.kind, row.key, row.data)
            texts = all(isinstance(part, str) for part in parts)
            digest = chained(digest, number, Entry(*parts)) if texts else b""
            if row.hash != digest:
                yield f"entry {number} ({row.kind} {row.key}) is not what was written"
                return

    @property
    def is_empty(self) -> bool:
        """Whether nothing has happened yet."""
        return self._number == 0

    @property
    def seal(self) -> str:
        """The hash of the last entry: it vouches for all."""
        return f"{self._number}:{self._hash.hex()}"

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    def _rows(self, query: Any) -> Iterator[Any]:
        """Page by page in the order of numbers: nothing stays open while the caller thinks."""
        number = schema.event.c.number
        page = query.order_by(number).limit(_AT_ONCE)
        rows = self._page(page)
        while rows:
            yield from rows
            rows = self._page(page.where(number > rows[-1].number))

    def _page(self, query: Any) -> Sequence[Any]:
        with self._errors(), self._engine.connect() as connection:
            return connection.execute(query).all()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        with store_errors(self._address):
            yield


def open_store(where: str | Path | StoreAddress) -> Store:
    """The store in a file (made if there is none), or at a URL of a database."""
    address = StoreAddress.of(where)
    with store_errors(address):
        engine = _engine(address)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
        _migrate(engine)
        return Store(engine, address)


def _engine(address: StoreAddress) -> Engine:
    try:
        return create_engine(address.url)
    except ValueError as error:
        raise OSError(f"this is no URL of a database: {error}") from None


def chained(before: bytes, number: int, entry: Entry) -> bytes:
    """The hash of an entry: over the hash before it, its number and all its parts with lengths."""
    parts = [part.encode("utf-8", "surrogatepass") for part in (entry.kind, entry.key, entry.data)]
    lengths = ",".join(str(len(part)) for part in parts)
    return hashlib.sha256(b"".join((before, f"{number}:{lengths};".encode(), *parts))).digest()


@contextmanager
def store_errors(where: str | Path | StoreAddress) -> Iterator[None]:
    """Whatever a database says becomes a StoreError that names the store, without its password."""
    address = StoreAddress.of(where)
    try:
        yield
    except IntegrityError as error:
        raise StoreError(f"{address}: somebody else writes to it at the same time") from error
    except (SQLAlchemyError, OSError, sqlite3.Error, ModuleNotFoundError) as error:
        reason = str(getattr(error, "orig", None) or error).strip()
        raise StoreError(f"{address}: {address.hide_in(reason)}") from None


def _row(number: int, entry: Entry, digest: bytes) -> dict[str, Any]:
    return {
        "number": number,
        "kind": entry.kind,
        "key": entry.key,
        "data": entry.data,
        "hash": digest,
    }


def _prepare_sqlite(connection: Any, _: Any) -> None:
    """Readers do not wait for the writer, and a commit is on the disk when it returns."""
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "busy_timeout = 5000"):
        connection.execute(f"PRAGMA {pragma}")


def _migrate(engine: Engine) -> None:
    if _version(engine) == HEAD:
        return
    from alembic import command
    from alembic.config import Config

    with engine.begin() as connection:
        config = Config()
        config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _version(engine: Engine) -> str | None:
    if not inspect(engine).has_table("alembic_version"):
        return None
    with engine.connect() as connection:
        return _first(connection)


def _first(connection: Connection) -> str | None:
    row = connection.execute(text("select version_num from alembic_version")).first()
    return None if row is None else str(row[0])
