"""What strangers may have us keep and compute, each with its bound and a clear answer."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncGenerator, Callable, Iterator

import pytest

from spielleiter import games
from spielleiter.game import Position
from spielleiter.protocol.lobby import ErrorPacket, Joined
from spielleiter.server import ServerLimits, Settings, Timekeeper
from spielleiter.server.binary import BinarySettings, Host
from spielleiter.server.binary.notices import ClientRefused, Notice
from spielleiter.server.seat_quota import FULL, SeatQuota
from spielleiter.web.analysis_pool import AnalysisEvent, AnalysisOrder, AnalysisPool, Failed
from spielleiter.web.guest_allowance import GuestAllowance
from tests.arenas import Visitor, arena, built_in
from tests.peers import PATIENCE, Peer, Time, prepared, seated, serving
from tests.test_admission import NEWEST, board, course, named, run
from tests.test_arena_restart import EDITION, SEATS


@pytest.fixture(scope="module")
def visitor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visitor]:
    with arena(tmp_path_factory.mktemp("bounds")) as visitor:
        yield visitor


# ------------------------------------------------------------------------------ games that are kept


def test_an_address_takes_so_many_seats_an_hour_and_regains_them_evenly() -> None:
    moment = [0.0]
    quota = SeatQuota(2, lambda: moment[0])
    assert [quota.admits("a") for _ in range(3)] == [True, True, False]
    assert quota.admits("b"), "others are not concerned"
    moment[0] = 1900.0
    assert [quota.admits("a") for _ in range(2)] == [True, False]
    assert all(SeatQuota(None, lambda: 0.0).admits("a") for _ in range(10_000))


def test_who_has_played_too_many_kept_games_is_told_so_and_those_announced_play() -> None:
    settings = Settings(limits=ServerLimits(seats_per_hour=1))

    async def scene() -> None:
        async with serving([NEWEST], settings, time=Time()) as server:
            first, second = await Peer.at(server), await Peer.at(server)
            first.join()
            await first.hear(Joined)
            second.join()
            assert FULL in (await second.hear(ErrorPacket)).message
            await seated(server, await prepared(await Peer.admin_at(server)))

    run(scene())


def test_who_has_played_too_many_kept_games_of_the_course_is_refused() -> None:
    refused: list[str] = []

    def note(notice: Notice) -> None:
        if isinstance(notice, ClientRefused):
            refused.append(str(notice.problem))

    async def scene(time: Timekeeper) -> None:
        host = Host(board(), BinarySettings(port=0, seats_per_hour=1), time=time, notify=note)
        await host.start()
        _, first = await named(host.port)
        reader, second = await named(host.port)
        assert await asyncio.wait_for(reader.read(), PATIENCE) == b""
        await host.stop()
        first.close()
        second.close()

    course(scene)
    assert refused == [FULL]


@pytest.mark.parametrize(
    "allowance", [lambda: GuestAllowance(games=1), lambda: GuestAllowance(size=1)]
)
def test_a_guest_of_whom_enough_is_kept_opens_no_more_games(
    visitor: Visitor, monkeypatch: pytest.MonkeyPatch, allowance: Callable[[], GuestAllowance]
) -> None:
    monkeypatch.setattr(visitor.opened.arena.recorder, "allowance", allowance())
    body = {"edition": EDITION, "seats": [built_in()] * SEATS, "delay": 0}
    opened = visitor.post("/api/games", body)
    assert opened.status_code == 201, opened.text
    visitor.watch_to_the_end(opened.json()["id"])
    refused = visitor.post("/api/games", body)
    assert refused.status_code == 429, refused.text
    assert (refused.status_code, refused.json()["detail"]["code"]) == (429, "too-many-games")
    assert refused.json()["detail"]["message"]


def test_what_is_kept_of_a_guest_is_regained_in_a_day() -> None:
    moment = [0.0]
    allowance = GuestAllowance(games=10, size=1000, now=lambda: moment[0])
    allowance.charge("a", games=10)
    allowance.charge("b", size=1000)
    assert [allowance.admits(each) for each in "abc"] == [False, False, True]
    moment[0] = 12 * 3600.0
    assert [allowance.admits(each) for each in "abc"] == [True, True, True]


# ------------------------------------------------------------------------------- work on request


@pytest.fixture(scope="module")
def finished(visitor: Visitor) -> str:
    made: str = visitor.order(EDITION, *[built_in()] * SEATS)["id"]
    visitor.watch_to_the_end(made)
    return made


@pytest.mark.parametrize(
    "path",
    [
        "/api/games/{finished}/scenes",
        "/api/games/{finished}/scenes/2",
        "/api/games/{finished}/positions/2",
        "/api/games/{finished}/files/{file}",
        "/api/replays/game/{finished}",
        "/api/replays/game/{finished}/picture.svg",
        "/api/replays/game/{finished}/picture.png",
        "/api/replays/game/{finished}/page.html",
        "/api/replays/game/{finished}/replay.log",
        "/api/analysis/game/{finished}",
    ],
)
def test_whatever_is_computed_on_request_has_a_bound(
    visitor: Visitor, finished: str, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    file = visitor.get(f"/api/games/{finished}")["downloads"][0]
    monkeypatch.setattr(visitor.opened.arena.files, "_limit", 0)  # everybody else is waiting
    answer = visitor.http.get(path.format(finished=finished, file=file))
    assert (answer.status_code, answer.json()["detail"]["code"]) == (503, "busy")


def test_what_was_computed_is_given_again_without_work(
    visitor: Visitor, finished: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [
        f"/api/games/{finished}/scenes",
        f"/api/games/{finished}/scenes/2",
        f"/api/replays/game/{finished}",
    ]
    first = [visitor.get(path) for path in paths]
    monkeypatch.setattr(visitor.opened.arena.files, "_limit", 0)
    assert [visitor.get(path) for path in paths] == first
    assert first[0]["scenes"][2] == first[1]


def test_one_visitor_waits_for_so_many_analyses_and_no_more() -> None:
    position: Position = games.load(EDITION).start()
    order = AnalysisOrder(games.load(EDITION), "any", (position.text(),), 1.0, 1)
    waits = [sys.executable, "-c", "import sys; sys.stdin.read()"]

    async def first_word(pool: AnalysisPool, client: str) -> AnalysisEvent:
        words = pool.events(client, order, lambda report: iter(()))
        running.append(words)
        return await anext(words)

    async def scene() -> None:
        pool = AnalysisPool(waits)
        told = [await first_word(pool, f"greedy {number}") for number in range(5)]
        assert [isinstance(word, Failed) for word in told] == [False] * 4 + [True]
        assert isinstance(told[-1], Failed)
        assert (told[-1].code, bool(told[-1].message)) == ("busy", True)
        assert not isinstance(await first_word(pool, "other 1"), Failed)
        for words in running:
            with contextlib.suppress(StopAsyncIteration):
                await words.aclose()

    running: list[AsyncGenerator[AnalysisEvent, None]] = []
    asyncio.run(scene())
