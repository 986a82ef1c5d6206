"""Leaves somebody behind who would go on for a minute."""

from __future__ import annotations

import os
import time
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its second move, then leaves: a first one is tried by all."""

    name = "stays"
    turns = 0

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        self.turns += 1
        if self.turns == 1:
            return position.legal_moves()[0]
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                time.sleep(60)
                os._exit(0)
        raise SystemExit("nothing left to try")
