"""Tree search in Python: a small engine for every game, judged by short random play."""

from __future__ import annotations

import math
from collections.abc import Iterator

from spielleiter.game import Move, Outcome, Report, Seat, Variation
from spielleiter.plain.alphabeta import POINT, lead
from spielleiter.plain.limits import OutOfBudget, PlainSearch, SearchBudget, SearchLimits
from spielleiter.plain.position import PlainPosition
from spielleiter.plain.splitmix import SplitMix

_HORIZON = 4
"""Plies of random play before the score on the board is taken for the end."""
_EXPLORE = 0.6
_EVERY = 16
"""Simulations between two reports."""


class _Node:
    """A position reached by a move, and what its simulations gave to the seat that moved."""

    __slots__ = ("children", "move", "mover", "position", "sum", "untried", "visits")

    def __init__(
        self, position: PlainPosition, move: Move | None, mover: Seat, untried: list[Move]
    ) -> None:
        self.position, self.move, self.mover, self.untried = position, move, mover, untried
        self.children: list[_Node] = []
        self.visits, self.sum = 0, 0.0

    @property
    def mean(self) -> float:
        """The mean of what was seen; nothing yet is as good as even."""
        return self.sum / self.visits if self.visits else 0.0

    def chosen(self) -> _Node:
        """The child to look at next: good, or seldom visited."""
        wide = math.log(self.visits + 1)
        return max(self.children, key=lambda c: c.mean + _EXPLORE * math.sqrt(wide / c.visits))


class PlainMcts(PlainSearch):
    """UCT: every simulation adds a position to the tree and plays on from it for a few plies."""

    def forget(self) -> None:
        """As if new: nothing is kept from move to move."""

    def _reports(self, position: PlainPosition, limits: SearchLimits) -> Iterator[Report]:
        """One after every few simulations."""
        given = [limit for limit in (limits.nodes, limits.simulations) if limit is not None]
        most = min(given, default=None)
        budget = SearchBudget(limits, most)
        lot = SplitMix.stream(self._seed, position.key())
        root = self._node(position, None, position.to_move(), lot)
        try:
            while True:
                budget.spend()
                self._simulate(root, lot)
                if budget.nodes % _EVERY == 0 and budget.nodes != most:
                    yield budget.report(_lines(root), limits.lines, _depth(root))
        except OutOfBudget:
            yield budget.report(_lines(root), limits.lines, _depth(root))

    def _simulate(self, root: _Node, lot: SplitMix) -> None:
        path = [root]
        while not path[-1].untried and path[-1].children:
            path.append(path[-1].chosen())
        leaf = path[-1]
        if leaf.untried:
            move = leaf.untried.pop()
            after = leaf.position.after(move)
            path.append(self._node(after, move, leaf.position.to_move(), lot))
            leaf.children.append(path[-1])
        values = _played_on(path[-1].position, lot)
        for node in path:
            node.visits += 1
            node.sum += values[node.mover]

    def _node(
        self, position: PlainPosition, move: Move | None, mover: Seat, lot: SplitMix
    ) -> _Node:
        moves = self._seen(position)
        for at in range(len(moves) - 1, 0, -1):
            other = lot.below(at + 1)
            moves[at], moves[other] = moves[other], moves[at]
        return _Node(position, move, mover, moves)


def _played_on(position: PlainPosition, lot: SplitMix) -> list[float]:
    """What a few random plies lead to, for each seat between −1 and 1."""
    here = position.copy()
    for _ in range(_HORIZON):
        moves = here.legal_moves()
        if not moves:
            break
        here.play(moves[lot.below(len(moves))])
    outcome: Outcome | None = here.outcome()
    if outcome is None and not here.legal_moves():
        outcome = here.forfeit()
    seats = range(here.seats)
    if outcome is not None:
        return [outcome.worth(seat) for seat in seats]
    scores = here.scores()
    return [math.tanh(lead(scores, seat) * POINT * math.log(10) / 800) for seat in seats]


def _lines(root: _Node) -> list[Variation]:
    """Most visited first; a mean of m is a chance of (1 + m) / 2."""
    children = sorted(root.children, key=lambda child: (-child.visits, -child.mean))
    return [Variation(_score(child.mean), _line(child)) for child in children]


def _score(mean: float) -> int:
    kept = max(-0.999, min(0.999, mean))
    return round(400 * math.log10((1 + kept) / (1 - kept)))


def _line(node: _Node) -> tuple[Move, ...]:
    """The move of a node, and of its most visited descendants; the root has none."""
    rest = max(node.children, key=lambda child: (child.visits, child.mean), default=None)
    own = () if node.move is None else (node.move,)
    return own if rest is None else (*own, *_line(rest))


def _depth(root: _Node) -> int:
    return max((len(_line(child)) for child in root.children), default=0)
