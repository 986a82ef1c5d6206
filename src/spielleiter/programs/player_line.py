"""The referee's end of the line to a player in another process: whole lines, each within a time."""

from __future__ import annotations

import contextlib
import select
import socket
import time

from spielleiter.stalls import stall_log

LONGEST = 1 << 17
"""Bytes of a line after which it counts as endless."""
_CHUNK = 1 << 12
_HAS_POLL = hasattr(select, "poll")


class PlayerLine:
    """A connection that never blocks: we wait for it apart, since a time limit of the socket itself
    would take two more system calls for each message."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._connection, self._read = connection, bytearray()
        if _HAS_POLL:
            self._readable = select.poll()
            self._readable.register(connection, select.POLLIN)

    def close(self) -> None:
        """Close the connection; the process ends by itself."""
        self._connection.close()

    def send(self, data: bytes, until: float) -> None:
        """Send all of it; raises TimeoutError, or OSError if nobody is there."""
        with contextlib.suppress(BlockingIOError):
            data = data[self._connection.send(data) :]
        if not data:
            return
        self._connection.settimeout(_left(until))
        try:
            self._connection.sendall(data)
        finally:
            self._connection.setblocking(False)

    def receive(self, until: float, longest: int = LONGEST) -> bytes:
        """The next line, without its end; raises TimeoutError, OSError, or ValueError if it is too
        long. The time covers the whole line, without stalls of our own."""
        read, began = self._read, time.monotonic()
        while b"\n" not in read:
            if len(read) > longest:
                raise ValueError("a line without an end")
            if not self._is_readable(_left(until)):
                stood_still = stall_log().during(began, time.monotonic())
                if not stood_still:
                    raise TimeoutError
                until, began = until + stood_still, time.monotonic()
                continue
            try:
                chunk = self._connection.recv(_CHUNK)
            except BlockingIOError:  # it only seemed to be there
                continue
            if not chunk:
                raise ConnectionError("the line was closed")
            at = time.monotonic()
            if at > until and at - stall_log().during(began, at) > until:
                raise TimeoutError
            read += chunk
        found, _, rest = bytes(read).partition(b"\n")
        read[:] = rest
        return found

    def _is_readable(self, seconds: float) -> bool:
        if _HAS_POLL:
            return bool(self._readable.poll(1000 * seconds))
        return bool(select.select([self._connection], [], [], seconds)[0])


def _left(until: float) -> float:
    return max(0.001, until - time.monotonic())
