"""Plays a game with a bot that can be given up when time runs out.

The thread that reads requests calls the bot as well, and sends its answers: where others have the
processors, every change of threads takes long. Meanwhile the caller's thread looks at the clock. If
the bot does not return in time, the caller *takes over*: it sends another move and reads on, and
from then on the bot's thread only calls the bot.

A thread cannot be stopped. A bot that was given up runs on until it returns; meanwhile it is not
called again, and its late answer is discarded.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from spielleiter.bots._engine import expected_delay
from spielleiter.client.time_slices import short_slices
from spielleiter.game import Clock

FADING = 0.9
"""What is left of the longest delay after a move without one."""
BEGINNING = 0.1
"""Seconds after which requests are read while a bot still begins."""
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


@dataclass(frozen=True, slots=True)
class _Returned:
    """What a call of the bot returned or raised."""

    value: Any = None
    failure: BaseException | None = None

    def get(self) -> Any:
        if self.failure is not None:
            raise self.failure
        return self.value


@dataclass(slots=True)
class _Watch:
    """A call that is given up at a time."""

    deadline: float
    give_up: Callable[[], None]


class Thinker:
    """Plays one game and asks its bot questions, each with a patience.

    What follows from an answer, or from none, happens under a lock: so one of the two happens, and
    it happens once.
    """

    def __init__(self) -> None:
        self.delay = expected_delay()
        """Seconds that we had to wait for a processor lately."""
        self._turn = threading.Condition(threading.RLock())
        self._watch: _Watch | None = None
        self._alarm = float("inf")  # when the caller looks at the clock
        self._is_taken_over = self._is_over = False
        self._end = _Returned()
        self._questions: queue.SimpleQueue[Callable[[], Any] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[_Returned] = queue.SimpleQueue()
        self._belated: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._overdue = 0

    # ------------------------------------------------------------------------------------ the game

    def play(self, game: Callable[[], Result]) -> Result:
        """The result of a game; `game` is called a second time, to go on, if we take over."""
        try:
            with short_slices():
                self._start(game)
                if not self._wait():
                    return game()
            result: Result = self._end.get()
            return result
        finally:
            self._is_taken_over = True
            self._questions.put(None)

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

    def _wait(self) -> bool:
        """Until the game is over, or until the bot has to be given up (False)."""
        with self._turn:
            while not self._is_over:
                now = time.monotonic()
                self._alarm = float("inf") if self._watch is None else self._watch.deadline
                if self._watch is not None and now >= self._alarm:
                    self._is_taken_over = True
                    self._watch.give_up()
                    return False
                rings = None if self._watch is None else self._alarm - now
                if not self._turn.wait(rings):
                    self.learn(time.monotonic() - self._alarm)
            return True

    def _work(self, game: Callable[[], Any]) -> None:
        try:
            end = _returned(game)
        except _TakenOver:
            self._serve()
            return
        with self._turn:
            self._end, self._is_over = end, True
            self._turn.notify()

    def _serve(self) -> None:
        while (question := self._questions.get()) is not None:
            self._answers.put(_returned(question))
            del question  # positions must not outlive the game

    # ---------------------------------------------------------------------------------- questions

    def ask(
        self,
        question: Callable[[], Answer],
        patience: float | None,
        finish: Callable[[Callable[[], Answer]], None],
        cover: Callable[[TooSlow], None],
        *,
        binding: bool = True,
    ) -> None:
        """Call the bot; then `finish` with what it answered, or `cover` if it takes too long.

        What the bot raised is raised to `finish` as it asks for the answer. A question that is not
        `binding` may be given up without harm: the next one waits for it.
        """
        if threading.current_thread() is self._thread:
            self._ask_here(question, patience, finish, cover, binding)
        else:
            self._ask_other_thread(question, patience, finish, cover)

    def _ask_here(
        self,
        question: Callable[[], Answer],
        patience: float | None,
        finish: Callable[[Callable[[], Answer]], None],
        cover: Callable[[TooSlow], None],
        binding: bool,
    ) -> None:
        def give_up() -> None:
            self._overdue += binding
            cover(_no_answer(patience))

        self._set_watch(patience, give_up)
        returned = _returned(question)
        with self._turn:
            if self._is_taken_over:
                if binding:
                    self._answers.put(returned)
                else:
                    self._belated.put(lambda: finish(returned.get))
                raise _TakenOver
            self._watch = None
            finish(returned.get)

    def _set_watch(self, patience: float | None, give_up: Callable[[], None]) -> None:
        with self._turn:
            if self._is_taken_over:
                raise _TakenOver
            if patience is None:
                return
            self._watch = _Watch(time.monotonic() + patience, give_up)
            if self._watch.deadline < self._alarm:
                self._turn.notify()

    def _ask_other_thread(
        self,
        question: Callable[[], Answer],
        patience: float | None,
        finish: Callable[[Callable[[], Answer]], None],
        cover: Callable[[TooSlow], None],
    ) -> None:
        while not self._belated.empty():
            self._belated.get()()
        while self._overdue and not self._answers.empty():
            self._answers.get()
            self._overdue -= 1
        if self._overdue:
            cover(TooSlow("it still thinks about an earlier move"))
            return
        self._questions.put(question)
        try:
            returned = self._answers.get(timeout=None if patience is None else max(0.0, patience))
        except queue.Empty:
            self._overdue += 1
            cover(_no_answer(patience))
        else:
            finish(returned.get)


def _returned(question: Callable[[], Any]) -> _Returned:
    try:
        return _Returned(question())
    except _TakenOver:
        raise
    except BaseException as failure:  # a bot may even exit: whoever asked decides what follows
        return _Returned(failure=failure)


def _no_answer(patience: float | None) -> TooSlow:
    return TooSlow(f"no answer after {patience or 0.0:.3f} s")
