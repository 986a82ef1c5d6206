"""Kills its parent, and whoever works in the same folder."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock


class Player(Bot):
    """Attacks when it is asked for its second move, then leaves: a first one is tried by all."""

    name = "kills"
    turns = 0

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        self.turns += 1
        if self.turns == 1:
            return position.legal_moves()[0]
        own = {os.getpid(), os.getppid()}
        for entry in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if int(entry.name) not in own and (entry / "cwd").readlink() == Path.cwd():
                    os.kill(int(entry.name), signal.SIGKILL)
                    print("HURT: killed", entry.name)
        with contextlib.suppress(OSError):
            os.kill(os.getppid(), signal.SIGKILL)
        raise SystemExit("nothing left to try")
