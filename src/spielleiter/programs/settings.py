"""How programs are run: a value, light to import for workers that run none."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from spielleiter.game import WireForm
from spielleiter.sandbox import Box, Level

HOST = "127.0.0.1"
ANYWHERE = ("0.0.0.0", "::")
"""Hosts to listen on that are no address to connect to."""


class Isolation(enum.Enum):
    """Where players run, from the freest to the most apart."""

    OURS = "none"
    """All players are built in: they run in our processes."""
    TRUSTED = "trusted"
    """Players' Python files run in our processes, too, because somebody said so."""
    SEPARATE = "separate"
    """Each player's Python file runs in a process of its own."""
    SERVED = "served"
    """Some players are programs: all of them connect to a server."""


@dataclass(frozen=True, slots=True)
class Setting:
    """How programs are run. Survives pickling."""

    box: Box = field(default_factory=lambda: Box(Level.NONE))
    freeze: bool = False
    """A player that is not on move stands still, from its first move on."""
    warm: bool = True
    """The next game's programs are started while a game is played."""
    host: str = HOST
    """Where to listen; players from outside may need another address."""
    wait: float = 600.0
    """Seconds that we wait for somebody from outside."""
    wire: WireForm = "real"
    """The form of the messages: as the real programs of a season write them, or its document."""
    trust_files: bool = False
    """Whether players' Python files run in processes of ours, with all rights that we have."""
    foreign: tuple[Path, ...] = ()
    """Files that are no player's own: a folder in which one of them lies is nobody's."""
    profile: Path | None = None
    """The folder for flame graphs and for what every move used; None: nobody wants to know."""
    hidden: tuple[Path, ...] = ()
    """Files that may lie in a player's own folder, but are not shown to it."""

    def with_foreign(self, files: Iterable[Path]) -> Setting:
        """The same, with more files of which each is only its own player's."""
        return replace(self, foreign=(*self.foreign, *files))
