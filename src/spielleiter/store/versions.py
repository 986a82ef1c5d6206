"""Brings a database to the newest version of its tables."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    inspect,
    select,
)

_TURN = 7_061
"""The advisory lock held in PostgreSQL while tables are created or migrated."""


@dataclass(frozen=True, slots=True)
class Versions:
    """The tables of a database and their history."""

    metadata: MetaData
    """The tables as they are now."""
    head: str
    """The newest migration."""
    migrations: Path
    """The folder of all migrations."""
    noted: str
    """The table that says which one was the last."""

    def bring_up_to_date(self, engine: Engine) -> None:
        """Create missing tables, or migrate older ones."""
        with engine.connect() as connection:
            if self._version(connection) == self.head:
                return
        with engine.execution_options(writes=True).begin() as connection:
            _take_turn(connection)
            if self._is_empty(connection):
                self._make(connection)
            elif self._version(connection) != self.head:
                self.migrate(connection)

    def migrate(self, connection: Connection) -> None:
        """Run all pending migrations."""
        from alembic import command  # takes a fifth of a second, and is seldom needed
        from alembic.config import Config

        config = Config()
        config.set_main_option("script_location", str(self.migrations))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")

    def _version(self, connection: Connection) -> str | None:
        if not inspect(connection).has_table(self.noted):
            return None
        return connection.scalar(select(self._note().c.version_num))

    def _is_empty(self, connection: Connection) -> bool:
        names = set(inspect(connection).get_table_names())
        return not names & {self.noted, *self.metadata.tables}

    def _make(self, connection: Connection) -> None:
        """Create the newest version in an empty database."""
        note = self._note()
        self.metadata.create_all(connection)
        note.create(connection)
        connection.execute(note.insert().values(version_num=self.head))

    def _note(self) -> Table:
        """Write the version table as migrations do."""
        return Table(
            self.noted,
            MetaData(),
            Column("version_num", String(32), nullable=False),
            PrimaryKeyConstraint("version_num", name=f"{self.noted}_pkc"),
        )


def _take_turn(connection: Connection) -> None:
    """Serialise processes that open a database at the same time."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"select pg_advisory_xact_lock({_TURN})")
        return
    raw = connection.connection.dbapi_connection
    if connection.dialect.name == "sqlite" and not getattr(raw, "in_transaction", True):
        connection.exec_driver_sql("BEGIN IMMEDIATE")
