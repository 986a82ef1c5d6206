"""Runs a bot in a separate thread, so that it can be abandoned when time runs out.

A thread cannot be stopped. An abandoned bot runs on until it returns; meanwhile it is not called
again, and its late answer is discarded.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from spielleiter.bots._engine import expected_delay
from spielleiter.game import Bot, Clock, Move, Position

FADING = 0.9
"""What is left of the longest delay after a move without one."""


def after(clock: Clock, seconds: float) -> Clock:
    """The clock after so many seconds."""
    if clock.per_move is None:
        return clock
    return replace(clock, per_move=max(0.0, clock.per_move - seconds))


class TooSlow(Exception):
    """The bot has not answered in time."""


class Thinker:
    """Calls a bot, one call after the other, with timeouts.

    Exceptions of `begin` and `end` go to `warn`, since nobody waits for them.
    """

    def __init__(self, bot: Bot, warn: Callable[[str], None]) -> None:
        self._bot, self._warn = bot, warn
        self._tasks: queue.SimpleQueue[tuple[str, tuple[Any, ...]] | None] = queue.SimpleQueue()
        self._asked = 0.0
        self._answers: queue.SimpleQueue[tuple[Any, Exception | None, float]] = queue.SimpleQueue()
        self.delay = expected_delay()
        """Seconds that an answer lay ready lately before we had a processor to take it."""
        self._overdue = 0
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def tell(self, verb: str, *arguments: Any) -> None:
        """Call a method of the bot without waiting for it."""
        self._tasks.put((verb, arguments))

    def choose(self, position: Position, clock: Clock, patience: float | None) -> Move:
        """The bot's move; raises TooSlow after that many seconds, or whatever the bot raised."""
        self._drop_late_answers()
        if self._overdue:
            raise TooSlow("it still thinks about an earlier move")
        self._asked = time.perf_counter()
        self._tasks.put(("choose", (position, clock)))
        chosen: Move = self._answer(patience)
        return chosen

    def close(self) -> None:
        """Make no more calls; a bot that still thinks is abandoned."""
        self._tasks.put(None)
        self._drop_late_answers()
        if not self._overdue:
            self._thread.join()

    def _answer(self, patience: float | None) -> Any:
        try:
            move, failure, ready = self._answers.get(
                timeout=None if patience is None else max(0.0, patience)
            )
        except queue.Empty:
            self._overdue += 1
            self._learn(self._asked + max(0.0, patience or 0.0))
            raise TooSlow(f"no answer after {patience:.3f} s") from None
        self._learn(ready)
        if failure is not None:
            raise failure
        return move

    def _learn(self, ready: float) -> None:
        """We have a processor now, and wanted it since then."""
        self.delay = max(time.perf_counter() - ready, FADING * self.delay)

    def _drop_late_answers(self) -> None:
        while self._overdue and not self._answers.empty():
            self._answers.get()
            self._overdue -= 1

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            verb, arguments = task
            answer, failure = None, None
            try:
                answer = self._call(verb, arguments)
            except Exception as problem:
                failure = problem
            if verb == "choose":
                self._answers.put((answer, failure, time.perf_counter()))
            elif failure is not None:
                self._warn(f"{self._bot.name}.{verb} failed: {failure!r}")
            del task, arguments, answer, failure  # positions must not outlive the game

    def _call(self, verb: str, arguments: tuple[Any, ...]) -> Any:
        if verb != "choose":
            return getattr(self._bot, verb)(*arguments)
        position, clock = arguments  # it may have had to wait for `begin`
        return self._bot.choose(position, after(clock, time.perf_counter() - self._asked))
