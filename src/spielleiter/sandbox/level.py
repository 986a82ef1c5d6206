"""How tightly a program is held, and how much it may use."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Self

from spielleiter.errors import UnknownName


class Level(enum.IntEnum):
    """Each level has all that the levels before it have."""

    NONE = 0
    """A plain process; whatever it starts is ended with it as far as the system helps."""
    LIMITS = 1
    """Limits of the system for each process, a supervisor that watches over all of them, and
    neither signals to others nor system calls that no player needs."""
    ISOLATED = 2
    """Own users, processes, network and files: nothing but its own files and the game's port."""
    CGROUP = 3
    """Memory, processes and processor time are bounded for all its processes together."""

    @property
    def text(self) -> str:
        """The name people use."""
        return self.name.lower()

    @classmethod
    def named(cls, text: str) -> Self:
        """The level of that name."""
        for level in cls:
            if level.text == text:
                return level
        raise UnknownName("sandbox level", text, [level.text for level in cls])


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a program may use, with all that it starts."""

    memory: int = 1_500_000_000
    """Bytes."""
    cpu: int = 600
    """Seconds of processor time."""
    processes: int = 256
    """Processes and threads at the same time."""
    disk: int = 256 << 20
    """Bytes that it may write."""
    output: int = 64 << 20
    """Bytes that it may print before it is ended; only the beginning is kept."""
    cores: float | None = None
    """Processors that it may keep busy (cgroup only); None: all."""
