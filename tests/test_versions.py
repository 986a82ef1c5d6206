"""A new database is made as its newest version: the same tables as after all its migrations."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import create_engine, inspect, text

from spielleiter.accounts import database
from spielleiter.store import store
from spielleiter.store.versions import Versions

BOTH = pytest.mark.parametrize("versions", [store.VERSIONS, database.VERSIONS])


def described(engine: Any, versions: Versions) -> dict[str, Any]:
    """Everything that a database says about its tables, and the version noted there."""
    found = inspect(engine)
    tables = {
        name: {
            "columns": {each["name"]: _plain(each) for each in found.get_columns(name)},
            "key": found.get_pk_constraint(name),
            "unique": sorted(map(str, found.get_unique_constraints(name))),
            "indexes": sorted(map(str, found.get_indexes(name))),
            "references": sorted(map(str, found.get_foreign_keys(name))),
        }
        for name in found.get_table_names()
    }
    with engine.connect() as connection:
        noted = connection.scalar(text(f"select version_num from {versions.noted}"))
    return {"tables": tables, "noted": noted}


def _plain(column: Any) -> dict[str, Any]:
    return {**column, "type": str(column["type"])}


@BOTH
def test_a_new_database_is_made_as_its_migrations_would(versions: Versions) -> None:
    made, migrated = create_engine("sqlite://"), create_engine("sqlite://")
    versions.bring_up_to_date(made)
    with migrated.begin() as connection:
        versions.migrate(connection)
    assert described(made, versions) == described(migrated, versions)


@BOTH
def test_what_is_there_already_is_left_as_it_is(versions: Versions) -> None:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        versions.migrate(connection)
    before = described(engine, versions)
    versions.bring_up_to_date(engine)
    assert described(engine, versions) == before


@BOTH
def test_tables_of_an_older_version_are_migrated(versions: Versions) -> None:
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        connection.execute(
            text(f"create table {versions.noted} (version_num varchar(32) not null primary key)")
        )
    versions.bring_up_to_date(engine)
    assert described(engine, versions)["noted"] == versions.head
    assert set(versions.metadata.tables) <= set(inspect(engine).get_table_names())
