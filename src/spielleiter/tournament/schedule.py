"""The questions every format answers: what may be played now, and how does the contest stand?"""

from __future__ import annotations

import abc
from collections.abc import Collection, Iterator

from spielleiter.tournament.pairing import Pairing, Played
from spielleiter.tournament.phases import ContestPhase
from spielleiter.tournament.standings import Standings


class Schedule(abc.ABC):
    """A format: a function of what was played, without any memory of its own."""

    @abc.abstractmethod
    def waiting(self, played: Played) -> Iterator[Pairing]:
        """All games that may be played now and have not been, the most urgent first."""

    @abc.abstractmethod
    def standings(self, played: Played) -> list[Standings]:
        """What the results say: the standings of every phase that has teams by now."""

    @abc.abstractmethod
    def phases(self, played: Played) -> list[ContestPhase]:
        """The whole contest laid out, phase by phase in the order they are played."""

    def next_pairing(self, played: Played, running: Collection[Pairing]) -> Pairing | None:
        """The next game to start while others are running; None: wait, or all is done."""
        keys = {pairing.key for pairing in running}
        return next((each for each in self.waiting(played) if each.key not in keys), None)

    def finished(self, played: Played) -> bool:
        """Whether no game is left to play."""
        return next(self.waiting(played), None) is None
