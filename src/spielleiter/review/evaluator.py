"""Evaluates positions with the strongest engine of a game.

The engine searches a fixed number of nodes, so that the same game gets the same review on every
machine. It keeps its transposition table from position to position, so going from the end of a game
to its beginning lets it see further each time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from spielleiter import games
from spielleiter.bots import best_player
from spielleiter.errors import UsageError
from spielleiter.game import (
    UNKNOWN,
    Engine,
    Game,
    Move,
    Position,
    Report,
    Seat,
)
from spielleiter.review.chances import chance, decided
from spielleiter.review.time_use import A_SECOND, A_SECOND_IN_PYTHON

ENGINES = {"alphabeta": "Engine", "mcts": "Mcts"}
"""Engine name → class of the native module."""
NODES = {"alphabeta": 20_000, "mcts": 1_000}
"""Default nodes per position; a node of a tree search is a whole playout."""
_SEVERAL = 4
"""So many times as many with three and four seats: their search shares its nodes among all moves,
and overlooked one of two planted blunders of four seats with fewer."""
_IN_PYTHON = 50
"""Divisor of the nodes in plain Python, which is slow."""
MEGABYTES = 64
_PROVER, _PROVER_MEGABYTES = 4, 16
"""An even position near the end gets so many times the nodes for the proof that it is drawn."""
_PRUNING = ("null_move", "futility", "late_moves")
"""What may cut off a line that decides between a draw and an estimate."""
TREE = "mcts"
_EVEN = 0.5
_SHARES = (0.025, 0.15, 0.5, 1.0)
"""Shares of the nodes at which tree search is asked; they delimit the gym's difficulties."""
Wanted = Callable[[Move], bool]


def usual_nodes(position: Position, game: Game, part: int = 1) -> int:
    """The default nodes per position of a game, or a share of them; raises UsageError if none."""
    if not (named := engines(position)):
        raise UsageError(f"{position.edition} has no engine, so its games cannot be reviewed")
    nodes = NODES[named[0]] * (_SEVERAL if position.seats > 2 else 1)
    return max(1, nodes // part // (_IN_PYTHON if games.is_plain(game) else 1))


def engines(position: Position) -> tuple[str, ...]:
    """The engines that a position can be analysed with, the best first; none: the game has none."""
    module = games.load(position.edition).native
    found = [name for name, kind in ENGINES.items() if hasattr(module, kind)]
    best = best_player(position)
    return tuple(sorted(found, key=lambda name: name != best))


@dataclass(frozen=True, slots=True)
class Value:
    """What a position is worth to one seat."""

    seat: Seat
    chance: float
    """The chance of the first rank, from 0 to 1; a shared rank is divided."""
    certain: bool
    """Whether it is solved: the end is known, or a proof of it."""
    line: tuple[Move, ...] = ()
    """The play expected to follow."""
    depth: int = 0
    nodes: int = 0

    @property
    def best(self) -> Move | None:
        """The best move; None: the game is over."""
        return self.line[0] if self.line else None

    def of(self, seat: Seat) -> Value:
        """The same for another seat; only with two seats."""
        return self if seat == self.seat else replace(self, seat=seat, chance=1 - self.chance)


class Evaluator:
    """An engine with a number of nodes for each position."""

    def __init__(self, start: Position, game: Game, nodes: int | None = None) -> None:
        """`start` is any position of the game."""
        usual = usual_nodes(start, game)
        self.engine, self.nodes = engines(start)[0], nodes or usual
        self.a_second = (A_SECOND_IN_PYTHON if games.is_plain(game) else A_SECOND)[self.engine]
        """Nodes that stand for a second."""
        self._search: Engine = getattr(game.native, ENGINES[self.engine])(table=MEGABYTES)
        self._prover = self._made_prover(game, start)

    def _made_prover(self, game: Game, start: Position) -> Engine | None:
        """Alpha-beta that leaves nothing out; with more than two seats no search proves a draw."""
        if self.engine == TREE or start.seats > 2:
            return None
        found: Engine = game.native.Engine(table=_PROVER_MEGABYTES, without=_PRUNING)
        return found

    def value(self, position: Position, *, effort: int = 1) -> Value:
        """What a position is worth to the seat to move; `effort` times the usual nodes."""
        outcome = position.outcome()
        if outcome is not None:
            return Value(0, decided(outcome)[0] or 0.0, certain=True)
        nodes = self.nodes * effort
        value = _value(position.to_move(), self._search.search(position, nodes=nodes), 0)
        return self._proved(position, nodes) or value if _looks_drawn(value) else value

    def _proved(self, position: Position, nodes: int) -> Value | None:
        """The value of an even position, if a search without pruning sees the end of every line."""
        if self._prover is None:
            return None
        report = self._prover.search(position, nodes=_PROVER * nodes)
        value = _value(position.to_move(), report, 0)
        return value if value.certain else None

    def values(self, position: Position, *, effort: int = 1) -> dict[str, Value]:
        """What each move is worth to the seat to move, the best first; moves as texts."""
        lines = len(position.legal_moves())
        report = self._search.search(position, nodes=self.nodes * effort * lines, lines=lines)
        seat = position.to_move()
        known = [at for at, line in enumerate(report.lines) if line.score > UNKNOWN]
        return {report.lines[at].move.text(): _value(seat, report, at) for at in known}

    def lines(self, position: Position, lines: int, *, effort: int = 1) -> list[Value]:
        """The best moves, the best first, by a search of the position itself."""
        wanted = min(lines, len(position.legal_moves()))
        report = self._search.search(position, nodes=self.nodes * effort, lines=wanted)
        known = [at for at, line in enumerate(report.lines) if line.score > UNKNOWN]
        return [_value(position.to_move(), report, at) for at in known]

    def nodes_to_find(self, position: Position, moves: Sequence[Move], most: int) -> int | None:
        """From how many nodes on the engine plays one of these; None: not even with `most`."""
        return self._since(position, most, lambda best: best in moves)

    def nodes_to_avoid(self, position: Position, move: Move, most: int) -> int | None:
        """From how many nodes on the engine plays another move; None: not even with `most`."""
        return self._since(position, most, lambda best: best != move)

    def _since(self, position: Position, most: int, is_wanted: Wanted) -> int | None:
        """The nodes from which on the engine's choice satisfies a condition, up to `most`."""
        since: int | None = None
        for nodes, best in self._choices(position, most):
            if not is_wanted(best):
                since = None
            elif since is None:
                since = nodes
        return since

    def _choices(self, position: Position, most: int) -> Iterator[tuple[int, Move]]:
        """What the engine plays after more and more nodes.

        Alpha-beta reports every depth. Tree search reports late, so it is searched repeatedly.
        """
        if self.engine != TREE:
            self._search.forget()
            for report in self._search.analyse(position, nodes=most):
                yield report.nodes, report.best
            return
        for share in _SHARES:
            self._search.forget()
            nodes = max(1, int(most * share))
            yield nodes, self._search.search(position, nodes=nodes).best


def _looks_drawn(value: Value) -> bool:
    """Whether this is the value of a draw, but not proved: pruning hides what lies beside it."""
    return value.chance == _EVEN and not value.certain


def _value(seat: Seat, report: Report, at: int) -> Value:
    line = report.lines[at]
    own = _EVEN if line.drawn else chance(line.score)
    return Value(seat, own, line.is_certain, tuple(line.moves), report.depth, report.nodes)
