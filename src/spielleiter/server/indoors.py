"""A table without protocol: everybody who plays sits in this process.

The same referee, clock and events as behind a port. Who is to move is told by `ask`; whoever that
is answers with `play`, now or later.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from spielleiter.game import Seat
from spielleiter.match import (
    Asked,
    Cancel,
    Ended,
    Event,
    Input,
    Join,
    Match,
    MoveSent,
    Pause,
    Step,
    TimeUp,
    TurnBegan,
)
from spielleiter.server.timekeeper import Timekeeper

Sink = Callable[[str, Event], None]


class IndoorRoom:
    """One match whose players are all here."""

    __slots__ = ("_ask", "_busy", "_inbox", "_sinks", "_time", "_timer", "id", "match")

    def __init__(
        self,
        name: str,
        match: Match,
        *,
        time: Timekeeper,
        sinks: Sequence[Sink],
        ask: Callable[[str, TurnBegan], None],
    ) -> None:
        self.id, self.match = name, match
        self._time, self._sinks, self._ask = time, tuple(sinks), ask
        self._inbox: deque[Input] = deque()
        self._busy = False
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Everybody sits down."""
        self._tell(self.match.opened)
        for seat in range(len(self.match.names)):
            self._put(Join(self._time.now(), seat))

    def play(self, seat: Seat, move: Any, *, lag: float = 0.0, hints: tuple[str, ...] = ()) -> None:
        """A player moves; `lag` is what the answer waited for us."""
        self._put(MoveSent(self._time.now(), seat, move, lag=lag, hints=hints))

    def pause(self, paused: bool) -> None:
        """Hold the game, or let it go on."""
        self._put(Pause(self._time.now(), paused))

    def step(self) -> None:
        """Let a held game go on for one move."""
        self._put(Step(self._time.now()))

    def cancel(self) -> None:
        """End the game now."""
        self._put(Cancel(self._time.now()))

    def check_time(self) -> None:
        """Let the referee look at the clock."""
        self._put(TimeUp(self._time.polled()))

    def _put(self, happened: Input) -> None:
        """Inputs are handled one after the other, those that follow from one after it."""
        self._inbox.append(happened)
        if self._busy:
            return
        self._busy = True
        try:
            while self._inbox:
                for event in self.match.handle(self._inbox.popleft()):
                    self._tell(event)
                    self._follow(event)
        finally:
            self._busy = False

    def _tell(self, event: Event) -> None:
        for sink in self._sinks:
            sink(self.id, event)

    def _follow(self, event: Event) -> None:
        if isinstance(event, TurnBegan):
            self.match.handle(Asked(self._time.now(), event.seat))
            self._watch_the_clock()
            self._ask(self.id, event)
        elif isinstance(event, Ended):
            self._stop_watching()

    def _watch_the_clock(self) -> None:
        self._stop_watching()
        deadline = self.match.deadline
        if deadline is not None:
            delay = max(0.0, deadline - self._time.now())
            self._timer = asyncio.get_running_loop().call_later(delay, self._rang)

    def _rang(self) -> None:
        self._timer = None
        deadline = self.match.deadline
        if deadline is not None and self._time.polled() >= deadline:
            self.check_time()
        else:
            self._watch_the_clock()

    def _stop_watching(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
