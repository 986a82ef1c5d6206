"""The database behind the accounts: SQLite in a file, or PostgreSQL."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, event, text

from spielleiter.accounts.schema import metadata
from spielleiter.store.address import StoreAddress
from spielleiter.store.private import private_file
from spielleiter.store.store import empty_log, engine_of, store_errors
from spielleiter.store.versions import Versions

FILE = "accounts.db"
"""The database of an arena's accounts, in its data folder."""
_ONE_MOMENT = "REPEATABLE READ"
VERSION_TABLE = "accounts_version"
"""Where migrations are noted: the record of games may live in the same database."""
VERSIONS = Versions(metadata, "0001", Path(__file__).parent / "migrations", VERSION_TABLE)


class AccountsDatabase:
    """Reads rows, and writes in transactions that happen as a whole or not at all."""

    def __init__(self, engine: Engine, address: StoreAddress) -> None:
        self._engine, self._address = engine, address
        self._writer = engine.execution_options(writes=True)

    @property
    def address(self) -> StoreAddress:
        """Where it is."""
        return self._address

    def rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """All rows of a query."""
        with store_errors(self._address), self._engine.connect() as connection:
            return connection.execute(query).all()

    def row(self, query: Select[Any]) -> Row[Any] | None:
        """The first row of a query."""
        with store_errors(self._address), self._engine.connect() as connection:
            return connection.execute(query).first()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A write transaction; other writers wait until it has ended."""
        with store_errors(self._address), self._writer.begin() as connection:
            yield connection

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A read transaction: all its queries see the same state."""
        level = {} if self._engine.dialect.name == "sqlite" else {"isolation_level": _ONE_MOMENT}
        moment = self._engine.execution_options(**level)
        with store_errors(self._address), moment.begin() as connection:
            yield connection

    def restart_numbers(self, writing: Connection) -> None:
        """Continue numbering after the last inserted row; SQLite does this by itself."""
        if self._engine.dialect.name != "sqlite":
            last = "coalesce((select max(number) from notice), 0) + 1, false"
            writing.execute(
                text(f"select setval(pg_get_serial_sequence('notice', 'number'), {last})")
            )

    def empty_log(self) -> None:
        """What was erased is gone from the disk as well."""
        with store_errors(self._address):
            empty_log(self._engine)

    def close(self) -> None:
        """Close the connections."""
        self._engine.dispose()


def open_database(where: str | Path | StoreAddress) -> AccountsDatabase:
    """The database in a file (made if there is none), or at a URL."""
    address = StoreAddress.of(where)
    with store_errors(address):
        if not address.is_database:
            private_file(Path(address.where))
        engine = engine_of(address, pings=address.is_database)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _prepare_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
        VERSIONS.bring_up_to_date(engine)
    return AccountsDatabase(engine, address)


def new_id() -> str:
    """A random id that reveals nothing about its owner."""
    return secrets.token_hex(10)


def _prepare_sqlite(connection: Any, _: Any) -> None:
    """Explicit transactions, checked foreign keys, and erased data is overwritten."""
    connection.isolation_level = None
    for pragma in ("foreign_keys = ON", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    """Lock for writing at once: upgrading a read lock would fail instead of waiting."""
    writes = connection.get_execution_options().get("writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
