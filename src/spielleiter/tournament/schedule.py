"""The contract of a schedule: which games may be played now, and the standings."""

from __future__ import annotations

import abc
from collections.abc import Collection, Iterator

from spielleiter.tournament.pairing import Pairing, Played
from spielleiter.tournament.phases import ContestPhase
from spielleiter.tournament.standings import Standings


class Schedule(abc.ABC):
    """A format as a pure function of the results."""

    @abc.abstractmethod
    def waiting(self, played: Played) -> Iterator[Pairing]:
        """All games that may be played now and have not been, the most urgent first."""

    @abc.abstractmethod
    def standings(self, played: Played) -> list[Standings]:
        """The standings of every phase whose teams are known."""

    @abc.abstractmethod
    def phases(self, played: Played) -> list[ContestPhase]:
        """All phases of the contest, in the order they are played."""

    def next_pairing(self, played: Played, running: Collection[Pairing]) -> Pairing | None:
        """The next game to start while others are running; None: wait, or all is done."""
        keys = {pairing.key for pairing in running}
        return next((each for each in self.waiting(played) if each.key not in keys), None)

    def finished(self, played: Played) -> bool:
        """Whether no game is left to play."""
        return next(self.waiting(played), None) is None
