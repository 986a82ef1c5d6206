"""Teams with bots for tests: a few rows instead of a registration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import insert

from spielleiter.accounts import schema
from spielleiter.accounts.accounts import ArenaAccounts, open_accounts
from spielleiter.accounts.bots import Version
from spielleiter.accounts.database import new_id
from spielleiter.accounts.names import key_of


@contextmanager
def accounts_in(folder: Path, database: str | None = None) -> Iterator[ArenaAccounts]:
    """Accounts in a data folder, or in a database."""
    with open_accounts(folder, database) as accounts:
        yield accounts


def add_team(accounts: ArenaAccounts, name: str) -> str:
    """The id of a new team without members."""
    team = new_id()
    row = {"id": team, "name": name, "name_key": key_of(name), "created": 0.0}
    row |= {"feed_key": new_id(), "webhook": ""}
    with accounts.database.writing() as writing:
        writing.execute(insert(schema.team).values(row))
    return team


def add_version(
    accounts: ArenaAccounts,
    team: str,
    name: str,
    *,
    edition: str,
    content: bytes = b"print('a bot')\n",
    file_name: str = "bot.py",
) -> Version:
    """A version that waits for its check; the bot is made if the team has none of that name."""
    known = [each for each in accounts.bots.of_team(team) if each.name == name]
    bot = known[0] if known else accounts.bots.add(team, edition, name)
    file = accounts.files.receive([content], file_name)
    return accounts.bots.add_version(bot.id, file, file_name)


def add_released(
    accounts: ArenaAccounts,
    team: str,
    name: str,
    *,
    edition: str,
    content: bytes = b"print('a bot')\n",
    file_name: str = "bot.py",
) -> Version:
    """A version that has passed its check and plays for its bot."""
    made = add_version(accounts, team, name, edition=edition, content=content, file_name=file_name)
    accounts.bots.release(made.id)
    return accounts.bots.version(made.id)
