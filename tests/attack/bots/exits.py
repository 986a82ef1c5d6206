"""Ends the process it runs in, which once was that of the referee."""

from __future__ import annotations

import os
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its second move, then leaves: a first one is tried by all."""

    name = "exits"
    turns = 0

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        self.turns += 1
        if self.turns == 1:
            return position.legal_moves()[0]
        os._exit(0)
