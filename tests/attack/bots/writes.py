"""Writes into what others use: their files and their unpacked ZIPs."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock

OWN = Path(__file__).stem + "."
"""How our own file begins, compiled or not."""


class Player(Bot):
    """Attacks when it is asked for its second move, then leaves: a first one is tried by all."""

    name = "writes"
    turns = 0

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        self.turns += 1
        if self.turns == 1:
            return position.legal_moves()[0]
        for path in Path(__file__).parent.parent.rglob("*"):
            with contextlib.suppress(OSError):
                if path.is_file() and not path.name.startswith(OWN):
                    path.chmod(0o777)
                    path.write_bytes(path.read_bytes() + b"# changed")
                    print("HURT: wrote", path)
        raise SystemExit("nothing left to try")
