"""Multiplies: a fork bomb, though a bounded one."""

from __future__ import annotations

import contextlib
import os
import time
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its first move, then leaves."""

    name = "forks"

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        with contextlib.suppress(OSError):
            for _ in range(10):
                os.fork()
        time.sleep(60)
        raise SystemExit("nothing left to try")
