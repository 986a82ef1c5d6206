"""An analysis sends a first evaluation at once, however many others wait."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, suppress
from typing import Any

import pytest

from spielleiter import games
from spielleiter.match import GameRecord, Join, Match, MoveSent
from spielleiter.service.analysis_worker import STAY, engines
from spielleiter.service.archive import ANALYST
from spielleiter.web.analysis_pool import (
    AnalysisBegan,
    AnalysisEvent,
    AnalysisOrder,
    AnalysisPool,
    Evaluated,
    GameAnalysis,
    LineFormatter,
    Queued,
    of_position,
)
from spielleiter.web.analysis_process import AnalysisProcess
from spielleiter.web.language import translator
from spielleiter.web.quick_evaluation import MOMENT, TOGETHER, QuickEvaluation

GAME = games.load(games.names()[0])
VISITORS = 20
PATIENCE = 120.0
NEVER = (sys.executable, "-c", "import sys; sys.stdin.read()")
"""An analysis that says nothing for as long as anybody listens."""
ANSWERS = """
import json, sys
for line in sys.stdin:
    order = json.loads(line)
    if order["engine"] == "dies":
        sys.exit(1)
    said = {"number": order["number"], "at": 0, "final": True, "depth": 1, "nodes": 1, "seconds": 0}
    line = {"score": order["number"], "moves": [order["engine"]]}
    print(json.dumps({**said, "lines": [line]}), flush=True)
"""
LOOKS = (sys.executable, "-c", ANSWERS)


def order_of(engine: str) -> AnalysisOrder:
    return AnalysisOrder(GAME, engine, (GAME.start().text(),), 1.0, 1)


def raw(report: dict[str, Any]) -> Iterator[AnalysisEvent]:
    line = report["lines"][0]
    yield Evaluated(
        turn=0, to_move=0, chances=(), lines=(), depth=line["score"], nodes=0, seconds=0.0,
        final=report["final"],
    )  # fmt: skip


async def events(asked: AsyncGenerator[AnalysisEvent, None], count: int) -> list[AnalysisEvent]:
    return [await anext(asked) for _ in range(count)]


def test_twenty_visitors_have_an_answer_while_the_first_analysis_goes_on() -> None:
    async def scene() -> None:
        look = QuickEvaluation(LOOKS)
        pool = AnalysisPool(NEVER, look=look)
        asked = [pool.events(f"{n} page", order_of("any"), raw) for n in range(VISITORS)]
        first = await asyncio.gather(*(events(each, 2) for each in asked))
        assert all(isinstance(began, AnalysisBegan) for began, _ in first)
        assert all(isinstance(event, Evaluated) and not event.final for _, event in first)
        assert isinstance(await anext(asked[0]), AnalysisBegan), "now with its own process"
        assert isinstance(await anext(asked[1]), Queued), "whole analyses wait for each other"
        for each in asked:
            await each.aclose()
        pool.close()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


def test_the_more_wait_the_shorter_is_a_look_and_whole_analyses_wait_for_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("spielleiter.web.quick_evaluation._OTHERS", PATIENCE)

    async def scene() -> None:
        look, moments = QuickEvaluation(LOOKS), list[float]()

        def order(more: dict[str, Any]) -> bytes:
            moments.append(more["seconds"])
            return order_of("any").text([0], **more)

        async def looked_then_calm() -> int:
            await look.at(order)
            await look.calm()
            return len(moments)

        asked = await asyncio.gather(*(looked_then_calm() for _ in range(VISITORS)))
        assert asked == [VISITORS] * VISITORS
        alone, *others = moments
        assert alone == MOMENT, "nobody else had asked yet"
        assert others == [min(MOMENT, TOGETHER / left) for left in range(VISITORS - 1, 0, -1)]
        look.close()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


def test_who_went_away_is_not_answered_in_the_place_of_the_next() -> None:
    async def scene() -> None:
        look = QuickEvaluation(LOOKS)
        gone = asyncio.create_task(look.at(lambda more: order_of("gone").text([0], **more)))
        while look._process is None:
            await asyncio.sleep(0)
        gone.cancel()
        found = await look.at(lambda more: order_of("next").text([0], **more))
        assert found is not None
        assert found["lines"][0]["moves"] == ["next"]
        look.close()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


def test_a_process_that_ended_is_started_again_and_nobody_is_told() -> None:
    async def scene() -> None:
        look = QuickEvaluation(LOOKS)
        assert await look.at(lambda more: order_of("dies").text([0], **more)) is None
        assert await look.at(lambda more: order_of("lives").text([0], **more)) is not None
        look.close()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


def test_engines_say_something_about_one_game_after_the_other() -> None:
    async def scene() -> None:
        pool = AnalysisPool(NEVER, engines, look=QuickEvaluation((*ANALYST, STAY)))
        for name in (games.names()[0], games.names()[-1]):
            game = games.load(name)
            start = game.start(1)
            order = AnalysisOrder(game, engines(start)[0], (start.text(),), 1.0, 2)
            tell = of_position(start, LineFormatter(game, translator(game, "en")))
            async with aclosing(pool.events("somebody page", order, tell)) as asked:
                _, event = await events(asked, 2)
            assert isinstance(event, Evaluated)
            assert not event.final
            assert start.move(event.lines[0].moves[0]) in start.legal_moves()
        pool.close()

    asyncio.run(asyncio.wait_for(scene(), PATIENCE))


def test_a_first_look_at_a_game_shows_the_turn_and_judges_nothing() -> None:
    match = Match(GAME.start(1))
    events = [match.opened, *(e for seat in range(2) for e in match.handle(Join(0.0, seat)))]
    for _ in range(4):
        move = next(iter(match.position.legal_moves()))
        events += match.handle(MoveSent(0.0, match.position.to_move(), move))
    frames = list(GameRecord(tuple(events)).frames(GAME))
    told = GameAnalysis(frames, LineFormatter(GAME, translator(GAME, "en")), 1, first=3)
    assert told.asked[told.looked_at] == 3
    line = {"score": 10, "moves": [next(iter(frames[3].position.legal_moves())).text()]}
    report = {"lines": [line], "depth": 1, "nodes": 1, "seconds": 0.0, "final": False}
    (event,) = told.tell({**report, "at": told.looked_at})
    assert isinstance(event, Evaluated)
    assert (event.turn, event.final) == (3, False)
    assert list(told.tell({**report, "at": told.looked_at + 1})) == []
    whole = list(told.tell({**report, "at": told.looked_at, "final": True}))
    assert isinstance(whole[0], Evaluated)
    assert whole[0].final
    assert list(told.tell({**report, "at": told.looked_at})) == [], "it is known by now"


def test_a_process_that_starts_after_the_arena_has_closed_is_ended_and_leaves_no_pipe() -> None:
    starts, closed, ended = threading.Event(), threading.Event(), threading.Event()
    begun: list[AnalysisProcess] = []

    class Late(AnalysisProcess):
        def __init__(self, command: tuple[str, ...]) -> None:
            starts.set()
            assert closed.wait(PATIENCE)
            super().__init__(command)
            begun.append(self)

        def _clear_up(self) -> None:
            super()._clear_up()
            ended.set()

    async def leave() -> None:
        starting = asyncio.create_task(Late.begun(NEVER))
        assert await asyncio.to_thread(starts.wait, PATIENCE)
        starting.cancel()
        with suppress(asyncio.CancelledError):
            await starting

    asyncio.run(leave())
    closed.set()
    assert ended.wait(PATIENCE)
    process = begun[0]._process
    assert process.returncode not in (None, 0)
    assert process.stdin is not None
    assert process.stdin.closed
    assert process.stdout is not None
    assert process.stdout.closed
