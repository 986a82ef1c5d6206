"""Fills the disk, though a bounded part of it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its second move, then leaves: a first one is tried by all."""

    name = "fills"
    turns = 0

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        self.turns += 1
        if self.turns == 1:
            return position.legal_moves()[0]
        for place in (Path("/tmp"), Path(__file__).parent, Path("/dev/shm"), Path("/var/tmp")):
            for number in range(40):
                with contextlib.suppress(OSError):
                    (place / f"attack-{number}").write_bytes(bytes(10_000_000))
        raise SystemExit("nothing left to try")
