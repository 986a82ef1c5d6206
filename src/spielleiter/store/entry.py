"""What a store keeps: light to import, for those who never open one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened."""

    kind: str
    key: str
    data: str
