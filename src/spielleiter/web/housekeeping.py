"""Housekeeping: ends abandoned games and starts demonstrations.

Both are bounded. A demonstration begins only while somebody looks at the lobby and nobody plays.
Its players are weak and wait between moves, so it takes next to nothing from others.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import secrets
import time
from collections.abc import Callable, Sequence

from spielleiter.errors import SpielleiterError
from spielleiter.game import Game
from spielleiter.web.human_players import HumanPlayers
from spielleiter.web.recorder import GameRecorder
from spielleiter.web.service import GamePlan, GameService, NoSuchGame, SeatPlan

ABANDONED = 10 * 60.0
"""Seconds without an event after which an abandoned game is ended."""
LOOKED = 60.0
"""Seconds for which a visit of the lobby keeps demonstrations going."""
PACE = 1.2
"""Seconds between the moves of a demonstration."""
_EVERY = 3.0
_log = logging.getLogger("spielleiter.web")


class Housekeeping:
    """Looks after the games of an arena from time to time."""

    def __init__(
        self,
        recorder: GameRecorder,
        service: GameService,
        people: HumanPlayers,
        *,
        demos: Sequence[Game] = (),
        now: Callable[[], float] = time.time,
    ) -> None:
        self._recorder, self._service, self._people, self._now = recorder, service, people, now
        self._demos = itertools.cycle(demos) if demos else None
        self._looked = now()

    def looked(self) -> None:
        """Note a visit of the lobby."""
        self._looked = self._now()

    async def run(self) -> None:
        """Look after the games until cancelled."""
        while True:
            with contextlib.suppress(SpielleiterError):
                await self.tend()
            await asyncio.sleep(_EVERY)

    async def tend(self) -> None:
        """End abandoned games; start a demonstration if the lobby is visited and nobody plays."""
        for name in self._abandoned():
            _log.info("game %s is ended: nobody is there any more", name)
            with contextlib.suppress(NoSuchGame):
                await self._service.cancel(name)
        if self._demos is not None and self._is_quiet():
            await self._service.open(_demonstration(next(self._demos)))

    def _abandoned(self) -> list[str]:
        limit = self._now() - ABANDONED
        return [
            state.id
            for state in self._recorder.live_games()
            if state.wall(state.events[-1].at) < limit
            and not state.match.paused
            and not self._people.are_here(state.id)
        ]

    def _is_quiet(self) -> bool:
        playing = any(not state.match.paused for state in self._recorder.live_games())
        return not playing and self._now() - self._looked < LOOKED


def _demonstration(game: Game) -> GamePlan:
    position = game.start(secrets.randbelow(2**32))
    seats = [
        SeatPlan("built-in", "best 3", "best", 3)
        if seat % 2 == 0
        else SeatPlan("built-in", "greedy", "greedy")
        for seat in range(position.seats)
    ]
    return GamePlan(
        game.name, game.authority, position.text(), tuple(seats), source="demo", delay=PACE
    )
