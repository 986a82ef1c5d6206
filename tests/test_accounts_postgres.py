"""The same accounts in PostgreSQL, beside the record of games, and a backup that changes sides."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from sqlalchemy import create_engine, text

from spielleiter import games
from spielleiter.accounts.accounts import open_accounts
from spielleiter.accounts.notices import TeamNotice
from spielleiter.service.backup import back_up, restore
from spielleiter.store import Entry, open_store
from tests.databases import postgres_server
from tests.ladders import ladder_in, play, roster
from tests.people import add_released

EDITION = games.names()[0]


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """A server of our own: to make one takes a second of a processor."""
    with postgres_server() as made:
        yield made.url


@pytest.fixture
def databases(server: str) -> tuple[str, str]:
    """Two empty databases, which know as little of each other as those of two servers."""
    names = [f"made_{uuid4().hex}" for _ in range(2)]
    engine = create_engine(
        server.replace("postgresql:", "postgresql+psycopg:"), isolation_level="AUTOCOMMIT"
    )
    with engine.connect() as connection:
        for name in names:
            connection.execute(text(f"create database {name}"))
    engine.dispose()
    one, other = (server.replace("/postgres?", f"/{name}?") for name in names)
    return one, other


def test_accounts_live_in_postgresql_and_move_to_a_file_and_back(
    tmp_path: Path, databases: tuple[str, str]
) -> None:
    one, other = databases
    record = open_store(one)
    record.append([Entry("game", "1", "{}")])
    (tmp_path / "one").mkdir()
    with open_accounts(tmp_path / "one", one) as accounts:
        ada = accounts.members.register("Ada", "correct horse")
        team = accounts.teams.make("Rays", ada.id)
        made = add_released(accounts, team.id, "Manta", edition=EDITION)
        accounts.notices.tell(team.id, TeamNotice("played", "first"))
        secret = accounts.logins.open_session(ada.id)
    assert list(record.check()) == []
    record.close()
    back_up(tmp_path / "one", tmp_path / "one.zip", one)
    restore(tmp_path / "one.zip", tmp_path / "two")
    with open_accounts(tmp_path / "two") as accounts:
        assert accounts.members.check("ada", "correct horse") == ada
        assert accounts.logins.find(secret, "session") is not None
        assert accounts.bots.version(made.id).file == made.file
    back_up(tmp_path / "two", tmp_path / "two.zip")
    restore(tmp_path / "two.zip", tmp_path / "three", other)
    with open_accounts(tmp_path / "three", other) as accounts:
        accounts.notices.tell(team.id, TeamNotice("played", "second"))
        told = accounts.notices.of_team(team.id)
        assert [each.notice.text for each in told] == ["second", "first"]
        accounts.privacy.erase_member(ada.id)
        assert accounts.teams.all() == []


def test_a_ladder_in_postgresql_is_in_the_backup_and_moves_to_a_file_and_back(
    tmp_path: Path, databases: tuple[str, str]
) -> None:
    one, other = databases
    (tmp_path / "one").mkdir()
    with open_accounts(tmp_path / "one", one):
        players = roster(4)
        with ladder_in(one, players) as ladder:
            done = play(ladder, players, 5)
            waits = ladder.claim("unfinished")
            assert waits is not None
            ladder.results.keep_output(done[0].id, "hello")
        back_up(tmp_path / "one", tmp_path / "one.zip", one)
    restore(tmp_path / "one.zip", tmp_path / "two")
    with ladder_in(tmp_path / "two" / "ladder.db", players) as ladder:
        assert [each.id for each in ladder.results.newest(EDITION, 9)] == [
            each.id for each in reversed(done)
        ]
        assert ladder.results.output(done[0].id) == "hello"
        assert [each.id for each in ladder.queue.all()] == [waits.id]
    restore(tmp_path / "one.zip", tmp_path / "three", other)
    assert not (tmp_path / "three" / "ladder.db").exists()
    with ladder_in(other, players) as ladder:
        assert ladder.results.total(EDITION) == 5
