"""One fan-out per game: every event is encoded once, and all spectators get the same bytes.

There is no queue per spectator, only the last few events of the game and a place in them. A
spectator that falls further behind gets a snapshot.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable

from spielleiter.web.models import Language, Model

REMEMBERED = 64
"""Events that a spectator may be behind."""
HEARTBEAT = 15.0
"""Seconds between heartbeats, which reveal dead connections."""
_AT_ONCE = 16
"""Spectators that are woken at a time."""

MakeMessage = Callable[[Language], Model]


class EncodedEvent:
    """One event, encoded on first use."""

    __slots__ = ("_bytes", "_say", "number")

    def __init__(self, number: int, say: MakeMessage | None) -> None:
        self.number, self._say = number, say
        self._bytes: dict[Language, bytes] = {}

    def encoded(self, language: Language) -> bytes:
        """The encoded message, shared by all spectators; empty if there is none."""
        if self._say is None:
            return b""
        if language not in self._bytes:
            self._bytes[language] = framed(self._say(language), self.number)
        return self._bytes[language]


class Feed:
    """The events of one game, for any number of spectators."""

    def __init__(self, snapshot: MakeMessage, last: int) -> None:
        self.last = last
        """The number of the last event."""
        self.over = False
        self.spectators = 0
        self._say_all = snapshot
        self._now: EncodedEvent | None = None
        self._frames: deque[EncodedEvent] = deque(maxlen=REMEMBERED)
        self._waiting: list[asyncio.Future[None]] = []
        self._news = False
        self._waking: asyncio.Task[None] | None = None

    def publish(self, number: int, say: MakeMessage | None) -> None:
        """Add an event; `say` is None if it has no message."""
        self.last = number
        self._now = None
        self._frames.append(EncodedEvent(number, say))
        if say is not None:
            self._wake()

    def close(self) -> None:
        """Nothing more will happen."""
        self.over = True
        self._wake()

    def snapshot(self, language: Language) -> tuple[int, bytes]:
        """The current state of the game, encoded once for all who need it."""
        if self._now is None:
            self._now = EncodedEvent(self.last, self._say_all)
        return self._now.number, self._now.encoded(language)

    async def listen(self, language: Language, after: int | None) -> AsyncIterator[bytes]:
        """All events after a given one; with None or an old one, a snapshot first."""
        self.spectators += 1
        place = after
        try:
            yield b"retry: 2000\n\n"
            while True:
                place, data = self._after(place, language)
                if data:
                    yield data
                elif self.over:
                    return
                elif not await self._something():
                    yield b": still here\n\n"
        finally:
            self.spectators -= 1

    def _after(self, place: int | None, language: Language) -> tuple[int, bytes]:
        if place == self.last:
            return place, b""
        if place is None or place > self.last or self._forgot(place + 1):
            return self.snapshot(language)
        missed = (frame for frame in self._frames if frame.number > place)
        return self.last, b"".join(frame.encoded(language) for frame in missed)

    def _forgot(self, number: int) -> bool:
        return not self._frames or self._frames[0].number > number

    async def _something(self) -> bool:
        """Wait for an event; False after a timeout."""
        news: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(news)
        done, _ = await asyncio.wait((news,), timeout=HEARTBEAT)
        if not done:
            self._waiting = [each for each in self._waiting if each is not news]
        return bool(done)

    def _wake(self) -> None:
        self._news = True
        if self._waiting and self._waking is None:
            self._waking = asyncio.get_running_loop().create_task(self._wake_all())

    async def _wake_all(self) -> None:
        """Wake all spectators in small groups, so that other games do not wait."""
        while self._news:
            self._news = False
            waiting, self._waiting = self._waiting, []
            for at in range(0, len(waiting), _AT_ONCE):
                for news in waiting[at : at + _AT_ONCE]:
                    if not news.done():
                        news.set_result(None)
                await asyncio.sleep(0)
        self._waking = None


def framed(message: Model, number: int) -> bytes:
    """A message as server-sent event, named by its kind and numbered."""
    kind = message.model_dump(include={"kind"})["kind"]
    return f"id: {number}\nevent: {kind}\ndata: {message.model_dump_json()}\n\n".encode()
