"""Runs the stages of watched contests and sends the same events to all spectators."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Literal

from pydantic import Field

from spielleiter.errors import SpielleiterError
from spielleiter.web import models
from spielleiter.web.contest_reader import ContestReader, Contests, game_name
from spielleiter.web.feed import Feed
from spielleiter.web.language import translator
from spielleiter.web.library import ReplayResult, result_view, seat_name
from spielleiter.web.models import Language, Model
from spielleiter.web.serialisation import look_of, scene_of, translated_name
from spielleiter.web.stage import ContestStage, StagedGame, StageScene, StageState

_TICK = 0.25
_LEAVES = 10.0
"""Seconds after which an unwatched stage is closed."""
_MOST_READY = 200
_log = logging.getLogger("spielleiter.web")


# ----------------------------------------------------------------------------------------- models


class StagedGameView(Model):
    """The game on stage, as far as it was shown."""

    key: str
    title: str
    names: tuple[str, ...]
    seat_names: tuple[str, ...]
    turn: int
    to_move: int | None
    scene: models.SceneView
    look: models.Look
    live: bool
    """Whether the last move so far is shown of a game that is still being played."""
    result: ReplayResult | None
    """How it ended, after the last move."""
    replay: str | None
    """To open its replay with, after the last move."""


class ReadyGameView(Model):
    """A game that a host may start."""

    key: str
    teams: tuple[str, ...]
    live: bool


class StageView(Model):
    """The stage of a contest."""

    kind: Literal["stage"] = "stage"
    state: StageState
    seconds: int
    """Until a game begins."""
    hosted: bool
    """Whether a host starts the games."""
    game: StagedGameView | None
    ready: tuple[ReadyGameView, ...]
    """Games that a host may start."""


class HostOrder(Model):
    """Whether a host takes over."""

    hosted: bool


class StartOrder(Model):
    """Which game a host starts."""

    key: str = Field(max_length=400)


def stage_view(scene: StageScene, followed: ContestReader, language: Language) -> StageView:
    """The stage in a language."""
    staged = scene.staged
    game = None if staged is None else _game_view(scene, staged, followed, language)
    ready = (
        ReadyGameView(key=each.key, teams=each.teams, live=each.live)
        for each in scene.ready[:_MOST_READY]
    )
    return StageView(
        state=scene.state,
        seconds=scene.seconds,
        hosted=scene.hosted,
        game=game,
        ready=tuple(ready),
    )


def _game_view(
    scene: StageScene, staged: StagedGame, followed: ContestReader, language: Language
) -> StagedGameView:
    game, frame = staged.game, staged.frames[scene.turn]
    translate, over = translator(game, language), scene.state in ("over", "break")
    number = followed.numbers.get(staged.key)
    ended = over and staged.record is not None
    return StagedGameView(
        key=staged.key,
        title=translate(game.title),
        names=tuple(translated_name(name, translate) for name in staged.names),
        seat_names=tuple(seat_name(game, seat, translate) for seat in range(len(staged.names))),
        turn=scene.turn,
        to_move=None if frame.position.outcome() is not None else frame.position.to_move(),
        scene=scene_of(game.scene(frame.position, frame.last), translate),
        look=look_of(game, staged.frames[0].position),
        live=staged.record is None and scene.turn == staged.last and not over,
        result=result_view(staged.record, game, translate) if ended and staged.record else None,
        replay=game_name(followed.name, number) if ended and number is not None else None,
    )


# ----------------------------------------------------------------------------------------- running


class RunningStage:
    """A stage that runs while somebody watches it."""

    def __init__(self, followed: ContestReader, now: Callable[[], float]) -> None:
        self._followed, self._now = followed, now
        self.stage = ContestStage(followed, time.time)
        self.feed = Feed(partial(self._say, None), 0)
        self.task: asyncio.Task[None] | None = None

    def _say(self, scene: StageScene | None, language: Language) -> Model:
        return stage_view(scene or self.stage.scene, self._followed, language)

    def publish(self) -> None:
        """Send the current scene to all spectators."""
        self.feed.publish(self.feed.last + 1, partial(self._say, self.stage.scene))

    async def run(self) -> None:
        """Run until nobody has watched for a while and there is no host."""
        seen = self._now()
        while self._now() - seen < _LEAVES:
            if await self._advance():
                self.publish()
            if self.feed.spectators or self.stage.scene.hosted:
                seen = self._now()
            await asyncio.sleep(_TICK)
        await asyncio.to_thread(self.stage.leave)

    async def _advance(self) -> bool:
        try:
            return await asyncio.to_thread(self.stage.advance, self._now())
        except SpielleiterError as problem:  # the store is away: it goes on when it is back
            _log.debug("the stage of %s waits: %s", self._followed.name, problem)
            return False


class ContestStages:
    """All running stages."""

    def __init__(self, contests: Contests, now: Callable[[], float] = time.monotonic) -> None:
        self._contests, self._now = contests, now
        self._running: dict[str, RunningStage] = {}

    @property
    def spectators(self) -> int:
        """How many watch."""
        return sum(each.feed.spectators for each in self._running.values())

    def of(self, name: str) -> RunningStage | None:
        """The stage of a contest, started if necessary; None: there is no such contest."""
        followed = self._contests.find(name)
        if followed is None:
            return None
        found = self._running.get(name)
        if found is None:
            found = self._running[name] = RunningStage(followed, self._now)
            found.task = asyncio.create_task(found.run())
            found.task.add_done_callback(lambda task: self._gone(name, task))
        return found

    def _gone(self, name: str, task: asyncio.Task[None]) -> None:
        stage = self._running.pop(name)
        stage.feed.close()
        if not task.cancelled() and (problem := task.exception()) is not None:
            _log.error("the stage of %s broke", name, exc_info=problem)
            stage.stage.leave()

    async def close(self) -> None:
        """End them all."""
        tasks = [each.task for each in self._running.values() if each.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
