"""The conduct of players over all games: points, time, failures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from spielleiter.tournament.pairing import GameResult, PlayerId


@dataclass(slots=True)
class PlayerConduct:
    """The totals of a player over all its games."""

    games: int = 0
    points: int = 0
    spent: float = 0.0
    longest: float = 0.0
    kinds: Counter[str] = field(default_factory=Counter)


def conduct_of(results: Iterable[GameResult]) -> defaultdict[PlayerId, PlayerConduct]:
    """The conduct of every player, including those who never played."""
    found: defaultdict[PlayerId, PlayerConduct] = defaultdict(PlayerConduct)
    for result in (each for each in results if each.ruled is None):
        for seat, player in enumerate(result.pairing.players):
            each, spent = found[player], result.spent[seat] if result.spent else 0.0
            each.games += 1
            each.points += result.win_points(seat)
            each.spent += spent
            each.longest = max(each.longest, spent)
            if (fault := result.faults[seat]) is not None:
                each.kinds[fault] += 1
    return found
