"""How programs are run: a value, light to import for workers that run none."""

from __future__ import annotations

from dataclasses import dataclass, field

from spielleiter.game import WireForm
from spielleiter.sandbox import Box, Level

HOST = "127.0.0.1"
ANYWHERE = ("0.0.0.0", "::")
"""Hosts to listen on that are no address to connect to."""


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
    demanded: bool = False
    """Whether a level was asked for: then strangers' Python files are programs, too."""
