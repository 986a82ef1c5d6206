"""Writes nonsense on the line to the referee, and more than anybody would read."""

from __future__ import annotations

import contextlib
import os
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its first move, then leaves."""

    name = "babbles"

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        with contextlib.suppress(OSError):
            os.write(3, b'{"move": ' * 1_000_000)
        raise SystemExit("nothing left to try")
