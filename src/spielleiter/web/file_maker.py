"""Makes files on request: pictures, pages, scenes, whole replays.

A few are made at the same time, equal ones once, and the latest are cached. A visitor with too many
requests is refused.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable, Iterator
from contextlib import asynccontextmanager, contextmanager

from spielleiter.errors import SpielleiterError

_AT_ONCE = 2
_WAITING, _BY_VISITOR = 64, 16
"""Most waiting requests: in total, and of one visitor."""
_ROOM = 64 * 1024 * 1024
"""Bytes of cached files."""


class FilesBusy(SpielleiterError):
    """Too many files were requested at the same time."""


class FilesClosed(SpielleiterError):
    """The arena is closing, and nobody waits for files any more."""


class FileMaker:
    """Makes files and caches them."""

    def __init__(
        self, *, waiting: int = _WAITING, by_visitor: int = _BY_VISITOR, room: int = _ROOM
    ) -> None:
        self._limit, self._by_visitor, self._room = waiting, by_visitor, room
        self._free = asyncio.Semaphore(_AT_ONCE)
        self._waiting: Counter[str] = Counter()
        self._making: dict[Hashable, asyncio.Future[bytes]] = {}
        self._kept: OrderedDict[Hashable, bytes] = OrderedDict()
        self._size = 0
        self._closed = threading.Event()

    def close(self) -> None:
        """Make no more files; work that asks whether it shall `go_on` ends."""
        self._closed.set()

    def go_on(self) -> None:
        """Called between the steps of long work, from any thread; raises FilesClosed."""
        if self._closed.is_set():
            raise FilesClosed("the arena is closing")

    async def get(self, key: Hashable, visitor: str, make: Callable[[], bytes]) -> bytes:
        """The file of that key, from memory or made now; raises FilesBusy."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        with self._counted(visitor):
            return await self._made(key, make)

    @asynccontextmanager
    async def place(self, visitor: str) -> AsyncIterator[None]:
        """A slot for work without a cached result; raises FilesBusy."""
        with self._counted(visitor):
            async with self._free:
                yield

    @contextmanager
    def _counted(self, visitor: str) -> Iterator[None]:
        if self._waiting.total() >= self._limit or self._waiting[visitor] >= self._by_visitor:
            raise FilesBusy("too much is wanted at the same time: try again in a moment")
        self._waiting[visitor] += 1
        try:
            yield
        finally:
            self._waiting[visitor] -= 1
            self._waiting += Counter()  # forgets who waits for nothing

    async def _made(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        """Make a file; concurrent requests for it share the work."""
        making = self._making.get(key)
        if making is None:
            making = self._making[key] = asyncio.ensure_future(self._make(key, make))
            making.add_done_callback(lambda done: self._finish(key, done))
        return await asyncio.shield(making)

    def _finish(self, key: Hashable, done: asyncio.Future[bytes]) -> None:
        self._making.pop(key, None)
        if not done.cancelled():
            done.exception()  # seen, even if everybody who waited has gone

    async def _make(self, key: Hashable, make: Callable[[], bytes]) -> bytes:
        async with self._free:
            self.go_on()
            content = await asyncio.to_thread(make)
        self._kept[key] = content
        self._size += len(content)
        while self._size > self._room:
            self._size -= len(self._kept.popitem(last=False)[1])
        return content
