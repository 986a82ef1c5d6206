"""Levels of isolation and resource limits."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Self

from spielleiter.errors import UnknownName


class Level(enum.IntEnum):
    """Each level has all that the levels before it have."""

    NONE = 0
    """A plain process; its descendants are killed with it as far as the system helps."""
    LIMITS = 1
    """System limits for each process, a supervisor for all of them, no signals to others, and no
    system calls that players do not need."""
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
    """Resource limits of a program and its descendants."""

    memory: int = 1_500_000_000
    """Bytes."""
    cpu: int = 600
    """Seconds of processor time."""
    processes: int = 256
    """Processes and threads at the same time."""
    disk: int = 256 << 20
    """Bytes that it may write."""
    output: int = 64 << 20
    """Bytes that it may print before it is killed; only the beginning is kept."""
    cores: float | None = None
    """Processors that it may keep busy (cgroup only); None: all."""
