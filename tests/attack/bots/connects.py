"""Calls the ports of this machine, and the machine that this one may run on."""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import Any

from spielleiter import Bot
from spielleiter.game import Clock

PORT = 13050


class Player(Bot):
    """Attacks when it is asked for its second move, then leaves: a first one is tried by all."""

    name = "connects"
    turns = 0

    def choose(self, position: Any, clock: Clock) -> Any:
        """Say HURT if something was reached that is not ours."""
        self.turns += 1
        if self.turns == 1:
            return position.legal_moves()[0]
        with contextlib.suppress(OSError):
            port = int(Path(__file__).with_suffix(".port").read_text())
            socket.create_connection(("127.0.0.1", port), 2)
            print("HURT: connected to", port)
        with contextlib.suppress(OSError):
            socket.create_connection(("127.0.0.1", PORT), 2)
            print("HURT: connected to", PORT)
        with contextlib.suppress(OSError, AttributeError):
            socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM)
            print("HURT: a socket that no namespace holds")
        raise SystemExit("nothing left to try")
