"""Spielleiter: write, test and measure computer players for board games, run their contests."""

from __future__ import annotations

import sys

if sys.version_info < (3, 11):  # noqa: UP036  (a packed bot may be started with any Python)
    sys.exit("Spielleiter needs Python 3.11 or newer, and this is " + sys.version.split()[0])

from typing import TYPE_CHECKING, Any

from spielleiter import games
from spielleiter.game import Bot, Clock, Game, Outcome, Scene

if TYPE_CHECKING:
    from spielleiter.client.player import run

__all__ = ["Bot", "Clock", "Game", "Outcome", "Scene", "games", "run"]


def __getattr__(name: str) -> Any:
    """`run` is fetched when it is asked for: most programs need no network."""
    if name == "run":
        from spielleiter.client import player

        return player.run
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
