"""Prints without an end, though a bounded amount."""

from __future__ import annotations

import os
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its first move, then leaves."""

    name = "floods"

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        for _ in range(1_000):
            os.write(1, b"x" * 100_000)
        raise SystemExit("nothing left to try")
