"""Executors of games that our own machine spoils, for the workers of `tests/test_spoilt.py`.

They stand apart from the tests because every worker would import pytest with them.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from spielleiter import games
from spielleiter.game import Bot, Clock, Move, Position
from spielleiter.tournament.executor import Executor, InterruptedGame, Watcher
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import Pairing
from spielleiter.tournament.record import ContestEntry
from spielleiter.tournament.time_control import TimeControl


class First(Bot):
    """Plays the first legal move."""

    def choose(self, position: Position, clock: Clock) -> Move:
        return position.legal_moves()[0]


@dataclass(frozen=True)
class Fine:
    """Makes an executor that plays games of an edition."""

    edition: str

    def __call__(self) -> InProcessExecutor:
        game = games.load(self.edition)
        players: dict[str, Callable[[int], Bot] | None] = {
            "A": lambda _: First(),
            "B": lambda _: First(),
        }
        return InProcessExecutor(
            lambda opening: game.start(opening.seed), players, TimeControl(nodes=1), time.monotonic
        )


@dataclass(frozen=True)
class Failing:
    """Makes an executor that fails as often as there are files in a folder."""

    edition: str
    folder: Path
    how: str

    def __call__(self) -> Executor:
        return FailingExecutor(Fine(self.edition)(), self.folder, self.how)


class FailingExecutor:
    def __init__(self, fine: Executor, folder: Path, how: str) -> None:
        self._fine, self._folder, self._how = fine, folder, how

    @property
    def now(self) -> Callable[[], float]:
        return time.monotonic

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        left = sorted(self._folder.iterdir())
        if left:
            left[0].unlink()
            self._fail(watcher)
        return self._fine.play(pairing, watcher, past)

    def _fail(self, watcher: Watcher | None) -> None:
        if self._how == "killed":
            assert watcher is not None
            watcher.thinks(0, time.monotonic())
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.ENOSPC, "No space left on device")


def full_disk() -> Executor:
    """What a worker is asked to make where nothing can be written."""
    raise OSError(errno.ENOSPC, "No space left on device")
