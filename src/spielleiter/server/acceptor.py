"""A listening socket that accepts a few clients at a time and pauses when it has to.

asyncio's own server is not used: it accepts a whole backlog at once, which makes players wait; it
logs an error every second while no file descriptor is free; and if it is closed right after it has
accepted a connection, it never closes that connection.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Callable
from typing import Any

from spielleiter.errors import UsageError
from spielleiter.server.log import say

BACKLOG = 1024
AT_ONCE = 16
"""Connections accepted before existing ones get their turn."""
Address = tuple[str, int]
Admits = Callable[[Address, Address], bool]
"""(client address, our address) → whether the connection is accepted; otherwise it is closed."""
_NO_FILE = 0.1
"""Seconds to wait for a free file descriptor."""
_QUIET = 60.0
"""Seconds between two log lines about the same problem."""


def everybody(peer: Address, own: Address) -> bool:
    """Accept whoever comes."""
    return True


def ends_of(transport: asyncio.BaseTransport) -> tuple[Address, Address] | None:
    """The client's address and ours, if the connection is one of the Internet."""
    peer, own = (transport.get_extra_info(name) for name in ("peername", "sockname"))
    if not isinstance(peer, tuple) or not isinstance(own, tuple):
        return None
    return peer[:2], own[:2]


class Acceptor:
    """Accepts clients on a listening socket until it is closed.

    `at_once` returns how many clients to accept before existing ones get their turn, `rest` for how
    long to pause; `make_room` is called to free a file descriptor when none is left. What `admits`
    does not know is closed before a byte is read.
    """

    def __init__(
        self,
        sock: socket.socket,
        connection: Callable[[], asyncio.BaseProtocol],
        *,
        at_once: int = AT_ONCE,
        rest: Callable[[], float] = lambda: 0.0,
        make_room: Callable[[], object] = lambda: None,
        admits: Admits = everybody,
    ) -> None:
        self._sock, self._connection, self._at_once = sock, connection, at_once
        self._rest, self._make_room, self._admits = rest, make_room, admits
        self._coming: set[asyncio.Task[Any]] = set()
        """Connections that were accepted and are no clients yet."""
        self._resting: asyncio.TimerHandle | None = None
        self._complained = float("-inf")
        self._is_open = True
        self._loop = asyncio.get_running_loop()
        self.port: int = sock.getsockname()[1]
        sock.setblocking(False)
        sock.listen(BACKLOG)
        self._waiting = self._watch()

    def close(self) -> None:
        """Stop accepting."""
        if not self._is_open:
            return
        self._is_open = False
        if self._resting is not None:
            self._resting.cancel()
        self._stop_watching()
        self._sock.close()

    async def wait_closed(self) -> None:
        """Wait until every accepted connection has become a client."""
        if self._coming:
            await asyncio.wait(self._coming)

    @property
    def coming(self) -> set[asyncio.Task[Any]]:
        """Accepted connections that are not clients yet."""
        return self._coming

    # ------------------------------------------------------------------------------------ waiting

    def _watch(self) -> asyncio.Task[None] | None:
        """Wait for clients; where the loop knows no readers, with a task."""
        try:
            self._loop.add_reader(self._sock, self._accept)
        except NotImplementedError:
            return self._loop.create_task(self._accept_forever())
        return None

    def _stop_watching(self) -> None:
        if self._waiting is None:
            self._loop.remove_reader(self._sock)
        else:
            self._waiting.cancel()

    def _accept(self) -> None:
        rest = 0.0
        try:
            for _ in range(self._at_once):
                self._let_in(*self._sock.accept())
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            pass
        except OSError as problem:
            rest = self._starve(problem)
        rest = max(rest, self._rest())
        if rest > 0:
            self._pause(rest)

    async def _accept_forever(self) -> None:
        while self._is_open:
            try:
                self._let_in(*await self._loop.sock_accept(self._sock))
                await asyncio.sleep(self._rest())
            except ConnectionAbortedError:
                continue
            except OSError as problem:
                await asyncio.sleep(self._starve(problem))

    def _pause(self, seconds: float) -> None:
        self._loop.remove_reader(self._sock)
        self._resting = self._loop.call_later(seconds, self._resume)

    def _resume(self) -> None:
        self._resting = None
        if self._is_open:
            self._loop.add_reader(self._sock, self._accept)

    def _starve(self, problem: OSError) -> float:
        """Free resources when files or memory run out; returns how long to wait."""
        self._make_room()
        if (now := time.monotonic()) - self._complained > _QUIET:
            self._complained = now
            say(logging.ERROR, "cannot accept connections", port=self.port, problem=str(problem))
        return _NO_FILE

    def _let_in(self, connection: socket.socket, peer: Any) -> None:
        try:
            is_known = self._admits(peer[:2], connection.getsockname()[:2])
        except OSError:  # it has gone, which some systems say
            is_known = False
        if not is_known:
            connection.close()
            return
        connection.setblocking(False)
        come = self._loop.create_task(
            self._loop.connect_accepted_socket(self._connection, connection)
        )
        self._coming.add(come)
        come.add_done_callback(self._arrived)

    def _arrived(self, come: asyncio.Task[Any]) -> None:
        self._coming.discard(come)
        if not come.cancelled() and (problem := come.exception()) is not None:
            say(logging.INFO, "a connection ended before it began", problem=str(problem))


def listening(host: str, port: int) -> socket.socket:
    """A socket listening on that address; raises UsageError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as problem:
        why = problem.strerror or problem
        raise UsageError(f"cannot listen on {host}:{port}: {why}") from problem
