"""Chooses the next game: the most informative one.

The next player is chosen by the uncertainty of its rating and its waiting time; the weight of
waiting grows without bound, so no player starves. The versions of a team share the turns of one.
The opponent is the one against whom the result is most informative about both. Every fifth game of
a version is against a mark, which ties its rating to the scale.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from spielleiter.ladder.marks import MARK_ELO
from spielleiter.ladder.ratings import DEVIATION, Numbers
from spielleiter.ladder.roster import is_mark

AGAINST_MARKS = 5
"""One of so many games of a version is against a mark."""
_KEPT = 50
"""Opponents of a version whose games count when the next one is chosen."""


@dataclass(frozen=True, slots=True)
class Contender:
    """A player that can be paired."""

    id: str
    team: str
    elo: float = MARK_ELO
    deviation: float = DEVIATION
    """The standard deviation of its rating."""
    games: int = 0
    last: int = 0
    """The number of its last game in the record; 0: none."""

    @property
    def is_mark(self) -> bool:
        """Whether it is a built-in level, which is only ever an opponent."""
        return is_mark(self.id)


class Matchmaker:
    """Pairs the contenders of one edition; each plays one game at a time."""

    def __init__(self, contenders: Sequence[Contender] = (), most_of_a_team: int = 1) -> None:
        self._most = most_of_a_team
        self._playing: Counter[str] = Counter()
        self._met: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._waited: dict[str, int] = {}
        self._clock = 0
        self._given: Counter[str] = Counter()
        self.update(contenders)

    def update(self, contenders: Sequence[Contender]) -> None:
        """Replace the contenders and their ratings."""
        self._all = list(contenders)
        self._at = {each.id: number for number, each in enumerate(self._all)}
        self._clock = max([self._clock, *(each.last for each in self._all)])
        newest = self._clock
        for each in self._all:
            self._waited.setdefault(each.id, each.last or newest)
        self._elo = np.array([each.elo for each in self._all])
        self._variance = np.array([(each.deviation / DEVIATION) ** 2 for each in self._all])
        self._is_mark = np.array([each.is_mark for each in self._all], dtype=bool)
        self._last = np.array([self._waited[each.id] for each in self._all], dtype=np.float64)
        self._teams = np.unique([each.team for each in self._all], return_inverse=True)[1]
        sizes = np.bincount(self._teams, minlength=1)
        self._share = 1 / sizes[self._teams] if self._all else np.zeros(0)
        self._busy = np.array([self._playing[each.id] > 0 for each in self._all], dtype=bool)
        self._busy &= ~self._is_mark

    def knows(self, player: str) -> bool:
        """Whether a player is a contender."""
        return player in self._at

    def next(self) -> tuple[str, str] | None:
        """The next pairing, in the order of seats; None if nobody is free."""
        urgency = self._urgency()
        if not len(urgency) or (turn := int(urgency.argmax())) < 0 or urgency[turn] <= 0:
            return None
        worth = self._worth(turn)
        chosen = int(worth.argmax())
        if worth[chosen] <= 0:
            return None
        return self._begin(turn, chosen)

    def meet(self, players: Iterable[str]) -> None:
        """Mark the players of a game, such as a friendly, as busy."""
        for player in players:
            self._playing[player] += 1
            self._set_busy(player)

    def part(self, players: Iterable[str]) -> None:
        """Mark the players of a finished game as free."""
        for player in players:
            self._playing[player] -= 1
            if self._playing[player] <= 0:
                del self._playing[player]
            self._set_busy(player)

    def note_past(self, one: str, other: str, games: int) -> None:
        """Note how many games two players have played before."""
        self._met[one][other] += games
        self._met[other][one] += games
        self._given[one] += games
        self._given[other] += games

    # ------------------------------------------------------------------------------------- weights

    def _urgency(self) -> Numbers:
        urgency = self._variance * self._wait() * self._share
        urgency[self._is_mark | self._busy] = 0.0
        if self._playing and len(urgency):
            running = np.zeros(int(self._teams.max()) + 1)
            for player, games in self._playing.items():
                if player in self._at:
                    running[self._teams[self._at[player]]] += games
            urgency[running[self._teams] >= self._most] = 0.0
        return urgency

    def _wait(self) -> Numbers:
        return np.asarray(1 + (self._clock - self._last) / max(1, len(self._all)))

    def _worth(self, turn: int) -> Numbers:
        """The expected information of a game against each other contender."""
        chance = 1 / (1 + 10 ** ((self._elo - self._elo[turn]) / 400))
        worth: Numbers = 4 * chance * (1 - chance) * (self._variance[turn] + self._variance)
        worth = worth * np.where(self._is_mark, 1.0, np.sqrt(self._wait()) * self._share)
        worth[self._busy | (self._teams == self._teams[turn])] = 0.0
        wants_mark = self._needs_mark(self._all[turn].id)
        among = worth * (self._is_mark == wants_mark)
        worth = among if among.max(initial=0.0) > 0 else worth
        for player, games in self._met[self._all[turn].id].items():
            if player in self._at:
                worth[self._at[player]] /= 1 + games
        return worth

    def _needs_mark(self, player: str) -> bool:
        with_marks = sum(games for other, games in self._met[player].items() if is_mark(other))
        return with_marks * AGAINST_MARKS <= self._given[player]

    # ------------------------------------------------------------------------------------- a game

    def _begin(self, turn: int, chosen: int) -> tuple[str, str]:
        one, other = self._all[turn].id, self._all[chosen].id
        self._clock += 1
        for at in (turn, chosen):
            self._last[at] = self._waited[self._all[at].id] = self._clock
        swap = self._met[one][other] % 2 == 1
        self.note_past(one, other, 1)
        for player in (one, other):
            self._forget_old(player)
        self.meet((one, other))
        return (other, one) if swap else (one, other)

    def _forget_old(self, player: str) -> None:
        met = self._met[player]
        if len(met) > _KEPT and not is_mark(player):
            unmarked = [each for each in met if not is_mark(each)]
            del met[unmarked[0]]

    def _set_busy(self, player: str) -> None:
        at = self._at.get(player)
        if at is not None:
            self._busy[at] = self._playing[player] > 0 and not self._is_mark[at]
