"""One row of a dataset, and the rows that a recorded game makes."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from spielleiter.errors import UsageError
from spielleiter.game import Game, Outcome, Position, Seat
from spielleiter.match import Frame, GameRecord


@dataclass(frozen=True, slots=True)
class Sample:
    """A position in which somebody moved, and what is known of it."""

    game: int
    """Number of the game in its file."""
    position: Position
    action: int
    """What was played."""
    policy: Mapping[int, float]
    """Actions and how likely they are to be best; they add up to 1."""
    value: float = math.nan
    """The search value for the seat to move, from −1 (lost) to 1; NaN: not searched."""
    result: float = math.nan
    """The result for the seat to move, from −1 (last) to 1 (sole winner); NaN: unknown."""

    @property
    def seat(self) -> Seat:
        """Whose turn it was."""
        return self.position.to_move()

    def ended(self, outcome: Outcome | None) -> Sample:
        """The same with the game's result; None: unknown."""
        return replace(self, result=math.nan if outcome is None else outcome.worth(self.seat))


def from_record(record: GameRecord, game: Game, number: int) -> Iterator[Sample]:
    """The rows of a recorded game: the policy is the move that was played."""
    if record.opened.edition != game.name:
        raise UsageError(f"game {number} is {record.opened.edition}, not {game.name}")
    outcome = None if record.ended is None else record.ended.outcome
    for before, after in itertools.pairwise(record.frames(game)):
        action = _played(before, after)
        if action is not None:
            yield Sample(number, before.position, action, {action: 1.0}).ended(outcome)


def _played(before: Frame, after: Frame) -> int | None:
    """The action between two frames; None: nobody moved, or not the seat whose turn it was."""
    if after.turn.move is None or after.turn.seat != before.position.to_move():
        return None
    move = before.position.move(after.turn.move)
    return None if before.position.why_illegal(move) else before.position.action(move)
