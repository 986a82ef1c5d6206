"""One fan-out per game: said once, heard by all, and nobody who is slow costs memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Literal

import pytest

from spielleiter.web.feed import REMEMBERED, Feed
from spielleiter.web.models import Language, Model


class Said(Model):
    """A message of these tests."""

    kind: Literal["said"] = "said"
    number: int
    language: Language


class Counted:
    """A feed that counts how often something is put into words."""

    def __init__(self) -> None:
        self.worded = 0
        self.feed = Feed(lambda language: self._said(-1, language), 0)

    def publish(self, number: int) -> None:
        self.feed.publish(number, lambda language: self._said(number, language))

    def _said(self, number: int, language: Language) -> Said:
        self.worded += 1
        return Said(number=number, language=language)


async def heard(stream: AsyncIterator[bytes], count: int) -> list[bytes]:
    """The next messages of a stream."""
    found: list[bytes] = []
    while len(found) < count:
        found += [part for part in (await anext(stream)).split(b"\n\n") if b"data:" in part]
    assert len(found) == count
    return found


def numbers(frames: list[bytes]) -> list[int]:
    return [int(frame.split(b"\n")[0].removeprefix(b"id: ")) for frame in frames]


def test_who_comes_first_sees_where_the_game_stands_and_then_what_happens() -> None:
    async def scenario() -> None:
        counted = Counted()
        stream = counted.feed.listen("en", None)
        (snapshot,) = await heard(stream, 1)
        assert b'"number":-1' in snapshot
        counted.publish(1)
        counted.publish(2)
        assert numbers(await heard(stream, 2)) == [1, 2]

    asyncio.run(scenario())


def test_a_message_is_put_into_words_once_for_each_language() -> None:
    async def scenario() -> None:
        counted = Counted()
        streams = [counted.feed.listen("de" if n % 3 else "en", 0) for n in range(30)]
        counted.publish(1)
        told = [(await heard(stream, 1))[0] for stream in streams]
        assert counted.worded == 2
        assert len({id(frame) for frame in told}) <= 30
        assert len(set(told)) == 2

    asyncio.run(scenario())


def test_who_comes_back_is_told_what_he_missed_and_nothing_twice() -> None:
    async def scenario() -> None:
        counted = Counted()
        for number in range(1, 11):
            counted.publish(number)
        assert numbers(await heard(counted.feed.listen("en", 7), 3)) == [8, 9, 10]

    asyncio.run(scenario())


@pytest.mark.parametrize("after", [0, REMEMBERED - 1, 2 * REMEMBERED + 50])
def test_who_missed_too_much_or_knows_more_than_we_gets_a_snapshot(after: int) -> None:
    async def scenario() -> None:
        counted = Counted()
        for number in range(1, 2 * REMEMBERED + 1):
            counted.publish(number)
        (snapshot,) = await heard(counted.feed.listen("en", after), 1)
        assert b'"number":-1' in snapshot
        assert numbers([snapshot]) == [2 * REMEMBERED]

    asyncio.run(scenario())


def test_a_slow_reader_falls_back_to_a_snapshot_and_holds_up_nobody() -> None:
    async def scenario() -> None:
        counted = Counted()
        slow, quick = counted.feed.listen("en", None), counted.feed.listen("en", None)
        await heard(slow, 1)
        await heard(quick, 1)
        for number in range(1, 3 * REMEMBERED):
            counted.publish(number)
            assert numbers(await heard(quick, 1)) == [number]
        (snapshot,) = await heard(slow, 1)
        assert numbers([snapshot]) == [3 * REMEMBERED - 1]
        assert b'"number":-1' in snapshot

    asyncio.run(scenario())


def test_the_stream_ends_with_the_game() -> None:
    async def scenario() -> None:
        counted = Counted()
        stream = counted.feed.listen("en", 0)
        counted.publish(1)
        counted.feed.close()
        assert len([part async for part in stream if b"data" in part]) == 1
        assert counted.feed.spectators == 0

    asyncio.run(scenario())


def test_all_of_many_waiting_spectators_are_woken() -> None:
    async def scenario() -> None:
        counted = Counted()
        streams = [counted.feed.listen("en", 0) for _ in range(100)]
        for stream in streams:
            await anext(stream)  # the greeting
        waiting = [asyncio.create_task(heard(stream, 1)) for stream in streams]
        await asyncio.sleep(0)
        counted.publish(1)
        for task in waiting:
            assert numbers(await asyncio.wait_for(task, 60)) == [1]

    asyncio.run(scenario())
