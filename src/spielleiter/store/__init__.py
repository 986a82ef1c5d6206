"""What happened, appended and never changed: one module for SQLite and PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spielleiter.store.address import StoreAddress
from spielleiter.store.entry import Entry

if TYPE_CHECKING:
    from spielleiter.store.store import Store, open_store

__all__ = ["Entry", "Store", "StoreAddress", "open_store"]


def __getattr__(name: str) -> Any:
    """The database is fetched when it is asked for: workers that play games need none."""
    if name in __all__:
        from spielleiter.store import store

        return getattr(store, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
