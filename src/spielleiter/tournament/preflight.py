"""Starts every player before the first game and lets it make one move.

Otherwise a player that cannot be started, or that plays another game, would lose every game,
unnoticed until the end of the contest.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Protocol

from spielleiter.errors import SpielleiterError
from spielleiter.game import Bot, Position, Seat
from spielleiter.tournament.executor import Executor, InterruptedGame, NoWatcher, Watcher
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import Opening, Pairing, PlayerId
from spielleiter.tournament.record import ContestEntry, from_text
from spielleiter.tournament.runner import Runner
from spielleiter.tournament.time_control import TimeControl

KEY = "first move"
_GRACE = 15.0
"""Extra seconds for a worker to stop a player by itself."""
_SAID = 2_000
"""Characters shown of a failed player's output."""


class Entrant(Protocol):
    """A player with opponents: makes an executor for their games; survives pickling."""

    @property
    def limits(self) -> TimeControl:
        """The time control of the players."""
        ...

    def start(self, opening: Opening) -> Position:
        """The first position of an opening."""

    def __call__(self) -> Executor:
        """An executor that plays games with this player."""
        ...


def problems(
    entrants: Mapping[PlayerId, Entrant],
    opening: Opening,
    seats: int,
    *,
    workers: int,
    ours: Collection[PlayerId] = (),
) -> dict[PlayerId, str]:
    """The problems of the players that fail.

    Players have their names from `entrants`, opponents those of `opponents`. Each is tried in a
    separate process, except built-in ones (`ours`).
    """

    def tried(name: PlayerId) -> str:
        pairing = Pairing(KEY, (name, *opponents(seats)), opening)
        trial = _played_here if name in ours else _played_apart
        try:
            return _problem(trial(entrants[name], pairing))
        except SpielleiterError as problem:
            return str(problem)

    with ThreadPoolExecutor(workers) as pool:
        found = dict(zip(entrants, pool.map(tried, entrants), strict=True))
    return {name: problem for name, problem in found.items() if problem}


def opponents(seats: int) -> tuple[PlayerId, ...]:
    """The names of the opponents at a table of so many seats."""
    return tuple(f"(opponent {number})" for number in range(1, seats))


def _played_here(entrant: Entrant, pairing: Pairing) -> ContestEntry:
    return FirstMove(entrant)().play(pairing)


def _played_apart(entrant: Entrant, pairing: Pairing) -> ContestEntry:
    patience = entrant.limits.patience + _GRACE
    runner = Runner(FirstMove(entrant), 1, patience, time.monotonic)
    try:
        (done,) = runner.play([pairing])
    finally:
        runner.close()
    return from_text(done.text)


def _problem(entry: ContestEntry) -> str:
    fault = entry.result().faults[0]
    return "" if fault is None else f"{fault}\n{entry.log.strip()[-_SAID:]}".strip()


@dataclass(frozen=True, slots=True)
class FirstMove:
    """Makes an executor whose games end when every seat has moved once."""

    entrant: Entrant

    def __call__(self) -> Executor:
        """The entrant's executor, stopped after everybody's first move."""
        return _FirstMoveExecutor(self.entrant(), self.entrant)


class _FirstMoveExecutor:
    def __init__(self, executor: Executor, entrant: Entrant) -> None:
        self._executor, self._entrant = executor, entrant

    @property
    def now(self) -> Callable[[], float]:
        return self._executor.now

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        until = _UntilAllMoved(watcher or NoWatcher(), len(pairing.players))
        try:
            return self._executor.play(pairing, until, past)
        except _AllMoved:
            return self._abandoned(pairing)

    def _abandoned(self, pairing: Pairing) -> ContestEntry:
        """The entry of a game without a fault of the first player."""
        tested, *others = pairing.players
        players: dict[str, Callable[[int], Bot] | None] = {tested: _nobody}
        players |= dict.fromkeys(others)
        limits = self._entrant.limits
        rest = InProcessExecutor(self._entrant.start, players, limits, self.now, plays_on=False)
        return rest.play(pairing)


def _nobody(seed: int) -> Bot:
    raise AssertionError("a game without opponents does not begin")


class _AllMoved(Exception):
    """Raised when every seat has moved."""


class _UntilAllMoved:
    """A watcher that ends the game after so many moves."""

    def __init__(self, watcher: Watcher, moves: int) -> None:
        self._watcher, self._left = watcher, moves

    def thinks(self, seat: Seat, since: float = 0.0) -> None:
        self._watcher.thinks(seat, since)

    def played(self, move: str) -> None:
        self._watcher.played(move)
        self._left -= 1
        if self._left == 0:
            raise _AllMoved
