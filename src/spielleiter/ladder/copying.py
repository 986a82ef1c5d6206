"""Copies a ladder from one database into another: a backup of PostgreSQL, or a move to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Row, Table, insert, inspect, select

from spielleiter.errors import UsageError
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.schema import due, friendly, friendly_team, output
from spielleiter.store import open_store
from spielleiter.store.address import StoreAddress
from spielleiter.store.store import engine_of, store_errors

_AT_ONCE = 1_000
Item = TypeVar("Item")


def has_ladder(where: str | Path | StoreAddress) -> bool:
    """Whether there is a ladder at an address."""
    address = StoreAddress.of(where)
    if not address.exists:
        return False
    with store_errors(address):
        engine = engine_of(address)
        try:
            return inspect(engine).has_table(due.name)
        finally:
            engine.dispose()


def copy_ladder(source: str | Path | StoreAddress, target: str | Path | StoreAddress) -> None:
    """Copy the record, the game queue, player output and friendlies; the rest is computed again.

    The chain of the copy is that of the source: its hashes depend on the entries alone.
    """
    with (
        closing(open_store(source)) as old,
        closing(open_store(target)) as new,
        closing(LadderDatabase(source)) as there,
        closing(LadderDatabase(target)) as here,
    ):
        if not new.is_empty:
            raise UsageError(f"{here.address} is not empty: restore into a new one")
        for some in _batches(old.all()):
            new.append(some)
        for table in (due, output, friendly, friendly_team):
            for rows in _batches(there.rows(select(table))):
                here.write(partial(_put, table, rows))


def _put(table: Table, rows: Sequence[Row[Any]], connection: Connection) -> None:
    connection.execute(insert(table), [dict(row._mapping) for row in rows])


def _batches(items: Iterable[Item]) -> Iterator[list[Item]]:
    rest = iter(items)
    while some := list(islice(rest, _AT_ONCE)):
        yield some
