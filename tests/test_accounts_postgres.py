"""The same accounts in PostgreSQL, beside the record of games, and a backup that changes sides."""

from __future__ import annotations

from pathlib import Path

from spielleiter import games
from spielleiter.accounts.accounts import open_accounts
from spielleiter.accounts.notices import TeamNotice
from spielleiter.service.backup import back_up, restore
from spielleiter.store import Entry, open_store
from tests.databases import postgres_server
from tests.people import add_released

EDITION = games.names()[0]


def test_accounts_live_in_postgresql_and_move_to_a_file_and_back(tmp_path: Path) -> None:
    with postgres_server() as server:
        record = open_store(server.url)
        record.append([Entry("game", "1", "{}")])
        (tmp_path / "one").mkdir()
        with open_accounts(tmp_path / "one", server.url) as accounts:
            ada = accounts.members.register("Ada", "correct horse")
            team = accounts.teams.make("Rays", ada.id)
            made = add_released(accounts, team.id, "Manta", edition=EDITION)
            accounts.notices.tell(team.id, TeamNotice("played", "first"))
            secret = accounts.logins.open_session(ada.id)
        assert list(record.check()) == []
        record.close()
        back_up(tmp_path / "one", tmp_path / "one.zip", server.url)
    restore(tmp_path / "one.zip", tmp_path / "two")
    with open_accounts(tmp_path / "two") as accounts:
        assert accounts.members.check("ada", "correct horse") == ada
        assert accounts.logins.find(secret, "session") is not None
        assert accounts.bots.version(made.id).file == made.file
    back_up(tmp_path / "two", tmp_path / "two.zip")
    with postgres_server() as other:
        restore(tmp_path / "two.zip", tmp_path / "three", other.url)
        with open_accounts(tmp_path / "three", other.url) as accounts:
            accounts.notices.tell(team.id, TeamNotice("played", "second"))
            told = accounts.notices.of_team(team.id)
            assert [each.notice.text for each in told] == ["second", "first"]
            accounts.privacy.erase_member(ada.id)
            assert accounts.teams.all() == []
