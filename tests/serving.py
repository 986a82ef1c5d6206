"""Real servers and scripted peers on loopback, each with a thread of its own that ends with it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from spielleiter.game import Game
from spielleiter.server import Server, Settings
from tests.peers import UNHURRIED

HOST = "127.0.0.1"
PASSWORD = "correct horse"
PATIENCE = 90.0
"""Seconds for what takes none on a machine that has time; a server waits 60 for running games."""


@contextlib.contextmanager
def serving(games: Sequence[Game], **settings: object) -> Iterator[Server]:
    """A server for these games on a free port, which hurries nobody unless told."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    given: dict[str, Any] = {"clock": UNHURRIED, **settings}
    chosen = Settings(port=0, password=PASSWORD, seed=1, **given)
    server = asyncio.run_coroutine_threadsafe(_started(games, chosen), loop).result(PATIENCE)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.stop(), loop).result(PATIENCE)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE)
        loop.close()


async def _started(games: Sequence[Game], settings: Settings) -> Server:
    server = Server(games, settings)
    await server.start()
    return server


@contextlib.contextmanager
def deaf() -> Iterator[int]:
    """A port at which nobody listens, and which nobody else gets meanwhile."""
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        yield taken.getsockname()[1]


@contextlib.contextmanager
def scripted(*scripts: Callable[[socket.socket], None]) -> Iterator[int]:
    """A peer that treats its first, second, … connection as the scripts say; gives its port."""
    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=_follow, args=(listener, scripts))
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            listener.close()
            thread.join(PATIENCE)


def _follow(listener: socket.socket, scripts: Sequence[Callable[[socket.socket], None]]) -> None:
    for script in scripts:
        try:
            sock, _ = listener.accept()
        except OSError:
            return
        with sock, contextlib.suppress(OSError):
            script(sock)


def saying(data: bytes) -> Callable[[socket.socket], None]:
    """A script: say this, whatever the client says, then wait until it hangs up."""

    def script(sock: socket.socket) -> None:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(1 << 16):
            pass

    return script
