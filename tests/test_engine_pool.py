"""Built-in players in processes of their own: they answer, and whoever dies takes nobody along."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.service.engine_pool import EnginePool, Question

EDITION = games.names()[0]
GAME = games.load(EDITION)
QUESTION = Question("seat", "random", EDITION, "document", GAME.start(1).text(), 0.1)


def test_a_player_answers_with_a_legal_move_and_the_time_it_took() -> None:
    async def scenario() -> None:
        thinkers = EnginePool(2)
        try:
            answers = await asyncio.gather(
                *(thinkers.choose(replace(QUESTION, seat=f"seat {n}")) for n in range(12))
            )
        finally:
            thinkers.close()
        legal = {move.text() for move in GAME.start(1).legal_moves()}
        assert {answer.move for answer in answers} <= legal
        assert all(0 <= answer.seconds < 30 for answer in answers)

    asyncio.run(scenario())


def test_a_player_that_cannot_play_or_dies_takes_nobody_with_it() -> None:
    async def scenario() -> None:
        thinkers = EnginePool(1)
        try:
            with pytest.raises(UsageError):
                await thinkers.choose(replace(QUESTION, player="nobody"))
            await thinkers.choose(QUESTION)
            for process in list(thinkers._pools[0]._processes.values()):
                process.kill()
            with pytest.raises(UsageError, match="died"):
                await thinkers.choose(QUESTION)
            assert (await thinkers.choose(QUESTION)).move
        finally:
            thinkers.close()

    asyncio.run(scenario())
