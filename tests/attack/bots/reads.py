"""Reads what is not its own: the environment, the contest, its store, the others' files."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock

OWN = Path(__file__).stem + "."
"""How our own file begins, compiled or not."""


class Player(Bot):
    """Attacks when it is asked for its second move, then leaves: a first one is tried by all."""

    name = "reads"
    turns = 0

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        self.turns += 1
        if self.turns == 1:
            return position.legal_moves()[0]
        if "SECRET" in os.environ.get("DATABASE_URL", ""):
            print("HURT: the environment")
        for entry in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if b"SECRET" in entry.read_bytes():
                    print("HURT: the environment of", entry.parent.name)
        for path in Path(__file__).parent.parent.rglob("*"):
            with contextlib.suppress(OSError):
                if path.is_file() and not path.name.startswith(OWN) and path.read_bytes():
                    print("HURT: read", path)
        raise SystemExit("nothing left to try")
