"""Multiplies: a fork bomb, though a bounded one."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its second move, then leaves: a first one is tried by all."""

    name = "forks"
    turns = 0

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        self.turns += 1
        if self.turns == 1:
            return position.legal_moves()[0]
        with contextlib.suppress(OSError):
            for _ in range(10):
                os.fork()
        time.sleep(60)
        raise SystemExit("nothing left to try")
