"""Alpha-beta in Python: a small engine for every game, judged by the score on the board."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from spielleiter.game import UNKNOWN, WIN, Move, Outcome, Report, Seat, Variation
from spielleiter.plain.limits import OutOfBudget, PlainSearch, SearchBudget, SearchLimits
from spielleiter.plain.position import PlainPosition

POINT = 25
"""What a point of lead is worth in the scale of `Variation.score`."""
_DEEPEST = 60
_INFINITE = WIN + 1


class PlainEngine(PlainSearch):
    """Looks ahead ply by ply. With more than two seats all others play against the mover."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._cutoffs: Counter[int] = Counter()
        """Actions that refuted something are tried first."""
        self._has_estimated = False
        """Whether the last iteration ended anywhere before the game did."""

    def forget(self) -> None:
        """As if new."""
        self._cutoffs.clear()

    def _reports(self, position: PlainPosition, limits: SearchLimits) -> Iterator[Report]:
        """One after every ply of depth."""
        budget, lines = SearchBudget(limits, limits.nodes), limits.lines
        found = [Variation(UNKNOWN, (move,)) for move in self._seen(position)]
        for ply in range(1, (limits.depth or _DEEPEST) + 1):
            try:
                found = self._iteration(position, found, ply, budget, lines)
            except _Interrupted as stop:
                yield budget.report(stop.found, lines, ply - 1)
                return
            if not self._has_estimated and not self._overlooked and position.seats == 2:
                found = [replace(each, drawn=not each.score) for each in found]
            yield budget.report(found, lines, ply)
            if abs(found[0].score) >= WIN - ply or not self._has_estimated:
                return  # the end is seen: deeper shows the same

    def _iteration(
        self,
        root: PlainPosition,
        order: list[Variation],
        depth: int,
        budget: SearchBudget,
        lines: int,
    ) -> list[Variation]:
        """All moves anew, best of the last iteration first; one line needs only the best score."""
        found: list[Variation] = []
        self._has_estimated = False
        best = -_INFINITE
        seat = root.to_move()
        for at, known in enumerate(order):
            try:
                bound = best if lines == 1 else -_INFINITE
                after = root.after(known.move)
                score, rest = self._value(after, seat, 1, depth - 1, bound, _INFINITE, budget)
            except OutOfBudget:
                raise _Interrupted(_sorted(found) + order[at:] if found else order) from None
            best = max(best, score)
            found.append(Variation(score, (known.move, *rest)))
        return _sorted(found)

    def _value(
        self,
        position: PlainPosition,
        seat: Seat,
        ply: int,
        depth: int,
        alpha: int,
        beta: int,
        budget: SearchBudget,
    ) -> tuple[int, tuple[Move, ...]]:
        """The score for the root's seat between the bounds, and the line that leads to it."""
        budget.spend()
        outcome = position.outcome()
        if outcome is not None:
            return final_score(outcome, seat, ply), ()
        if depth <= 0:
            self._has_estimated = True
            return lead(position.scores(), seat) * POINT, ()
        moves = sorted(self._seen(position), key=lambda m: -self._cutoffs[position.action(m)])
        if not moves:
            return final_score(position.forfeit(), seat, ply), ()
        own = position.to_move() == seat
        best = -_INFINITE if own else _INFINITE
        line: tuple[Move, ...] = ()
        for move in moves:
            score, rest = self._value(
                position.after(move), seat, ply + 1, depth - 1, alpha, beta, budget
            )
            if (score > best) if own else (score < best):
                best, line = score, (move, *rest)
            alpha, beta = (max(alpha, best), beta) if own else (alpha, min(beta, best))
            if alpha >= beta:
                self._cutoffs[position.action(move)] += depth
                break
        return best, line


class _Interrupted(Exception):
    """The budget ended within an iteration; `found` is the best order known."""

    def __init__(self, found: list[Variation]) -> None:
        self.found = found


def lead(scores: tuple[int, ...], seat: Seat) -> int:
    """Points of a seat less those of the best of the others."""
    return scores[seat] - max(scores[:seat] + scores[seat + 1 :])


def final_score(outcome: Outcome, seat: Seat, ply: int) -> int:
    """A win counts more the sooner it comes, a loss the later; a shared first rank is nothing."""
    if outcome.is_draw:
        return 0 if outcome.ranks[seat] == 1 else ply - WIN
    return WIN - ply if outcome.winner == seat else ply - WIN


def _sorted(found: list[Variation]) -> list[Variation]:
    return sorted(found, key=lambda each: -each.score)  # stable: the first of equals stays first
