"""Plays a game with a bot that can be given up when time runs out.

The thread that reads requests calls the bot as well, and sends its answers: where others have the
processors, every change of threads takes long. Meanwhile the caller's thread looks at the clock. If
the bot does not return in time, the caller *takes over*: it sends another move and reads on until
the bot has returned; with the next request it hands the game back.

A thread cannot be stopped. A bot that was given up runs on until it returns; meanwhile it is not
called again, and its late answer is discarded.
"""

from __future__ import annotations

import contextlib
import math
import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from spielleiter.bots._engine import expected_delay
from spielleiter.client.promptness import Priority
from spielleiter.game import Clock

FADING = 0.9
"""What is left of the longest delay after a move without one."""
BEGINNING = 0.1
"""Seconds after which requests are read while a bot still begins."""
ENDING = 10.0
"""Seconds that a bot has at the end of a game."""
_STACK = 16 << 20
"""Bytes for the bot's thread: as much as a main thread has, on every system."""

Answer = TypeVar("Answer")
Result = TypeVar("Result")


def after(clock: Clock, seconds: float) -> Clock:
    """The clock after so many seconds."""
    if clock.per_move is None:
        return clock
    return replace(clock, per_move=max(0.0, clock.per_move - seconds))


class TooSlow(Exception):
    """The bot has not answered in time."""


class _TakenOver(BaseException):
    """The caller plays on: the bot's thread leaves the game."""


class _HandedBack(BaseException):
    """The bot's thread plays on: the caller leaves the game."""


@dataclass(frozen=True, slots=True)
class _Returned:
    """What a call of the bot returned or raised."""

    value: Any = None
    failure: BaseException | None = None

    def get(self) -> Any:
        if self.failure is not None:
            raise self.failure
        return self.value


@dataclass(slots=True, eq=False)
class BotCall(Generic[Answer]):
    """A call of the bot, and what follows: `finish` with its answer, or `cover` without one.

    What the bot raised is raised to `finish` as it asks for the answer. A question that is not
    `binding` is given up without harm: the next one waits for it.
    """

    call: Callable[[], Answer]
    patience: float | None
    finish: Callable[[Callable[[], Answer]], None]
    cover: Callable[[TooSlow], None]
    binding: bool = True
    deadline: float = math.inf
    is_given_up: bool = False

    def __post_init__(self) -> None:
        if self.patience is not None:
            self.patience = max(0.0, self.patience)

    def start_clock(self) -> None:
        """The patience begins now."""
        self.deadline = time.monotonic() + (math.inf if self.patience is None else self.patience)

    def give_up(self) -> None:
        """The caller has waited long enough."""
        self.is_given_up = True
        self.cover(TooSlow(f"no answer after {self.patience or 0.0:.3f} s"))


class Thinker:
    """Plays one game and asks its bot questions.

    What follows from an answer, or from none, happens under a lock: so one of the two happens, and
    it happens once.
    """

    def __init__(self) -> None:
        self.delay = expected_delay()
        """Seconds that we had to wait for a processor lately."""
        self._priority = Priority()
        self._turn = threading.Condition(threading.RLock())
        self._asked: BotCall[Any] | None = None  # watched by the caller
        self._late: BotCall[Any] | None = None  # given up, but not returned from
        self._alarm = math.inf  # when the caller looks at the clock
        self._failure: Exception | None = None  # of a question that nobody waited for
        self._end: _Returned | None = None
        self._tasks: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._is_abandoned = self._is_last_asked = False

    # ------------------------------------------------------------------------------------ the game

    def play(self, game: Callable[[], Result]) -> Result:
        """The result of a game. `game` is called again, to go on, whenever the thread changes."""
        with self._priority.raised():
            return self._play(game)

    def _play(self, game: Callable[[], Result]) -> Result:
        try:
            self._start(game)
            while (end := self._wait()) is None:
                with contextlib.suppress(_HandedBack):
                    return game()
            result: Result = end.get()
            return result
        finally:
            self._is_abandoned = True
            self._tasks.put(None)

    def learn(self, delay: float) -> None:
        """We have a processor now, and wanted it for so many seconds."""
        self.delay = max(delay, FADING * self.delay)

    def _start(self, game: Callable[[], Any]) -> None:
        before = threading.stack_size(_STACK)
        try:
            self._thread = threading.Thread(target=self._work, args=(game,), daemon=True)
            self._thread.start()
        finally:
            threading.stack_size(before)

    def _wait(self) -> _Returned | None:
        """Until the game is over; None: the bot was given up."""
        with self._turn:
            while self._end is None:
                asked, now = self._asked, time.monotonic()
                self._alarm = math.inf if asked is None else asked.deadline
                if asked is not None and now >= self._alarm:
                    self._late, self._asked = asked, None
                    asked.give_up()
                    return None
                if not self._turn.wait(None if self._alarm == math.inf else self._alarm - now):
                    self.learn(time.monotonic() - self._alarm)
            return self._end

    def _work(self, game: Callable[[], Any]) -> None:
        """The game, and what is handed back whenever it was taken over."""
        task: Callable[[], Any] | None = game
        while task is not None:
            try:
                end = _returned(task)
            except _TakenOver:
                task = self._tasks.get()
                continue
            if task is game or end.failure is not None:
                self._finish(end)
                return
            task = game

    def _finish(self, end: _Returned) -> None:
        with self._turn:
            self._end = end
            self._turn.notify()

    # ---------------------------------------------------------------------------------- questions

    def ask(self, question: BotCall[Any]) -> None:
        """Call the bot, and do what follows. The game goes on with its next message."""
        if threading.current_thread() is self._thread:
            self._watch(question)
            self._answer(question)
        else:
            self._hand_back(question)

    def ask_last(self, question: BotCall[Any]) -> None:
        """Ask once at the end of the game; a bot that still thinks about a move is not asked.

        The game may be called again, as after any question, and comes here again.
        """
        if not self._is_last_asked and self._late is None:
            self._is_last_asked = True
            self.ask(question)

    def _watch(self, question: BotCall[Any]) -> None:
        with self._turn:
            if self._is_abandoned:
                raise _TakenOver
            question.start_clock()
            self._asked = question
            if question.deadline < self._alarm:
                self._turn.notify()

    def _answer(self, question: BotCall[Any]) -> None:
        """Call the bot in its thread, unless nobody waits for the answer any more."""
        returned = _Returned() if question.is_given_up else self._call(question)
        with self._turn:
            if question.is_given_up:
                self._put_down(question, returned)
                raise _TakenOver
            self._asked = None
            question.finish(returned.get)

    def _call(self, question: BotCall[Any]) -> _Returned:
        with self._priority.usual():
            return _returned(question.call)

    def _put_down(self, question: BotCall[Any], returned: _Returned) -> None:
        if self._late is question:
            self._late = None
        if not question.binding:
            try:
                question.finish(returned.get)
            except Exception as failure:
                self._failure = failure

    def _hand_back(self, question: BotCall[Any]) -> None:
        with self._turn:
            if self._failure is not None:
                raise self._failure
            if self._late is not None and self._late.binding:
                question.cover(TooSlow("it still thinks about an earlier move"))
                return
            self._watch(question)
            self._tasks.put(lambda: self._answer(question))
        raise _HandedBack


def _returned(question: Callable[[], Any]) -> _Returned:
    try:
        return _Returned(question())
    except (_TakenOver, _HandedBack):
        raise
    except BaseException as failure:  # a bot may even exit: whoever asked decides what follows
        return _Returned(failure=failure)
