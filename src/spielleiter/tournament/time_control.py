"""The time control of a contest."""

from __future__ import annotations

from dataclasses import dataclass

from spielleiter.game import Clock
from spielleiter.match import PerMove

PER_MOVE = 2.0
"""Default seconds per move, as in the contest."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Limits per move; after `patience` seconds a silent player is given up."""

    per_move: float | None = None
    nodes: int | None = None
    patience: float = 60.0

    @property
    def clock(self) -> Clock:
        """The clock for the player."""
        return Clock(per_move=self.per_move, nodes=self.nodes)

    @property
    def referee(self) -> PerMove:
        """The clock for the referee."""
        return PerMove(self.per_move, self.patience)


def time_control(per_move: float | None, nodes: int | None, patience: float | None) -> TimeControl:
    """The time control with these limits; without any of them the contest's two seconds."""
    if per_move is None and nodes is None:
        per_move = PER_MOVE
    silent = max(10.0, 5 * per_move) if per_move is not None else 60.0
    return TimeControl(per_move, nodes, silent if patience is None else patience)
