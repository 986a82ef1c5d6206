"""Plays the games of a season in a worker: teams are known by their ids, versions by their hash."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from spielleiter.ladder.execution import SeatedVersion, VersionExecutor, VersionMaker, ordered
from spielleiter.tournament.executor import InterruptedGame, Watcher
from spielleiter.tournament.pairing import Pairing
from spielleiter.tournament.record import ContestEntry


@dataclass(frozen=True, slots=True)
class SeasonMaker:
    """Makes the executor in each worker; survives pickling."""

    versions: VersionMaker
    seats: Mapping[str, SeatedVersion]
    """Team → its frozen version."""

    def __call__(self) -> SeasonExecutor:
        """An executor for the games of these teams."""
        return SeasonExecutor(self.versions(), self.seats)


class SeasonExecutor:
    """Plays games between teams with the versions that were frozen for them."""

    def __init__(self, executor: VersionExecutor, seats: Mapping[str, SeatedVersion]) -> None:
        self._executor, self._seats = executor, seats

    @property
    def now(self) -> Callable[[], float]:
        """The clock that is used here."""
        return self._executor.now

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        """One game; its entry names the teams by their ids."""
        seated = [self._seats[each] for each in pairing.players]
        return self._executor.play(ordered(pairing, seated), watcher, past)
