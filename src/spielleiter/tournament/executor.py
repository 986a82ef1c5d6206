"""The executor that plays games for the runner, and its watcher."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from spielleiter.errors import MachineError
from spielleiter.game import Seat
from spielleiter.match import Fault
from spielleiter.tournament.pairing import Pairing
from spielleiter.tournament.record import ContestEntry


class Watcher(Protocol):
    """Notified whose code runs, so that code that never returns is blamed on its player."""

    def thinks(self, seat: Seat, since: float = 0.0) -> None:
        """The code of a seat's player runs from now on; -1: none does."""

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
    """A game that was interrupted because a player never answered."""

    moves: tuple[str, ...] = ()
    gone: tuple[tuple[int, Seat, Fault], ...] = ()
    """Lost seats: the number of moves before, the seat and its fault."""


class Executor(Protocol):
    """Plays single games, in this process or on a server in it."""

    @property
    def now(self) -> Callable[[], float]:
        """The clock that is used here."""
        ...

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        """Play one game, from the opening or from where it was interrupted, to the outcome."""
        ...


@runtime_checkable
class Lookahead(Protocol):
    """An executor that can prepare the next game."""

    def expect(self, pairing: Pairing) -> None:
        """Announce the next game."""
        ...


_LACKING = {
    errno.ENOMEM: "no memory",
    errno.EAGAIN: "no process",
    errno.ENOSPC: "no disk",
    errno.EDQUOT: "no disk",
    errno.EMFILE: "no file handles",
    errno.ENFILE: "no file handles",
}


_LONGEST_REASON = 200


def lack_of(problem: Exception) -> str | None:
    """What our machine lacked, if that was the problem; None: it was something else."""
    if isinstance(problem, MachineError):
        return (str(problem).splitlines() or [""])[0][:_LONGEST_REASON]
    if isinstance(problem, MemoryError):
        return "no memory"
    if isinstance(problem, RuntimeError) and str(problem) == "can't start new thread":
        return "no process"
    return _LACKING.get(problem.errno or 0) if isinstance(problem, OSError) else None
