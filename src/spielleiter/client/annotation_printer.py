"""Prints the annotations of a bot that plays over a protocol, with the move numbers.

The protocol carries no annotations, except as hints in seasons that have them
(`Dialect.takes_hints`). A side channel sends them to the arena if an address is given.
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
    """Receives the annotations of a bot in one game."""

    def __init__(self, bot: Bot) -> None:
        self._hints: list[str] = []
        self.move = 1
        """The number of the bot's current move."""
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
        """Call after a move was chosen; returns its hints."""
        hints, self._hints = tuple(self._hints[-MOST_HINTS:]), []
        self.move += 1
        return hints
