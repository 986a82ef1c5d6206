"""The entry of a store; cheap to import without a database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a store."""

    kind: str
    key: str
    data: str
