"""Alpha-beta search: the native engine of a game, as strong as time or level allow."""

from __future__ import annotations

from typing import Any

from spielleiter.bots import _levels
from spielleiter.bots._engine import least, number
from spielleiter.bots._native import NativePlayer
from spielleiter.game import Clock

LEVELS: tuple[_levels.Options, ...] = (
    {"depth": 1, "overlooked": 450},
    {"depth": 1, "overlooked": 300},
    {"depth": 1, "overlooked": 120},
    {"depth": 2, "overlooked": 200},
    {"depth": 2, "overlooked": 90},
    {"depth": 3, "overlooked": 110},
    {"depth": 4, "overlooked": 60},
    {"depth": 6, "nodes": 2_500, "overlooked": 50},
    {"nodes": 10_000, "overlooked": 15},
    {},
)
"""From beginner to full strength: depth, nodes, and how many of 1024 moves are overlooked. Like
people, weak players look few moves ahead and overlook moves, their own and the opponent's."""


class Player(NativePlayer):
    """Searches until the first of its limits; never beyond the clock.

    `time`, `nodes` and `depth` limit every move; of 1024 moves so many are `overlooked`, and of
    1024 turns so many are `lapses`, played as `greedy` does, and so many `guesses`, played by lot.
    `level` 1 … 10 sets them for a weaker player; `threads` and `table` (MB) say what the engine may
    use.
    """

    name = "alphabeta"
    engine, method, levels = "Engine", "alpha-beta engine", LEVELS

    def __init__(
        self,
        level: int | str = 10,
        time: float | str | None = None,
        nodes: int | str | None = None,
        depth: int | str | None = None,
        overlooked: int | str | None = None,
        lapses: int | str | None = None,
        guesses: int | str | None = None,
        threads: int | str = 1,
        table: int | str = 64,
        seed: int = 0,
    ) -> None:
        super().__init__(level, time, overlooked, lapses, guesses, threads, table, seed)
        self._options["adaptive"] = True
        self._nodes = number("nodes", nodes, int)
        self._depth = number("depth", depth, int)

    def _own_limits(self, clock: Clock) -> dict[str, Any]:
        return {
            "nodes": least(self._nodes or self._weakness.get("nodes"), clock.nodes),
            "depth": least(self._depth or self._weakness.get("depth"), clock.depth),
        }
