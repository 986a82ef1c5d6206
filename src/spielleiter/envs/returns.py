"""What the end of a game is worth to each seat, in −1 … 1; every game sums to zero."""

from __future__ import annotations

from spielleiter.game import Outcome, Position


def is_over(position: Position) -> bool:
    """Whether no move follows: the rules ended the game, or the seat to move is stuck."""
    return position.outcome() is not None or not position.legal_moves()


def returns(position: Position) -> tuple[float, ...]:
    """1 for a sole winner, −1 for the sole last, equal steps between; equals share theirs.

    The same as the `rewards` of a batch. Before the end everybody has 0. A seat that is stuck
    where an authority has no rule for it forfeits: it alone is last.
    """
    if not is_over(position):
        return (0.0,) * int(position.seats)
    outcome = position.outcome() or _forfeit(position)
    return tuple(outcome.worth(seat) for seat in range(position.seats))


def _forfeit(position: Position) -> Outcome:
    stuck, last = position.to_move(), position.seats
    ranks = tuple(last if seat == stuck else 1 for seat in range(position.seats))
    return Outcome(ranks, position.scores(), "no legal move")
