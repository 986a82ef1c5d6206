"""The database beside the record: SQLite in the same file, or PostgreSQL."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Row, Select, event, inspect, select

from spielleiter.ladder import schema
from spielleiter.store.address import StoreAddress
from spielleiter.store.private import private_file
from spielleiter.store.retry import PATIENCE, Retry
from spielleiter.store.store import empty_log, engine_of, reader_of, store_errors

Done = TypeVar("Done")
FORM_NAME = "form"
"""Under this name the cursors tell the form of the tables."""


class LadderDatabase:
    """Reads rows, and writes in transactions that happen as a whole or not at all.

    Transactions are retried after a lost connection, so each must be idempotent.
    """

    def __init__(
        self,
        where: str | Path | StoreAddress,
        patience: float = PATIENCE,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self.address = StoreAddress.of(where)
        self._patience = Retry(patience, wait)
        self._engine = _engine(self.address)
        self._reader = reader_of(self._engine)
        self._writer = self._engine.execution_options(writes=True)
        with store_errors(self.address):
            _made(self._writer)

    def rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """All rows of a query."""

        def read() -> Sequence[Row[Any]]:
            with self._reader.connect() as connection:
                return connection.execute(query).all()

        return self._patiently(read)

    def row(self, query: Select[Any]) -> Row[Any] | None:
        """The first row of a query."""
        return next(iter(self.rows(query.limit(1))), None)

    def write(self, act: Callable[[Connection], Done]) -> Done:
        """Run a function in one transaction; other writers wait until it has ended."""

        def written() -> Done:
            with self._writer.begin() as connection:
                return act(connection)

        return self._patiently(written)

    def empty_log(self) -> None:
        """What was erased is gone from the disk as well."""
        self._patiently(lambda: empty_log(self._engine))

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()

    def _patiently(self, act: Callable[[], Done]) -> Done:
        def tried(again: bool) -> Done:
            with store_errors(self.address):
                return act()

        return self._patience(tried)


def _made(engine: Engine) -> None:
    """Tables of a former version get the indexes that they lack, or are made anew."""
    with engine.begin() as connection:
        if _is_outdated(connection):
            schema.metadata.drop_all(connection, tables=schema.computed)
        schema.metadata.create_all(connection)
        for table in schema.metadata.sorted_tables:
            for index in table.indexes:
                index.create(connection, checkfirst=True)


def _is_outdated(connection: Connection) -> bool:
    """Whether what is computed from the record has a form of former times."""
    if not inspect(connection).has_table(schema.cursor.name):
        return False
    form = select(schema.cursor.c.number).where(schema.cursor.c.name == FORM_NAME)
    return connection.scalar(form) not in (None, schema.FORM)


def _engine(address: StoreAddress) -> Engine:
    with store_errors(address):
        if not address.is_database:
            private_file(Path(address.where))
        engine = engine_of(address)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _prepare_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: Any) -> None:
    """Explicit transactions; commits need no fsync, since the tables can be computed again; deleted
    rows are overwritten."""
    connection.isolation_level = None
    for pragma in ("synchronous = NORMAL", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    """Lock for writing at once: upgrading a read lock would fail instead of waiting."""
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
