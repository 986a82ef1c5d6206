"""What an engine's scores mean for people: chances of winning, and moves that gave them away.

An engine tells what a position is worth to the seat that is to move. With two seats the other has
the rest; with more, the others' chances are not known until it is their turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from spielleiter.game import CERTAIN, UNKNOWN, Outcome, Seat, certain_end

Grade = Literal["best", "good", "inaccuracy", "mistake", "blunder"]
GRADES: tuple[tuple[float, Grade], ...] = (
    (0.3, "blunder"),
    (0.2, "mistake"),
    (0.1, "inaccuracy"),
    (0.0, "good"),
)
"""Grades by the chance that a move gives away; the best move gives away nothing."""

Chances = tuple[float | None, ...]
"""For each seat its chance of winning, from 0 to 1; None: not known here."""


@dataclass(frozen=True, slots=True)
class ScoredLine:
    """A move and the play expected to follow, with what it is worth to the seat to move."""

    score: int
    moves: tuple[str, ...]

    @property
    def chance(self) -> float:
        """The chance of winning."""
        return chance(self.score)

    @property
    def ends_in(self) -> int | None:
        """How many plies until the certain end; None: not known."""
        end = certain_end(self.score)
        return None if end is None else end.plies

    @property
    def ends_by(self) -> int | None:
        """By how many points the certain end is won or lost; None: not known."""
        end = certain_end(self.score)
        return None if end is None else end.points


@dataclass(frozen=True, slots=True)
class MoveVerdict:
    """What a move gave away."""

    drop: float
    """Rounded as displayed, so that the grade matches the displayed number."""
    grade: Grade
    better: ScoredLine
    """What should have been played."""


def chance(score: int) -> float:
    """The chance of winning that a score stands for (see `game.Variation`)."""
    if abs(score) >= CERTAIN:
        return 1.0 if score > 0 else 0.0
    return float(1 / (1 + 10 ** (-score / 400)))


def chances(seats: int, to_move: Seat, best: ScoredLine) -> Chances:
    """Every seat's chance, as far as the best line tells it: nothing if there was no time."""
    if best.score <= UNKNOWN:
        return (None,) * seats
    own = best.chance
    if seats == 2:
        return (own, 1 - own) if to_move == 0 else (1 - own, own)
    return tuple(own if seat == to_move else None for seat in range(seats))


def decided(outcome: Outcome) -> Chances:
    """The chances at the end: winners share them."""
    share = 1 / len(outcome.winners)
    return tuple(share if rank == 1 else 0.0 for rank in outcome.ranks)


def verdict(
    seat: Seat, played: str, lines: Sequence[ScoredLine], after: Chances | None
) -> MoveVerdict | None:
    """What the move of a seat gave away; None if unknown.

    `lines` are those of the position before. The loss follows from the chances after the move or,
    with several players, from the move's own line.
    """
    if not lines or lines[0].score <= UNKNOWN:
        return None
    best = lines[0]
    if best.moves[0] == played:
        return MoveVerdict(0.0, "best", best)
    kept = after[seat] if after is not None else None
    if kept is None:
        known = (each for each in lines if each.score > UNKNOWN)
        kept = next((each.chance for each in known if each.moves[0] == played), None)
    if kept is None:
        return None
    drop = round(max(0.0, best.chance - kept), 4)
    return MoveVerdict(drop, grade(drop), best)


def grade(drop: float) -> Grade:
    """The grade of a move other than the best one, by its loss."""
    return next(name for least, name in GRADES if drop >= least)
