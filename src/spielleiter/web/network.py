"""Opens the arena to the local network, after checking that it is reachable.

By default only this machine reaches the arena. A link for a friend needs an address that others can
open; each is tried before it is shown.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Awaitable, Callable, Iterable

Listen = Callable[[str], Awaitable[None]]
"""Starts to serve the pages on an address; raises OSError."""
_PATIENCE = 5.0
_ELSEWHERE = ("192.0.2.1", 9)
"""A documentation address: nothing is sent, but it reveals the outgoing interface."""


class LocalNetwork:
    """Whether, and under which address, other machines reach the arena."""

    def __init__(
        self,
        port: int,
        listen: Listen,
        *,
        addresses: Callable[[], Iterable[str]] | None = None,
        is_open: bool = False,
    ) -> None:
        """`is_open`: the arena listens on all addresses already."""
        self.address: str | None = None
        """What others type, once we reached ourselves by it."""
        self._port, self._listen, self._is_open = port, listen, is_open
        self._addresses = addresses or lan_addresses
        self._opening = asyncio.Lock()

    async def open(self) -> str | None:
        """Open the arena to the local network; returns its address, or None."""
        async with self._opening:
            if self.address is None:
                self.address = await self._opened()
            return self.address

    async def _opened(self) -> str | None:
        for address in await asyncio.to_thread(lambda: list(self._addresses())):
            if not self._is_open:
                try:
                    await self._listen(address)
                except OSError:
                    continue
            if await answers(address, self._port):
                return f"http://{address}:{self._port}"
        return None


async def answers(address: str, port: int) -> bool:
    """Whether an arena answers there."""
    asked = f"GET /api/session HTTP/1.1\r\nhost: {address}:{port}\r\nconnection: close\r\n\r\n"
    with contextlib.suppress(OSError, TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            reader, writer = await asyncio.open_connection(address, port)
            with contextlib.closing(writer):
                writer.write(asked.encode())
                return b" 200 " in await reader.readline()
    return False


def lan_addresses() -> list[str]:
    """The local network addresses of this machine, the most likely first."""
    found: list[str] = []
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(_ELSEWHERE)
        found.append(probe.getsockname()[0])
    with contextlib.suppress(OSError):
        known = socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)
        found += [str(address[4][0]) for address in known]
    return [each for each in dict.fromkeys(found) if not each.startswith("127.")]
