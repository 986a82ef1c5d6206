"""Looks for the referee and the opponent in its own process: the cheat that once won."""

from __future__ import annotations

import gc
import sys
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its second move, then leaves: a first one is tried by all."""

    name = "frames"
    turns = 0

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        self.turns += 1
        if self.turns == 1:
            return position.legal_moves()[0]
        referee = ("spielleiter.match", "spielleiter.tournament")
        frame: Any = sys._getframe()
        while frame is not None:
            for each in frame.f_locals.values():
                if type(each).__module__.startswith(referee):
                    print("HURT: the referee is among the callers:", each)
            frame = frame.f_back
        if any(isinstance(each, Bot) and each is not self for each in gc.get_objects()):
            print("HURT: the opponent is here")
        raise SystemExit("nothing left to try")
