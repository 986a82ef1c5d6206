"""A bot at work in a thread of its own, so that it can be given up when time runs out.

Nobody can stop a thread. A bot that was given up goes on until it notices; meanwhile it is not
asked again, and its late answer is thrown away.
"""

from __future__ import annotations

import queue
import threading
from typing import Any

from spielleiter.game import Bot, Clock


class TooSlow(Exception):  # noqa: N818  (it is not an error of ours)
    """The bot has not answered in time."""


class Thinker:
    """Asks a bot for moves and waits no longer than told."""

    def __init__(self, bot: Bot) -> None:
        self._bot = bot
        self._tasks: queue.SimpleQueue[tuple[Any, Clock] | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[Any, Exception | None]] = queue.SimpleQueue()
        self._overdue = 0
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def choose(self, position: Any, clock: Clock, patience: float | None) -> Any:
        """The bot's move; raises TooSlow, or whatever the bot raised."""
        if patience is None:
            return self._bot.choose(position, clock)
        self._drop_late_answers()
        if self._overdue:
            raise TooSlow("it still thinks about an earlier move")
        self._tasks.put((position, clock))
        return self._answer(patience)

    def close(self) -> None:
        """No more questions. A bot that still thinks is left alone."""
        self._tasks.put(None)
        if not self._overdue:
            self._thread.join()

    def _answer(self, patience: float) -> Any:
        try:
            move, failure = self._answers.get(timeout=max(0.0, patience))
        except queue.Empty:
            self._overdue += 1
            raise TooSlow(f"no answer after {patience:.3f} s") from None
        if failure is not None:
            raise failure
        return move

    def _drop_late_answers(self) -> None:
        while self._overdue and not self._answers.empty():
            self._answers.get()
            self._overdue -= 1

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            try:
                self._answers.put((self._bot.choose(*task), None))
            except Exception as failure:
                self._answers.put((None, failure))
