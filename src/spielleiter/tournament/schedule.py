"""The question every format answers: what may be played now?"""

from __future__ import annotations

import abc
from collections.abc import Collection, Iterator

from spielleiter.tournament.pairing import Pairing, Played
from spielleiter.tournament.standings import Table


class Schedule(abc.ABC):
    """A format: a function of what was played, without any memory of its own."""

    @abc.abstractmethod
    def waiting(self, played: Played) -> Iterator[Pairing]:
        """All games that may be played now and have not been, the most urgent first."""

    @abc.abstractmethod
    def tables(self, played: Played) -> list[Table]:
        """What the results say."""

    def next_pairing(self, played: Played, running: Collection[Pairing]) -> Pairing | None:
        """The next game to start while others are running; None: wait, or all is done."""
        keys = {pairing.key for pairing in running}
        return next((each for each in self.waiting(played) if each.key not in keys), None)

    def finished(self, played: Played) -> bool:
        """Whether no game is left to play."""
        return next(self.waiting(played), None) is None
