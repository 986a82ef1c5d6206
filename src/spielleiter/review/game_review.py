"""Reviews one game from its end to its beginning: what every move was worth.

A move is compared with the engine's choice by searching the two positions they lead to with equally
many nodes. Comparing the positions before and after the move would instead blame it for what one
more ply of search sees.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

from spielleiter.game import Game, Move, Position, Seat
from spielleiter.match import Frame, GameRecord, Turn
from spielleiter.review.chances import Grade, decided, grade
from spielleiter.review.evaluator import Evaluator, Value
from spielleiter.review.patterns import Habit, Trait, TraitOf, TurnTraits, habits
from spielleiter.review.time_use import (
    SecondMore,
    TimeUse,
    nodes_with_second_more,
    second_more,
    time_use,
)
from spielleiter.text import ENGLISH, Text, catalogue
from spielleiter.text import Value as TextValue

CONFIRMED = ((0.05, 4), (0.2, 25))
"""From this loss on both moves are searched again with so many times the nodes: a blunder must be
confirmed by a longer search. 25, since a task of the gym needs a proof of 20 times."""
CONFIRMED_SEVERAL = ((0.1, 4),)
"""The same for three and four seats, where every move of the position has such a search."""
_LATE = 1 / 3
"""The part of a game of several seats that counts as its end."""
_CHOICES = 4
"""Most moves that the played one is compared with."""
_SMALLEST = 0.05
"""A turning point gives away at least this."""
_EVEN = 0.5
_STEEPNESS = 4.0
"""Of accuracy: a move that gives away a tenth of the chance counts 67, a half 14. Chosen so that
games of our own players of level 1 and 10 lie far apart."""
_EXPLAINED = 3
"""For so many turning points the nodes that would have avoided them are computed."""
_TOLD = 3
"""So many moves of a line are told in words."""
PHASES = ("opening", "middle", "end")
COSTLY: tuple[Grade, ...] = ("blunder", "mistake", "inaccuracy")
"""Grades of costly moves, the worst first."""


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
    effort: int = 1
    """The chances come from a search with so many times the nodes of the review."""
    choices: int = 1
    """How many moves there were."""
    phase: str = PHASES[0]
    spent: float | None = None
    """Seconds, if they were recorded."""
    motifs: tuple[Text, ...] = ()
    """Motifs of the move, in terms of the game."""
    move_words: str = ""
    """The move as people say it, where the game has a form for them; otherwise as it is written."""
    line_words: tuple[str, ...] = ()
    """The beginning of the line in such words."""
    answer_words: str = ""
    """What is expected to follow the played move; empty: nothing, or not known."""
    position: int = 0
    """The key of the position before the move."""
    traits: tuple[Trait, ...] = ()
    """What can be said of the move, the best one and the answer: see `patterns`."""
    avoided_from: int | None = None
    """Nodes from which on the engine plays another move; None: not asked or not found."""
    second_more: SecondMore | None = None
    """What a second more would have changed; None: not asked, or nobody measured the time."""

    @property
    def loss(self) -> float:
        """How much of the chance the move gave away."""
        return round(self.chance - self.chance_after, 4)

    def traits_of(self, key: str, *, won: bool) -> TurnTraits:
        """The turn as far as patterns are concerned; `key` is that of a game, won or not."""
        return TurnTraits(
            game=key,
            turn=self.turn,
            position=self.position,
            phase=self.phase,
            loss=self.loss,
            is_costly=self.grade in COSTLY,
            won=won,
            move=self.move_words,
            best=self.line_words[0],
            answer=self.answer_words,
            traits=self.traits,
        )


@dataclass(frozen=True, slots=True)
class GameReview:
    """All turns of a game, and what follows from them."""

    edition: str
    names: tuple[str, ...]
    engine: str
    nodes: int
    a_second: int
    """Nodes that stand for a second."""
    turns: tuple[ReviewedTurn, ...]
    winners: tuple[Seat, ...]
    """The seats on the first rank; empty if the record does not say."""
    reason: str = ""
    """The rule or fault that ended the game."""
    unread: int = 0
    """Moves before the first one here that were not reviewed, since the review was interrupted."""

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

    def costly(self, player: str | None = None) -> tuple[ReviewedTurn, ...]:
        """The turning points of all players, or of one."""
        return tuple(
            each for each in self.turning_points if player in (None, self.names[each.seat])
        )

    @property
    def accuracy(self) -> tuple[float, ...]:
        """For each seat the mean of 100 · exp(−4 · loss) over its turns with a choice."""
        return tuple(round(_accuracy(list(self.of(seat))), 1) for seat in range(self.seats))

    def last_chance(self, seat: Seat) -> ReviewedTurn | None:
        """The last turning point at which a seat that did not win gave away a game it still held.

        Held is an even game; with three and four seats also an equal share of the chances.
        """
        slips = [each for each in self.of(seat) if each.loss >= _SMALLEST and self._slipped(each)]
        return None if seat in self.winners or not slips else slips[-1]

    def _slipped(self, turn: ReviewedTurn) -> bool:
        shares = (_EVEN, round(1 / self.seats, 4))  # as chances are
        return any(turn.chance >= held > turn.chance_after for held in shares)

    def traits(self, seat: Seat, key: str = "") -> list[TurnTraits]:
        """The turns of a seat that had a choice, as far as patterns are concerned."""
        won = seat in self.winners
        return [each.traits_of(key, won=won) for each in self.of(seat) if each.choices > 1]

    def habits(self, seat: Seat, key: str = "") -> list[Habit]:
        """Where a seat played otherwise than the engine; in most games too little to say so."""
        return habits(self.traits(seat, key))

    def time(self, seat: Seat) -> TimeUse | None:
        """How a seat used its time; None if not measured."""
        spent = [(each.turn, each.spent) for each in self.of(seat) if each.spent is not None]
        costly = [each.turn for each in self.turning_points if each.seat == seat]
        return time_use(spent, costly)


def _accuracy(turns: Sequence[ReviewedTurn]) -> float:
    chosen = [each for each in turns if each.choices > 1]
    kept = [100 * math.exp(-_STEEPNESS * each.loss) for each in chosen]
    return sum(kept) / len(kept) if kept else 100.0


# --------------------------------------------------------------------------------------- reviewing


@dataclass(frozen=True, slots=True)
class _Step:
    """A legal move, with the position before it."""

    before: Position
    seat: Seat
    move: Move


@dataclass(frozen=True, slots=True)
class _PlayedStep(_Step):
    """A step of a record."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The best move and the played one, from the seat's point of view."""

    best: Move
    value: Value
    played: Value
    effort: int = 1
    """How many times the usual nodes each of the two had."""

    @property
    def loss(self) -> float:
        return self.value.chance - self.played.chance


def review_game(
    record: GameRecord,
    game: Game,
    nodes: int | None = None,
    progress: Callable[[int, int], None] = lambda done, of: None,
    late: int = 1,
) -> GameReview:
    """What every move of a game was worth; raises UsageError if the game has no engine.

    With three and four seats the last part of the game is searched with `late` times the nodes:
    there a blunder is one because of how the game ends, and few nodes do not see that far.
    A KeyboardInterrupt becomes a ReviewInterrupted.
    """
    frames = list(record.frames(game))
    steps = list(_steps(frames))
    evaluator = Evaluator(frames[0].position, game, nodes)
    found: list[_Comparison] = []
    try:
        _compare_all(evaluator, steps, progress, late, found)
        compared = list(_agreeing(evaluator, steps, found[::-1]))
        return _explained(_made(record, game, evaluator, steps, compared), steps, evaluator)
    except KeyboardInterrupt as stopped:
        partial = _made(record, game, evaluator, steps, found[::-1])
        raise ReviewInterrupted(partial) from stopped


class ReviewInterrupted(KeyboardInterrupt):
    """Somebody stopped a review; `review` has the last turns of the game, as far as they came."""

    def __init__(self, review: GameReview) -> None:
        super().__init__("the review was interrupted")
        self.review = review


def _made(
    record: GameRecord,
    game: Game,
    evaluator: Evaluator,
    steps: Sequence[_PlayedStep],
    compared: Sequence[_Comparison],
) -> GameReview:
    """The review from what was compared: all steps, or the last ones."""
    motifs, ended = _Motifs(game, record.names), record.ended
    unread = len(steps) - len(compared)
    pairs = zip(steps[unread:], compared, strict=True)
    return GameReview(
        edition=game.name,
        names=record.names,
        engine=evaluator.engine,
        nodes=evaluator.nodes,
        a_second=evaluator.a_second,
        turns=tuple(
            _turn(step, found, motifs, step.turn.number, step.turn.spent) for step, found in pairs
        ),
        winners=() if ended is None else tuple(ended.outcome.winners),
        reason="" if ended is None else str(ended.outcome.reason),
        unread=unread,
    )


@dataclass(frozen=True, slots=True)
class TriedMove:
    """A move that somebody tried in a position, and what it gives away."""

    grade: Grade
    chance: float
    """With the best move."""
    chance_after: float


def tried_move(position: Position, move: Move, evaluator: Evaluator) -> TriedMove:
    """What a legal move of a position is worth, by the same search as in a review."""
    found = _compare(evaluator, _Step(position, position.to_move(), move))
    own, kept = round(found.value.chance, 4), round(found.played.chance, 4)
    named: Grade = "best" if found.best == move else grade(round(own - kept, 4))
    return TriedMove(named, own, kept)


def tried_moves(
    position: Position, moves: Sequence[Move], game: Game, names: Sequence[str], number: int
) -> GameReview:
    """What legal moves of a position are worth beside each other: a turn for each, of that number.

    All of them and the engine's choice get the nodes with which a review confirms a blunder.
    """
    evaluator, motifs = Evaluator(position, game), _Motifs(game, names)
    steps = [_Step(position, position.to_move(), move) for move in moves]
    compared = (_side_by_side if position.seats == 2 else _one_by_one)(evaluator, steps)
    pairs = zip(steps, compared, strict=True)
    return GameReview(
        edition=game.name,
        names=tuple(names),
        engine=evaluator.engine,
        nodes=evaluator.nodes,
        a_second=evaluator.a_second,
        turns=tuple(_turn(step, found, motifs, number) for step, found in pairs),
        winners=(),
    )


def _side_by_side(evaluator: Evaluator, steps: Sequence[_Step]) -> list[_Comparison]:
    """Each move against the best of all and of the engine's choices."""
    effort, values = CONFIRMED[-1][1], dict[Move, Value]()
    for step in steps:
        first = evaluator.value(step.before, effort=effort).best
        values |= _candidates(evaluator, step, first, effort)
        after = step.before.after(step.move)
        values[step.move] = evaluator.value(after, effort=effort).of(step.seat)
    best = max(values, key=lambda move: values[move].chance)

    def compared(move: Move) -> _Comparison:
        is_best = values[move].chance >= values[best].chance
        chosen = move if is_best else best
        return _Comparison(chosen, values[chosen], values[move], effort)

    return [compared(step.move) for step in steps]


def _one_by_one(evaluator: Evaluator, steps: Sequence[_Step]) -> list[_Comparison]:
    """With more seats a search of the position gives the values of all its moves."""
    return [_compare_several(evaluator, step, CONFIRMED_SEVERAL[-1][1]) for step in steps]


def _steps(frames: Sequence[Frame]) -> Iterator[_PlayedStep]:
    for earlier, later in itertools.pairwise(frames):
        turn, before = later.turn, earlier.position
        if turn.move is None or turn.seat is None or before.outcome() is not None:
            continue
        move = before.move(turn.move)
        if before.why_illegal(move) is None:
            yield _PlayedStep(before, turn.seat, move, turn)


def _compare_all(
    evaluator: Evaluator,
    steps: Sequence[_Step],
    progress: Callable[[int, int], None],
    late: int,
    found: list[_Comparison],
) -> None:
    """Compare the moves from the last to the first; each comparison is added to `found` at once."""
    for done, step in enumerate(reversed(steps)):
        found.append(_compare(evaluator, step, late if done < _LATE * len(steps) else 1))
        progress(done + 1, len(steps))


def _compare(evaluator: Evaluator, step: _Step, effort: int = 1) -> _Comparison:
    if step.before.seats == 2:
        return _compare_two(evaluator, step)
    return _compare_several(evaluator, step, effort)


def _compare_two(evaluator: Evaluator, step: _Step) -> _Comparison:
    """Compare with two seats: their chances add up to 1."""
    played = evaluator.value(step.before.after(step.move)).of(step.seat)
    before = evaluator.value(step.before).of(step.seat)
    first = before.best
    assert first is not None
    if first == step.move:
        return _reconsidered(evaluator, step, _Comparison(first, before, played))

    def searched(effort: int) -> _Comparison:
        return _searched(evaluator, step, effort, first)

    value = evaluator.value(step.before.after(first)).of(step.seat)
    found = _Comparison(first, value, played)
    return _confirmed(found if found.loss > 0 else searched(1), step.move, CONFIRMED, searched)


def _reconsidered(evaluator: Evaluator, step: _Step, found: _Comparison) -> _Comparison:
    """The engine's own choice, unless more nodes choose better where it disappointed.

    Otherwise a won game could turn into a lost one without a move that lost it.
    """
    for loss, effort in CONFIRMED:
        if found.loss < loss:
            break
        again = _searched(evaluator, step, effort)
        if again.loss > 0:
            return again
    return _Comparison(step.move, found.played, found.played)


def _searched(
    evaluator: Evaluator, step: _Step, effort: int, first: Move | None = None
) -> _Comparison:
    """The best of the engine's choices and the played move, with equally many nodes.

    The choices begin with `first`, if it is given.
    """
    first = first or evaluator.value(step.before, effort=effort).best
    values = _candidates(evaluator, step, first, effort)
    best = max(values, key=lambda move: values[move].chance, default=step.move)
    played = evaluator.value(step.before.after(step.move), effort=effort).of(step.seat)
    return _Comparison(best, values.get(best, played), played, effort)


def _agreeing(
    evaluator: Evaluator, steps: Sequence[_Step], found: Sequence[_Comparison]
) -> Iterator[_Comparison]:
    """The comparisons of two seats in the light of what was solved before them.

    A search of few nodes may prove a win and lose sight of it two plies later.
    """
    solved: Value | None = None
    for step, each in zip(steps, found, strict=True):
        if solved is not None and step.before.seats == 2:
            each = _agreed(evaluator, step, each, solved.of(step.seat).chance)
        yield each
        solved = each.played if each.played.certain else None


def _agreed(evaluator: Evaluator, step: _Step, found: _Comparison, chance: float) -> _Comparison:
    """The comparison of a position whose chance is proved."""
    if chance == 0:
        lost = replace(found.played, chance=0.0, certain=True)
        return replace(found, best=step.move, value=lost, played=lost)
    for _, effort in CONFIRMED:
        if found.value.chance >= chance:
            break
        again = _searched(evaluator, step, effort)
        found = again if again.loss > 0 else _Comparison(step.move, again.played, again.played)
    return found


def _candidates(
    evaluator: Evaluator, step: _Step, first: Move | None, effort: int
) -> dict[Move, Value]:
    """The engine's choices with their values, other than the played move.

    What follows a choice may refute it, and then the engine, which remembers that, chooses anew.
    """
    values: dict[Move, Value] = {}
    choice = first
    while choice is not None and choice != step.move and choice not in values:
        values[choice] = evaluator.value(step.before.after(choice), effort=effort).of(step.seat)
        if len(values) == _CHOICES:
            break
        choice = evaluator.value(step.before, effort=effort).best
    return values


def _compare_several(evaluator: Evaluator, step: _Step, first: int) -> _Comparison:
    """Compare with more seats: only lines of the position itself give a move's value.

    `first` is the effort of the first search.
    """

    def searched(effort: int) -> _Comparison:
        values = {  # their lines begin after the move, as with two seats
            move: replace(value, line=value.line[1:])
            for move, value in evaluator.values(step.before, effort=effort).items()
        }
        best, value = next(iter(values.items()))
        played = values.get(step.move.text(), value)
        outcome = step.before.after(step.move).outcome()
        if outcome is not None:
            played = Value(step.seat, decided(outcome)[step.seat] or 0.0, certain=True)
        return _Comparison(step.before.move(best), value, played, effort * len(values))

    bounds = [(loss, effort) for loss, effort in CONFIRMED_SEVERAL if effort > first]
    return _confirmed(searched(first), step.move, bounds, searched)


def _confirmed(
    found: _Comparison,
    move: Move,
    bounds: Sequence[tuple[float, int]],
    searched: Callable[[int], _Comparison],
) -> _Comparison:
    """The comparison, repeated with more nodes while the loss is large.

    A move that turns out no worse than the engine's choice is the best one.
    """
    for loss, effort in bounds:
        if found.loss >= loss and not (found.value.certain and found.played.certain):
            found = searched(effort)
    if found.best == move or found.loss <= 0:
        return _Comparison(move, found.played, found.played, found.effort)
    return found


def _turn(
    step: _Step, found: _Comparison, motifs: _Motifs, number: int, spent: float | None = None
) -> ReviewedTurn:
    own, kept = round(found.value.chance, 4), round(found.played.chance, 4)
    is_best = found.best == step.move
    line, after = (found.best, *found.value.line), step.before.after(step.move)
    answer = found.played.best
    return ReviewedTurn(
        turn=number,
        seat=step.seat,
        move=step.move.text(),
        best=found.best.text(),
        chance=own,
        chance_after=kept,
        grade="best" if is_best else grade(round(own - kept, 4)),
        certain=found.value.certain and found.played.certain,
        line=tuple(each.text() for each in line),
        depth=found.value.depth,
        effort=found.effort,
        choices=len(step.before.legal_moves()),
        phase=motifs.phase(step.before),
        spent=spent,
        motifs=() if is_best else motifs.of(step, found),
        move_words=motifs.words(step.before, (step.move,))[0],
        line_words=motifs.words(step.before, line[:_TOLD]),
        answer_words="" if answer is None else motifs.words(after, (answer,))[0],
        position=step.before.key(),
        traits=(
            *motifs.traits("move", step.before, step.move),
            *motifs.traits("best", step.before, found.best),
            *motifs.traits("answer", after, answer),
        ),
    )


def _explained(
    review: GameReview, steps: Sequence[_PlayedStep], evaluator: Evaluator
) -> GameReview:
    """The costliest moves with the nodes and the time that would have avoided them."""
    at = {step.turn.number: step for step in steps}
    costly = [each.turn for each in review.turning_points[:_EXPLAINED]]
    turns = [
        _with_remedy(each, at[each.turn], evaluator) if each.turn in costly else each
        for each in review.turns
    ]
    return replace(review, turns=tuple(turns))


def _with_remedy(turn: ReviewedTurn, step: _Step, evaluator: Evaluator) -> ReviewedTurn:
    """The move with what would have avoided it; a second more is asked for if time was measured."""
    a_second, most = evaluator.a_second, evaluator.nodes
    if turn.spent is not None:
        most = max(most, nodes_with_second_more(a_second, turn.spent))
    found = evaluator.nodes_to_avoid(step.before, step.move, most)
    changed = None if turn.spent is None else second_more(a_second, turn.spent, found)
    return replace(turn, avoided_from=found, second_more=changed)


class _Motifs:
    """The motifs of a game's `motifs.py`, with the players' names; none without that file."""

    def __init__(self, game: Game, names: Sequence[str]) -> None:
        self._part = game.part("motifs") if find_spec(f"{game.folder}.motifs") else None
        self._english = catalogue(game.folder, ENGLISH)
        seats = zip(names, game.seat_names, strict=False)
        self._seat_ids = {seat.id for seat in game.seat_names if isinstance(seat, Text)}
        self._names = {seat: name for name, seat in seats if name and names.count(name) == 1}

    def of(self, step: _Step, found: _Comparison) -> tuple[Text, ...]:
        """What the move did wrong; what is true of many moves only if it lost much."""
        if self._part is None:
            return ()
        told = self._part.motifs(step.before, step.move, found.best)
        least: Mapping[str, float] = getattr(self._part, "WEAK", {})
        return tuple(self._named(each) for each in told if found.loss >= least.get(each.id, 0.0))

    def _named(self, text: Text) -> Text:
        """A text with names of players instead of their seats."""
        values = {key: self._player(each) for key, each in text.values.items()}
        if values == text.values:
            return text
        return Text(text.id, self._english[text.id].format(**values), values)

    def _player(self, value: TextValue) -> TextValue:
        if not isinstance(value, Text):
            return value
        is_seat = value.id in self._seat_ids
        return self._names.get(value, value) if is_seat else self._named(value)

    def traits(self, role: TraitOf, before: Position, move: Move | None) -> Iterator[Trait]:
        """What can be said of a move."""
        found = getattr(self._part, "traits", None)
        if found is not None and move is not None and before.outcome() is None:
            yield from ((role, each) for each in found(before, move))

    def words(self, position: Position, line: Sequence[Move]) -> tuple[str, ...]:
        """Moves that follow each other, as people say them."""
        say = getattr(self._part, "move_words", lambda _, move: move.text())
        told: list[str] = []
        for move in line:
            told.append(say(position, move))
            position = position.after(move)
        return tuple(told)

    def phase(self, position: Position) -> str:
        return PHASES[1] if self._part is None else str(self._part.phase(position))
