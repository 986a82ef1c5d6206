"""Reads a socket and keeps in mind since when its bytes may have waited for us.

The server's clock runs from its request on, not from when we had a processor to read it.
"""

from __future__ import annotations

import socket
import time

from spielleiter import arrival

_CHUNK = 1 << 16


class Incoming:
    """What comes from one connection."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._since = time.monotonic()
        self.delay = 0.0
        """Seconds that the bytes we last waited for lay here until we had a processor."""

    def receive(self) -> bytes:
        """The next bytes; waits as long as the socket does, raises what it raises."""
        if (data := self._at_hand()) is not None:
            return data
        self.delay = 0.0
        try:
            data = self._socket.recv(_CHUNK)
            self.delay = arrival.age(self._socket) or 0.0
            return data
        finally:
            self._since = time.monotonic() - self.delay

    def sent(self) -> None:
        """Note that we have just sent something: nothing of before can be an answer to it."""
        self._since = time.monotonic()

    def awake(self) -> float:
        """Seconds that a message may have waited here.

        Since it came, as far as the system says so; or else since we last waited for one.
        """
        return time.monotonic() - self._since

    def _at_hand(self) -> bytes | None:
        """Bytes that have already arrived; None: nothing yet."""
        patience = self._socket.gettimeout()
        self._socket.settimeout(0)
        try:
            return self._socket.recv(_CHUNK)
        except BlockingIOError:
            return None
        finally:
            self._socket.settimeout(patience)
