"""What a bot shows while it plays over a protocol: printed with the number of its move.

The protocol carries none of it, except as hints where a season has them (`Dialect.takes_hints`).
A side channel takes it to the arena, if somebody says where that is.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace

from spielleiter.annotation import Annotation
from spielleiter.client.side_channel import VARIABLE, SideChannel
from spielleiter.game import Bot

MOST_HINTS = 20


class AnnotationPrinter:
    """Hears what a bot shows in one game."""

    def __init__(self, bot: Bot) -> None:
        self._hints: list[str] = []
        self.move = 1
        """Which move of the bot is thought about."""
        address = os.environ.get(VARIABLE)
        self.channel = SideChannel(address) if address else None
        bot.listener = self

    def __call__(self, shown: Annotation) -> None:
        """Print what was shown, and send it to the arena."""
        shown = replace(shown, move=self.move)
        line = shown.line()
        print(line, file=sys.stderr, flush=True)
        if self.channel is not None:
            self.channel.put(line)
        self._hints += shown.hints()

    def moved(self) -> tuple[str, ...]:
        """The move was chosen: the hints that belong to it."""
        hints, self._hints = tuple(self._hints[-MOST_HINTS:]), []
        self.move += 1
        return hints
