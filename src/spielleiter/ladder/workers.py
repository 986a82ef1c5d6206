"""Threads that claim games from the ladder and play them, each with its own worker process.

The runner replaces a worker process that dies or hangs; its game is played again. Leases are short
and renewed while a game is played, so that a game that was lost is soon played again.
"""

from __future__ import annotations

import itertools
import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from socket import gethostname
from typing import Protocol

from spielleiter.errors import SpielleiterError, StoreError
from spielleiter.ladder.execution import SeatedVersion, ordered, wanted_files
from spielleiter.ladder.game_queue import LEASE, QueuedGame
from spielleiter.ladder.ladder import Ladder
from spielleiter.tournament.cluster import RayGames
from spielleiter.tournament.executor import Executor
from spielleiter.tournament.pairing import Pairing
from spielleiter.tournament.runner import FinishedGame, Runner
from spielleiter.tournament.time_control import TimeControl

_IDLE, _AFTER_A_FAILURE = 1.0, 5.0
GRACE = 15.0
"""Extra seconds for a worker to stop a player before it is killed itself."""
_log = logging.getLogger("spielleiter.ladder")


class _Stopped(Exception):
    """The workers were stopped."""


class LimitedMaker(Protocol):
    """Makes executors, and knows the time limits of their players."""

    @property
    def limits(self) -> TimeControl:
        """The time control of the games."""
        ...

    def __call__(self) -> Executor:
        """An executor inside a worker."""
        ...


class LadderWorkers:
    """Plays games until stopped, on this machine or a cluster.

    `allowed` says how many games may be played at a time now.
    """

    def __init__(
        self,
        ladder: Ladder,
        make: LimitedMaker,
        count: int,
        allowed: Callable[[], int] | None = None,
        cluster: RayGames | None = None,
        beat: float = LEASE / 4,
    ) -> None:
        self._ladder, self._make, self._cluster = ladder, make, cluster
        self._beat, self._leased = beat, dict[str, str]()
        self._allowed = allowed or (lambda: count)
        self._stop = threading.Event()
        self._name = secrets.token_hex(4)
        self._threads = [
            threading.Thread(target=self._work, args=(number,), daemon=True)
            for number in range(count)
        ]
        self._threads.append(threading.Thread(target=self._renew, daemon=True))
        self.failure: StoreError | None = None
        """Why the record cannot be written at the moment; this is tried again and again."""

    def start(self) -> None:
        """Begin to play."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop at once: running games return to the queue."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def _work(self, number: int) -> None:
        requests = (f"{self._name}-{number}-{count}" for count in itertools.count())
        runner = self._runner()
        try:
            while not self._stop.is_set():
                if not self._tried(number, runner, requests.__next__):
                    self._stop.wait(_IDLE)
        except _Stopped:
            pass
        finally:
            runner.close()

    def _renew(self) -> None:
        """Extend the leases of the games that are being played, until stopped."""
        while not self._stop.wait(self._beat):
            for game, request in self._leased.copy().items():
                with suppress(StoreError):  # whoever finishes the game reports that
                    self._ladder.queue.renew(game, request)

    def _tried(self, number: int, runner: Runner, request: Callable[[], str]) -> bool:
        """Play one game; whether there was one. Our own errors are logged."""
        try:
            return number < self._allowed() and self._step(runner, request())
        except StoreError as problem:
            self._note(problem)
        except _Stopped:
            raise
        except Exception:
            _log.exception("a game of the ladder was not played")
        self._stop.wait(_AFTER_A_FAILURE)
        return False

    def _step(self, runner: Runner, request: str) -> bool:
        game = self._ladder.claim(request)
        if game is None:
            return False
        self._leased[game.id] = request
        try:
            text = self._played(runner, game)
            if text is not None:
                self._finish(game, text)
        finally:
            self._leased.pop(game.id, None)
        return True

    def _finish(self, game: QueuedGame, text: str) -> None:
        """Record a game; it waits for a record that cannot be written, however long that takes."""
        while True:
            try:
                self._ladder.finish(game, text)
            except StoreError as problem:
                self._note(problem)
                self._stop.wait(_AFTER_A_FAILURE)
                self._check_stop()
            else:
                self.failure = None
                return

    def _note(self, problem: StoreError) -> None:
        """Log a failure of the record once, however often it is tried again."""
        if str(problem) != str(self.failure):
            _log.error("the ladder waits, and tries again and again: %s", problem)
        self.failure = problem

    def _played(self, runner: Runner, game: QueuedGame) -> str | None:
        """The entry of a game; None if it could not be played and is queued again."""
        try:
            seats = self._ladder.orders(game)
            (done,) = self._done(runner, ordered(game.pairing, seats), seats)
        except _Stopped:
            raise
        except Exception as problem:
            _log.warning("game %s is played again", game.id, exc_info=problem)
            self._ladder.spoil(game, _reason(problem), gethostname())
            self._stop.wait(_AFTER_A_FAILURE)
            return None
        return done.text

    def _done(
        self, runner: Runner, pairing: Pairing, seats: Sequence[SeatedVersion]
    ) -> list[FinishedGame]:
        if self._cluster is None:
            return runner.play([pairing])
        return self._cluster.play((pairing,), wanted_files(seats), self._check_stop)

    def _runner(self) -> Runner:
        runner = Runner(self._make, 1, self._make.limits.patience + GRACE, self._time)
        runner.say = _log.info
        runner.spoilt = lambda game: self._ladder.note_spoilt(game.key, game.reason, game.machine)
        return runner

    def _time(self) -> float:
        """The runner's clock; it polls this often, so it raises when we are stopped."""
        self._check_stop()
        return time.monotonic()

    def _check_stop(self) -> None:
        if self._stop.is_set():
            raise _Stopped


def _reason(problem: Exception) -> str:
    """Why a game was spoilt, for the record; the log has more."""
    if isinstance(problem, SpielleiterError):
        return str(problem)
    return f"our own fault: {type(problem).__name__}"
