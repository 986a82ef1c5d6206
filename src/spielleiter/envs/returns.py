"""What the end of a game is worth to each seat, in −1 … 1; every game sums to zero."""

from __future__ import annotations

from spielleiter.game import Position


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
    outcome = position.outcome()
    return tuple(_worth(_forfeit(position) if outcome is None else outcome.ranks))


def _forfeit(position: Position) -> tuple[int, ...]:
    stuck, last = position.to_move(), position.seats
    return tuple(last if seat == stuck else 1 for seat in range(position.seats))


def _worth(ranks: tuple[int, ...]) -> list[float]:
    worth = []
    for rank in ranks:
        better, equal = sum(other < rank for other in ranks), ranks.count(rank)
        worth.append(1.0 - 2.0 * (better + (equal - 1) / 2) / (len(ranks) - 1))
    return worth
