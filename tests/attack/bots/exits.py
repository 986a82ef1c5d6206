"""Ends the process it runs in, which once was that of the referee."""

from __future__ import annotations

import os
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its first move, then leaves."""

    name = "exits"

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        os._exit(0)
