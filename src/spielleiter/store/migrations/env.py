"""Runs migrations on the connection of the store."""

from alembic import context

from spielleiter.store.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
with context.begin_transaction():
    context.run_migrations()
