"""The store that the ladder's load is measured with is one that the ladder could have written."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select

from benchmarks.ladder_load import measured
from benchmarks.ladder_store import EDITION, Season, add_games, add_people
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.results import LadderResults
from spielleiter.ladder.schema import computed, cursor
from spielleiter.store import open_store
from tests.databases import postgres_server
from tests.people import accounts_in

SMALL = Season(5, 20, 300)


def tables(where: str) -> dict[str, list[tuple[Any, ...]]]:
    with closing(LadderDatabase(where)) as database:
        return {
            table.name: sorted(map(tuple, database.rows(select(table))), key=repr)
            for table in computed
        }


def check_store(where: str) -> None:
    add_games(where, SMALL)
    made = tables(where)
    with closing(open_store(where)) as record, closing(LadderDatabase(where)) as database:
        assert list(record.check()) == []
        database.write(lambda connection: connection.execute(delete(cursor)))
        assert len(list(LadderResults(database).read_on(record))) == SMALL.games
    assert tables(where) == made


def test_a_made_store_is_what_the_ladder_fills_from_its_record(tmp_path: Path) -> None:
    check_store(str(tmp_path / "ladder.db"))


@pytest.mark.deep
def test_a_store_made_in_postgresql_is_the_same() -> None:
    with postgres_server() as server:
        check_store(server.url)


def test_made_teams_have_bots_that_play(tmp_path: Path) -> None:
    with accounts_in(tmp_path) as accounts:
        add_people(accounts, SMALL)
        found = accounts.bots.active_versions(EDITION)
        assert len(found) == 10
        assert {each.number for each in found} == {2}


def test_the_load_is_measured_page_by_page(tmp_path: Path) -> None:
    found = measured(tmp_path, None, SMALL, times=1)
    assert {"page: table", "page: mark", "next pairing", "ratings refreshed"} <= {
        row["what"] for row in found["rows"]
    }
