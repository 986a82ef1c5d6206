"""Serves the arena's pages on a listening socket with uvicorn."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Any

import uvicorn

from spielleiter.web.app import create_app
from spielleiter.web.arena import Arena

_UVICORN: dict[str, Any] = {
    "log_config": None,
    "access_log": False,
    "lifespan": "off",
    "server_header": False,
    "ws_max_size": 64 * 1024,
    "timeout_graceful_shutdown": 2,
    "timeout_keep_alive": 30,
    "limit_concurrency": 10_000,
    "proxy_headers": False,
}
_STOP = 10.0
"""Seconds that the server gets to finish its answers."""


class _PageServer(uvicorn.Server):
    """Leaves signals to the command."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


@contextlib.asynccontextmanager
async def serve_pages(arena: Arena, listener: socket.socket) -> AsyncIterator[None]:
    """Serve the pages as long as the block runs."""
    server = _PageServer(uvicorn.Config(create_app(arena), **_UVICORN))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    try:
        yield
    finally:
        server.should_exit = True
        await asyncio.wait((serving,), timeout=_STOP)
        serving.cancel()
