"""Games of strangers are kept for a while: they never fill the disk, nor push out ours."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from spielleiter import games
from spielleiter.match import Match
from spielleiter.store import Entry, open_store
from spielleiter.store.rolling import MEGABYTE, RollingStore
from spielleiter.store.stored_games import OPENED
from spielleiter.web.game_state import GameInfo
from spielleiter.web.recorder import GameRecorder
from spielleiter.web.service import SeatKind
from tests.test_arena_restart import EDITION, SEATS, played

ROOM = 2 * MEGABYTE


def filled(store: RollingStore, number: int) -> None:
    store.append([Entry("game", f"game/{number}", "x" * 50_000)])


def size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.iterdir())


def test_a_rolling_store_keeps_the_newest_within_its_room(tmp_path: Path) -> None:
    gone: list[str] = []
    with closing(RollingStore(tmp_path, "game", room=ROOM)) as store:
        store.forget = gone.extend
        for number in range(120):
            filled(store, number)
            assert size(tmp_path) < ROOM + MEGABYTE
        kept = [entry.key for entry in store.read("game")]
    assert gone + kept == [f"game/{number}" for number in range(120)]
    assert len(kept) > 15
    for path in tmp_path.glob("*.db"):
        with closing(open_store(path)) as part:
            assert list(part.check()) == []
    with closing(RollingStore(tmp_path, "game", room=ROOM)) as store:
        assert [entry.key for entry in store.read("game")] == kept
        assert store.named("game", kept[-2:]) == [
            Entry("game", key, "x" * 50_000) for key in kept[-2:]
        ]


def test_on_a_full_disk_strangers_are_not_kept_and_nothing_fails(tmp_path: Path) -> None:
    free = 10 * MEGABYTE
    store = RollingStore(
        tmp_path, "game", room=ROOM, reserve=5 * MEGABYTE, free=lambda folder: free
    )
    with closing(store):
        filled(store, 1)
        free = MEGABYTE
        filled(store, 2)
        free = 10 * MEGABYTE
        filled(store, 3)
        assert [entry.key for entry in store.read("game")] == ["game/1", "game/3"]


def test_games_of_strangers_make_room_for_others_and_ours_stay(tmp_path: Path) -> None:
    with recorder_in(tmp_path) as recorder:
        asyncio.run(ours(recorder))
    for first in range(0, 60, 10):  # closing writes what waits: each ten are on the disk
        with recorder_in(tmp_path) as recorder:
            strangers(recorder, range(first, first + 10))
    with recorder_in(tmp_path) as recorder:
        names = {each.id for each in recorder.summaries("en", limit=200)[0]}
        assert "ours" in names
        assert "guest-59" in names
        assert "guest-0" not in names
        assert asyncio.run(recorder.find("guest-0")) is None
        assert asyncio.run(recorder.find("guest-59")) is not None
    with closing(open_store(tmp_path / "arena.db")) as store:
        assert [entry.key for entry in store.read(OPENED)] == ["ours"]


@contextmanager
def recorder_in(folder: Path) -> Iterator[GameRecorder]:
    with (
        closing(open_store(folder / "arena.db")) as store,
        closing(RollingStore(folder / "strangers", OPENED, room=MEGABYTE // 2)) as passing,
        closing(GameRecorder(store, passing)) as recorder,
    ):
        yield recorder


async def ours(recorder: GameRecorder) -> None:
    played(recorder, "ours", plies=3)


def strangers(recorder: GameRecorder, numbers: range) -> None:
    for number in numbers:
        person: SeatKind = "person"
        recorder.announce(f"guest-{number}", GameInfo((person,) * SEATS, "arena", 1.0, True))
        match = Match(games.load(EDITION).start(1), names=["x" * 8_000] * SEATS)
        recorder.record(f"guest-{number}", match.opened)
