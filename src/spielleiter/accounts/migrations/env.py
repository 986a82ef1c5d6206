"""Runs migrations on the connection of the accounts database."""

from alembic import context

from spielleiter.accounts.database import VERSION_TABLE
from spielleiter.accounts.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
