"""Writes nonsense on the line to the referee, and more than anybody would read."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its second move, then leaves: a first one is tried by all."""

    name = "babbles"
    turns = 0

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        self.turns += 1
        if self.turns == 1:
            return position.legal_moves()[0]
        with contextlib.suppress(OSError):
            os.write(3, b'{"move": ' * 1_000_000)
        raise SystemExit("nothing left to try")
