"""Pictures and pages on request: made once, kept within bounds, and nobody takes all the time."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from spielleiter.web.file_maker import FileMaker, FilesBusy, FilesClosed


def test_a_file_is_made_once_for_all_who_want_it() -> None:
    made: list[str] = []

    def make() -> bytes:
        made.append("once")
        return b"picture"

    async def ask() -> None:
        files = FileMaker()
        found = await asyncio.gather(*(files.get("key", f"visitor {n}", make) for n in range(10)))
        assert set(found) == {b"picture"}
        assert await files.get("key", "later", make) == b"picture"

    asyncio.run(ask())
    assert made == ["once"]


def test_one_visitor_cannot_keep_the_arena_busy() -> None:
    go_on = threading.Event()

    def slow() -> bytes:
        assert go_on.wait(60)
        return b"picture"

    async def ask() -> None:
        files = FileMaker(waiting=6, by_visitor=4)
        tasks = [asyncio.create_task(files.get(n, "greedy", slow)) for n in range(4)]
        await asyncio.sleep(0)
        with pytest.raises(FilesBusy):
            await files.get("more", "greedy", slow)
        tasks += [asyncio.create_task(files.get(f"b{n}", f"other {n}", slow)) for n in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(FilesBusy):
            await files.get("full", "somebody", slow)
        go_on.set()
        assert await asyncio.gather(*tasks) == [b"picture"] * 6
        assert await files.get("more", "greedy", slow) == b"picture"

    asyncio.run(ask())


def test_files_are_kept_within_bounds_and_a_failure_is_not_kept() -> None:
    made: list[int] = []

    def make(number: int) -> bytes:
        made.append(number)
        return b"x" * 40

    def fail() -> bytes:
        raise ValueError("no picture")

    async def ask() -> None:
        files = FileMaker(room=100)
        for number in (1, 2, 1, 3, 1, 2):
            await files.get(number, "visitor", lambda number=number: make(number))  # type: ignore[misc]
        for _ in range(2):
            with pytest.raises(ValueError, match="no picture"):
                await files.get("bad", "visitor", fail)

    asyncio.run(ask())
    assert made == [1, 2, 3, 2]


def test_long_work_ends_when_the_arena_closes_and_nothing_new_begins(
    caplog: pytest.LogCaptureFixture,
) -> None:
    begun = threading.Event()

    def long(files: FileMaker) -> bytes:
        for _ in range(10**6):
            begun.set()
            files.go_on()
            time.sleep(0.001)
        return b"review"

    async def ask() -> None:
        files = FileMaker()
        gone = asyncio.create_task(files.get("first", "gone", lambda: long(files)))
        waiting = asyncio.create_task(files.get("first", "waiting", lambda: long(files)))
        assert await asyncio.to_thread(begun.wait, 60)
        gone.cancel()
        files.close()
        with pytest.raises(FilesClosed):
            await asyncio.wait_for(waiting, 60)
        with pytest.raises(FilesClosed):
            await files.get("second", "late", lambda: b"picture")

    asyncio.run(ask())
    assert not caplog.records, "nobody is told of what nobody waits for"
