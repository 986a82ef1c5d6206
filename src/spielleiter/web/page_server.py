"""Serves the arena's pages on a listening socket with uvicorn, with limits."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from spielleiter.web.arena import Arena
from spielleiter.web.connection_quota import ConnectionQuota
from spielleiter.web.proxies import TrustedProxies
from spielleiter.web.request_filter import error_body

_UVICORN: dict[str, Any] = {
    "log_config": None,
    "access_log": False,
    "lifespan": "off",
    "server_header": False,
    "ws_max_size": 64 * 1024,
    "timeout_graceful_shutdown": 2,
    "timeout_keep_alive": 30,
    "proxy_headers": False,
}
_STOP = 10.0
"""Seconds that the server gets to finish its answers."""
HEADERS = 10.0
"""Seconds that the headers of a request may take."""
LARGEST_HEADERS = 64 * 1024
READING = 60.0
"""Seconds in which a client must read what we send."""
_LINGERING = 64
"""Refused connections that may still read their answer."""
_LINGER = 1.0
_PHRASES = {
    400: "Bad Request",
    408: "Request Timeout",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    503: "Service Unavailable",
}


class BoundedConnection(HttpToolsProtocol):
    """A browser's connection with a quota and timeouts."""

    lingering = 0

    def __init__(self, *given: Any, quota: ConnectionQuota, proxies: TrustedProxies, **more: Any):
        super().__init__(*given, **more)
        self._quota, self._proxies = quota, proxies
        self._address: str | None = None
        """Under which a place is taken."""
        self._unread = 0
        self._reads_body = False
        self._late: asyncio.TimerHandle | None = None
        self._drains: asyncio.TimerHandle | None = None
        self._stuck: asyncio.TimerHandle | None = None
        self._goes: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit or refuse the connection."""
        super().connection_made(transport)
        _send_at_once(transport)
        address = self.client[0] if self.client else ""
        refusal = self._quota.enter(address, shared=self._proxies.trusts(address))
        if refusal is not None:
            self._refuse(*refusal)
            return
        self._address = address
        self._expect_headers()

    def connection_lost(self, exc: Exception | None) -> None:
        """Give the place back."""
        self._leave()
        self._end()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes of a request; its headers are short and come soon."""
        if self._address is None:  # it was refused; an answer is lost if we close while it sends
            if not self._unread:
                self._end()
            return
        super().data_received(data)
        self._bound_drain()
        if self._is_busy or self._reads_body:
            self._unread = 0
            self._stop(self._late)
            self._late = None
            return
        self._unread += len(data)
        if self._unread > LARGEST_HEADERS:
            self._refuse(431, "too-large", f"headers have at most {LARGEST_HEADERS} bytes")
        elif self._late is None:
            self._expect_headers()

    def on_headers_complete(self) -> None:
        """A body may follow."""
        self._reads_body = True
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """The request has ended."""
        self._reads_body = False
        super().on_message_complete()

    def _bound_drain(self) -> None:
        """A body that was refused before it came is skipped, but not for ever."""
        if self._reads_body and not self._is_busy:
            self._drains = self._drains or self.loop.call_later(READING, self.transport.abort)
        elif self._drains is not None:
            self._stop(self._drains)
            self._drains = None

    def handle_websocket_upgrade(self) -> None:
        """From here on the application counts it."""
        self._leave()
        super().handle_websocket_upgrade()

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP in the form of the API."""
        self._refuse(400, "invalid", "this is no HTTP request")

    def pause_writing(self) -> None:
        """The client does not read."""
        super().pause_writing()
        self._stuck = self.loop.call_later(READING, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        self._stop(self._stuck)
        super().resume_writing()

    @property
    def _is_busy(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _expect_headers(self) -> None:
        self._late = self.loop.call_later(HEADERS, self._too_late)

    def _too_late(self) -> None:
        self._late = None
        if not self._is_busy and self._address is not None:
            self._refuse(408, "too-slow", "the headers did not come")

    def _refuse(self, status: int, code: str, message: str) -> None:
        """Answer and close; a few may send their request first, so that the answer is not lost."""
        self._leave()
        body = error_body(code, message)
        head = f"HTTP/1.1 {status} {_PHRASES[status]}\r\ncontent-type: application/json\r\n"
        head += f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        self.transport.write(head.encode() + body)
        if BoundedConnection.lingering >= _LINGERING:
            self.transport.close()
            return
        if self.transport.can_write_eof():  # whoever reads to the end has it at once
            self.transport.write_eof()
        BoundedConnection.lingering += 1
        self._goes = self.loop.call_later(_LINGER, self._end)

    def _end(self) -> None:
        if self._goes is not None:
            BoundedConnection.lingering -= 1
            self._stop(self._goes)
            self._goes = None
        self.transport.close()

    def _leave(self) -> None:
        if self._address is not None:
            self._quota.leave(self._address)
            self._address = None
        self._stop(self._late)
        self._stop(self._stuck)
        self._stop(self._drains)

    @staticmethod
    def _stop(timer: asyncio.TimerHandle | None) -> None:
        if timer is not None:
            timer.cancel()


def _send_at_once(transport: asyncio.Transport) -> None:
    """Headers and content are two writes: else the second waits until the first is acknowledged.

    asyncio does so itself only where the listening socket was made with the number of its protocol.
    """
    sock = transport.get_extra_info("socket")
    if sock is not None and sock.family in (socket.AF_INET, socket.AF_INET6):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


class _PageServer(uvicorn.Server):
    """Leaves signals to the command."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


@contextlib.asynccontextmanager
async def serve_pages(app: FastAPI, arena: Arena, listener: socket.socket) -> AsyncIterator[None]:
    """Serve the pages as long as the block runs."""
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # nonsense of strangers is no news
    connection: Any = partial(BoundedConnection, quota=arena.quota, proxies=arena.proxies)
    server = _PageServer(uvicorn.Config(app, http=connection, **_UVICORN))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await asyncio.wait((serving,), timeout=_STOP)
        serving.cancel()
