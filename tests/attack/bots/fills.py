"""Fills the disk, though a bounded part of it."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its first move, then leaves."""

    name = "fills"

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        for place in (Path("/tmp"), Path(__file__).parent, Path("/dev/shm"), Path("/var/tmp")):
            for number in range(40):
                with contextlib.suppress(OSError):
                    (place / f"attack-{number}").write_bytes(bytes(10_000_000))
        raise SystemExit("nothing left to try")
