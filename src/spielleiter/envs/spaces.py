"""What an agent of any game observes and does, in the spaces of Gymnasium."""

from __future__ import annotations

from typing import Any

import numpy as np

from spielleiter.errors import UsageError
from spielleiter.game import Position, Seat

try:
    from gymnasium import spaces
except ImportError as error:
    raise UsageError(
        "Gymnasium is missing: install it with 'pip install spielleiter[envs]'"
    ) from error


def observation_space(position: Position) -> spaces.Dict:
    """Planes, and 1 for each legal action."""
    planes = spaces.Box(0, 255, tuple(position.planes), np.uint8)
    mask = spaces.Box(0, 1, (position.actions,), np.int8)
    return spaces.Dict({"observation": planes, "action_mask": mask})


def action_space(position: Position) -> spaces.Discrete:
    """All actions of the game; the mask says which are legal."""
    return spaces.Discrete(position.actions)


def observation(position: Position, seat: Seat) -> dict[str, Any]:
    """The board as a seat sees it, and its legal actions: none unless it is its turn."""
    mask = np.zeros(position.actions, dtype=np.int8)
    if seat == position.to_move():
        mask[[position.action(move) for move in position.legal_moves()]] = 1
    return {"observation": position.observe(seat), "action_mask": mask}
