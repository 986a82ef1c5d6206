"""How programs are run; cheap to import."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from spielleiter.game import WireForm
from spielleiter.sandbox import Box, Level

HOST = "127.0.0.1"
ANYWHERE = ("0.0.0.0", "::")
"""Wildcard addresses, which one can listen on but not connect to."""


class Isolation(enum.Enum):
    """Where players run, from the least to the most isolated."""

    OURS = "none"
    """All players are built in: they run in our processes."""
    TRUSTED = "trusted"
    """Players' Python files run in our processes too, because the user trusts them."""
    SEPARATE = "separate"
    """Each player's Python file runs in a separate process."""
    SERVED = "served"
    """Some players are programs: all of them connect to a server."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How programs are run. Survives pickling."""

    box: Box = field(default_factory=lambda: Box(Level.NONE))
    freeze: bool = False
    """Players are frozen while it is not their turn, from their first move on."""
    warm: bool = True
    """The next game's programs are started while a game is played."""
    host: str = HOST
    """The address to listen on; external players may need another one."""
    wait: float = 600.0
    """Seconds to wait for an external player."""
    wire: WireForm = "real"
    """The form of the messages: as the real programs of a season write them, or its document."""
    trust_files: bool = False
    """Whether players' Python files run in processes of ours, with all rights that we have."""
    foreign: tuple[Path, ...] = ()
    """Files that belong to no player; a folder with one of them belongs to nobody."""
    profile: Path | None = None
    """The folder for profiles; None: no profiling."""
    hidden: tuple[Path, ...] = ()
    """Files that may lie in a player's own folder, but are not shown to it."""

    def with_foreign(self, files: Iterable[Path]) -> Setting:
        """The same with more foreign files."""
        return replace(self, foreign=(*self.foreign, *files))
