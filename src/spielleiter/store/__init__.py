"""What happened, appended and never changed: one module for SQLite and PostgreSQL."""

from spielleiter.store.store import Entry, Store, open_store

__all__ = ["Entry", "Store", "open_store"]
