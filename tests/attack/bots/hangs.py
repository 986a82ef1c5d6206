"""Never answers, and uses all the processor time it can get meanwhile."""

from __future__ import annotations

from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its first move, then leaves."""

    name = "hangs"

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        while True:
            pass
