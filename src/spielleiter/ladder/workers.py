"""Threads that claim games from the ladder and play them, each with its own worker process.

The runner replaces a worker process that dies or hangs; its game is played again.
"""

from __future__ import annotations

import itertools
import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from socket import gethostname
from typing import Protocol

from spielleiter.errors import SpielleiterError
from spielleiter.ladder.execution import SeatedVersion, ordered, wanted_files
from spielleiter.ladder.game_queue import QueuedGame
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
    ) -> None:
        self._ladder, self._make, self._cluster = ladder, make, cluster
        self._allowed = allowed or (lambda: count)
        self._stop = threading.Event()
        self._name = secrets.token_hex(4)
        self._threads = [
            threading.Thread(target=self._work, args=(number,), daemon=True)
            for number in range(count)
        ]
        self.failure: SpielleiterError | None = None
        """Why nothing more is played, if the record cannot be written."""

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
        except SpielleiterError as problem:
            self.failure = problem
            _log.error("the ladder plays no more: %s", problem)
        finally:
            runner.close()

    def _tried(self, number: int, runner: Runner, request: Callable[[], str]) -> bool:
        """Play one game; our own errors are logged, and the lease returns the game to the queue."""
        try:
            return self._step(number, runner, request)
        except (_Stopped, SpielleiterError):
            raise
        except Exception:
            _log.exception("a game of the ladder was not played")
            return False

    def _step(self, number: int, runner: Runner, request: Callable[[], str]) -> bool:
        """Play one game; whether there was one."""
        if number >= self._allowed():
            return False
        game = self._ladder.claim(request())
        if game is None:
            return False
        text = self._played(runner, game)
        if text is not None:
            self._ladder.finish(game, text)
        return True

    def _played(self, runner: Runner, game: QueuedGame) -> str | None:
        """The entry of a game; None if it could not be played."""
        seats = self._ladder.orders(game)
        pairing = ordered(game.pairing, seats)
        try:
            (done,) = self._done(runner, pairing, seats)
        except SpielleiterError as problem:
            _log.warning("game %s is played again: %s", game.id, problem)
            self._ladder.spoil(game, str(problem), gethostname())
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
