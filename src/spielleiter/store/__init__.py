"""An append-only, hash-chained store of events, in SQLite or PostgreSQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from spielleiter.store.address import StoreAddress
from spielleiter.store.entry import Entry

if TYPE_CHECKING:
    from spielleiter.store.store import Store, open_store

__all__ = ["Entry", "Store", "StoreAddress", "open_store"]


def __getattr__(name: str) -> Any:
    """Import the database part lazily: workers that play games need none."""
    if name in __all__:
        from spielleiter.store import store

        return getattr(store, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
