"""One game looked at from its end to its beginning: what every move was worth.

A move is compared with the engine's choice by searching the two positions they lead to with equally
many nodes. Comparing the position before with the one after instead would blame a move for what a
ply more of search sees.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

from spielleiter.game import Game, Move, Position, Seat
from spielleiter.match import Frame, GameRecord
from spielleiter.review.chances import Grade, decided, grade
from spielleiter.review.evaluator import Evaluator, Value
from spielleiter.text import Text

CONFIRMED = ((0.05, 4), (0.2, 16))
"""From such a loss on both moves are looked at again, with so many times the nodes. Guessed: a
blunder that a longer search does not see is none."""
_SMALLEST = 0.05
"""A turning point gives away at least this."""
_STEEPNESS = 4.0
"""Of accuracy: a move that gives away a tenth of the chance counts 67, a half 14. Chosen so that
games of our own players of level 1 and 10 lie far apart."""
_EXPLAINED = 3
"""So many turning points get the number of nodes that would have avoided them."""
PHASES = ("opening", "middle", "end")


@dataclass(frozen=True, slots=True)
class ReviewedTurn:
    """A move, and what it gave away. Chances are those of the seat that moved."""

    turn: int
    seat: Seat
    move: str
    best: str
    """What the engine would have played."""
    chance: float
    """With the best move."""
    chance_after: float
    """With the move that was played."""
    grade: Grade
    certain: bool
    """Whether both chances are solved values."""
    line: tuple[str, ...] = ()
    """The best move and the play expected to follow."""
    depth: int = 0
    choices: int = 1
    """How many moves there were."""
    phase: str = PHASES[0]
    spent: float | None = None
    """Seconds, if they were recorded."""
    motifs: tuple[Text, ...] = ()
    """What happened, in words of the game."""
    avoided_from: int | None = None
    """Nodes from which on the engine plays another move; None: not asked or not found."""

    @property
    def loss(self) -> float:
        """How much of the chance the move gave away."""
        return round(self.chance - self.chance_after, 4)


@dataclass(frozen=True, slots=True)
class GameReview:
    """All turns of a game, and what follows from them."""

    edition: str
    names: tuple[str, ...]
    engine: str
    nodes: int
    turns: tuple[ReviewedTurn, ...]
    winners: tuple[Seat, ...]
    """Who ended on the first rank; nobody, if the record does not say."""
    reason: str = ""
    """By which rule or fault the game ended."""

    @property
    def seats(self) -> int:
        """How many players there were."""
        return len(self.names)

    def of(self, seat: Seat) -> Iterator[ReviewedTurn]:
        """The turns of one seat."""
        return (each for each in self.turns if each.seat == seat)

    @property
    def turning_points(self) -> tuple[ReviewedTurn, ...]:
        """The moves that gave something away, the costliest first."""
        costly = [each for each in self.turns if each.loss >= _SMALLEST]
        return tuple(sorted(costly, key=lambda each: (-each.loss, each.turn)))

    @property
    def accuracy(self) -> tuple[float, ...]:
        """For each seat the mean of 100 · exp(−4 · loss) over its turns with a choice."""
        return tuple(round(_accuracy(list(self.of(seat))), 1) for seat in range(self.seats))

    def last_chance(self, seat: Seat) -> ReviewedTurn | None:
        """The last turn at which a seat that did not win gave away a game it still held."""
        held = 1 / self.seats
        found = [each for each in self.of(seat) if each.chance >= held > each.chance_after]
        return None if seat in self.winners or not found else found[-1]


def _accuracy(turns: Sequence[ReviewedTurn]) -> float:
    chosen = [each for each in turns if each.choices > 1]
    kept = [100 * math.exp(-_STEEPNESS * each.loss) for each in chosen]
    return sum(kept) / len(kept) if kept else 100.0


# --------------------------------------------------------------------------------------- reviewing


@dataclass(frozen=True, slots=True)
class _Step:
    """A legal move of the record with the positions around it."""

    frame: Frame
    before: Position
    seat: Seat
    move: Move


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The best move and the played one, both as the seat sees them."""

    best: Move
    value: Value
    played: Value


def review_game(
    record: GameRecord,
    game: Game,
    nodes: int | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> GameReview:
    """What every move of a game was worth; raises UsageError if the game has no engine."""
    frames = list(record.frames(game))
    steps = list(_steps(frames))
    evaluator = Evaluator(frames[0].position, game, nodes)
    compared = _compared(evaluator, steps, progress)
    motifs = _Motifs(game)
    turns = tuple(_turn(step, found, motifs) for step, found in zip(steps, compared, strict=True))
    ended = record.ended
    plain = GameReview(
        edition=game.name,
        names=record.names,
        engine=evaluator.engine,
        nodes=evaluator.nodes,
        turns=turns,
        winners=() if ended is None else tuple(ended.outcome.winners),
        reason="" if ended is None else str(ended.outcome.reason),
    )
    return _explained(plain, steps, evaluator)


def _steps(frames: Sequence[Frame]) -> Iterator[_Step]:
    for earlier, later in itertools.pairwise(frames):
        turn, before = later.turn, earlier.position
        if turn.move is None or turn.seat is None or before.outcome() is not None:
            continue
        move = before.move(turn.move)
        if before.why_illegal(move) is None:
            yield _Step(later, before, turn.seat, move)


def _compared(
    evaluator: Evaluator, steps: Sequence[_Step], progress: Callable[[int, int], None]
) -> list[_Comparison]:
    compare = _compare_two if steps and steps[0].before.seats == 2 else _compare_several
    found = []
    for done, step in enumerate(reversed(steps)):
        found.append(compare(evaluator, step))
        progress(done + 1, len(steps))
    return found[::-1]


def _compare_two(evaluator: Evaluator, step: _Step) -> _Comparison:
    """With two seats, what a position is worth to one is what the other lacks."""
    played = evaluator.value(step.before.after(step.move)).of(step.seat)
    before = evaluator.value(step.before)
    best = before.best
    assert best is not None
    if best == step.move:
        return _Comparison(best, played, played)
    value = evaluator.value(step.before.after(best)).of(step.seat)
    for loss, effort in CONFIRMED:
        if value.chance - played.chance >= loss and not (value.certain and played.certain):
            value = evaluator.value(step.before.after(best), effort=effort).of(step.seat)
            played = evaluator.value(step.before.after(step.move), effort=effort).of(step.seat)
    return _better(_Comparison(best, value, played), step.move)


def _compare_several(evaluator: Evaluator, step: _Step) -> _Comparison:
    """With more seats only the lines of the position itself tell what a move is worth to it."""
    values = evaluator.values(step.before)
    best, value = next(iter(values.items()))
    played = values.get(step.move.text(), value)
    outcome = step.before.after(step.move).outcome()
    if outcome is not None:
        played = Value(step.seat, decided(outcome)[step.seat] or 0.0, certain=True)
    return _better(_Comparison(step.before.move(best), value, played), step.move)


def _better(found: _Comparison, move: Move) -> _Comparison:
    """A move that turns out no worse than the engine's choice is the best one."""
    if found.best == move or found.played.chance >= found.value.chance:
        return _Comparison(move, found.played, found.played)
    return found


def _turn(step: _Step, found: _Comparison, motifs: _Motifs) -> ReviewedTurn:
    own, kept = round(found.value.chance, 4), round(found.played.chance, 4)
    is_best = found.best == step.move
    turn = step.frame.turn
    return ReviewedTurn(
        turn=turn.number,
        seat=step.seat,
        move=step.move.text(),
        best=found.best.text(),
        chance=own,
        chance_after=kept,
        grade="best" if is_best else grade(round(own - kept, 4)),
        certain=found.value.certain and found.played.certain,
        line=(found.best.text(), *(move.text() for move in found.value.line)),
        depth=found.value.depth,
        choices=len(step.before.legal_moves()),
        phase=motifs.phase(step.before),
        spent=turn.spent,
        motifs=() if is_best else motifs.of(step.before, step.move, found.best),
    )


def _explained(review: GameReview, steps: Sequence[_Step], evaluator: Evaluator) -> GameReview:
    """The costliest moves with the nodes from which on a search would have avoided them."""
    at = {step.frame.turn.number: step for step in steps}
    known: dict[int, int | None] = {}
    for each in review.turning_points[:_EXPLAINED]:
        step = at[each.turn]
        known[each.turn] = evaluator.nodes_to_avoid(step.before, step.move, review.nodes)
    turns = [replace(each, avoided_from=known.get(each.turn)) for each in review.turns]
    return replace(review, turns=tuple(turns))


class _Motifs:
    """What a game's own `motifs.py` says; without one there are no words."""

    def __init__(self, game: Game) -> None:
        self._part = game.part("motifs") if find_spec(f"{game.folder}.motifs") else None

    def of(self, before: Position, move: Move, better: Move) -> tuple[Text, ...]:
        return () if self._part is None else tuple(self._part.motifs(before, move, better))

    def phase(self, position: Position) -> str:
        return PHASES[1] if self._part is None else str(self._part.phase(position))
