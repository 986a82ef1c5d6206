"""How long ago the last bytes of a connection arrived, where the system says so (Linux does)."""

from __future__ import annotations

import socket
import sys
import time
from typing import Protocol

_LAST_DATA_RECEIVED = slice(52, 56)
"""Where Linux has the milliseconds since the last data in its `tcp_info`."""
_TCP_INFO = socket.TCP_INFO if sys.platform.startswith("linux") else None
_COARSE_CLOCK = 6
"""The number of the clock that Linux puts forward once a tick."""


class OptionedSocket(Protocol):
    """The part of a socket that we use."""

    def getsockopt(self, level: int, option: int, size: int, /) -> bytes:
        """An option as bytes."""
        ...


def age(sock: OptionedSocket) -> float | None:
    """Seconds since the last data of a connection arrived; None: the system does not say."""
    if _TCP_INFO is None:
        return None
    try:
        info = sock.getsockopt(socket.IPPROTO_TCP, _TCP_INFO, _LAST_DATA_RECEIVED.stop)
    except OSError:
        return None
    return int.from_bytes(info[_LAST_DATA_RECEIVED], sys.byteorder) / 1000


def _tick() -> float:
    try:
        return min(0.01, time.clock_getres(_COARSE_CLOCK))
    except (AttributeError, OSError):
        return 0.01


TICK = _tick()
"""Seconds by which the age may be wrong: the kernel counts in ticks of up to ten milliseconds."""
