"""The crosstable: what each player scored against each other one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from spielleiter.tournament.pairing import GameResult, PlayerId


@dataclass(frozen=True, slots=True)
class PairScore:
    """The score of a player against another."""

    won: int = 0
    drawn: int = 0
    lost: int = 0

    @property
    def text(self) -> str:
        """Wins, draws, losses."""
        return f"{self.won}–{self.drawn}–{self.lost}"


def crosstable(results: Iterable[GameResult]) -> dict[tuple[PlayerId, PlayerId], PairScore]:
    """Every player against every other: who stood ahead of whom, in games of any size."""
    counts: defaultdict[tuple[PlayerId, PlayerId], list[int]] = defaultdict(lambda: [0, 0, 0])
    for result in results:
        seated = list(zip(result.pairing.players, result.ranks, strict=True))
        for one, rank in seated:
            for other, behind in seated:
                if one != other:
                    counts[one, other][0 if rank < behind else 1 if rank == behind else 2] += 1
    return {pair: PairScore(*count) for pair, count in counts.items()}
