"""The executor that plays a game for the runner, its watcher, and how a broken game goes on."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from spielleiter.game import Seat
from spielleiter.match import Fault
from spielleiter.tournament.pairing import Pairing
from spielleiter.tournament.record import ContestEntry


class Watcher(Protocol):
    """Is told whose code runs, so that code that never returns can be blamed on its player."""

    def thinks(self, seat: Seat, since: float = 0.0) -> None:
        """A player's own code runs from then on; -1: it does not."""

    def played(self, move: str) -> None:
        """A move was accepted."""


class NoWatcher:
    """A watcher that ignores everything."""

    def thinks(self, seat: Seat, since: float = 0.0) -> None:
        """Ignore that a seat thinks."""
        ...

    def played(self, move: str) -> None:
        """Ignore a move."""
        ...


@dataclass(frozen=True, slots=True)
class InterruptedGame:
    """What is known of a game that was broken off because a player never came back."""

    moves: tuple[str, ...] = ()
    gone: tuple[tuple[int, Seat, Fault], ...] = ()
    """After how many moves which seat was lost, and how."""


class Executor(Protocol):
    """Plays single games, in this process or on a server in it."""

    @property
    def now(self) -> Callable[[], float]:
        """The clock that is used here."""
        ...

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        """One game, from the opening or from where it was broken off to the outcome."""
        ...


@runtime_checkable
class Lookahead(Protocol):
    """An executor that uses its time better if it knows what comes next."""

    def expect(self, pairing: Pairing) -> None:
        """This game comes next."""
        ...


_LACKING = {
    errno.ENOMEM: "no memory",
    errno.EAGAIN: "no process",
    errno.ENOSPC: "no disk",
    errno.EDQUOT: "no disk",
    errno.EMFILE: "no file handles",
    errno.ENFILE: "no file handles",
}


def lack_of(problem: Exception) -> str | None:
    """What our machine lacked, if that was the problem; None: it was something else."""
    if isinstance(problem, MemoryError):
        return "no memory"
    if isinstance(problem, RuntimeError) and str(problem) == "can't start new thread":
        return "no process"
    return _LACKING.get(problem.errno or 0) if isinstance(problem, OSError) else None
