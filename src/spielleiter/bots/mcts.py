"""Monte Carlo tree search: the native tree of a game, for wide games and several players."""

from __future__ import annotations

from typing import Any

from spielleiter.bots import _levels
from spielleiter.bots._engine import least, number
from spielleiter.bots._native import NativePlayer
from spielleiter.game import Clock

GAMES = (4, 10, 25, 60, 150, 400, 1_000, 3_000, 10_000)
LEVELS: tuple[_levels.Options, ...] = (*({"simulations": games} for games in GAMES), {})
"""Games played out for each move, from beginner to full strength."""


class Player(NativePlayer):
    """Simulates games until the first of its limits; never beyond the clock.

    `time` and `simulations` limit every move; of 1024 moves so many are `overlooked`, and of 1024
    turns so many are `lapses`, played as `greedy` does, and so many `guesses`, played by lot.
    `level` 1 … 10 sets them for a weaker player; `threads` and `table` (MB) say what the tree may
    use.
    """

    name = "mcts"
    engine, method, levels = "Mcts", "tree search", LEVELS

    def __init__(
        self,
        level: int | str = 10,
        time: float | str | None = None,
        simulations: int | str | None = None,
        overlooked: int | str | None = None,
        lapses: int | str | None = None,
        guesses: int | str | None = None,
        threads: int | str = 1,
        table: int | str = 256,
        seed: int = 0,
    ) -> None:
        super().__init__(level, time, overlooked, lapses, guesses, threads, table, seed)
        self._simulations = number("simulations", simulations, int)

    def _own_limits(self, clock: Clock) -> dict[str, Any]:
        games = self._simulations or self._weakness.get("simulations")
        return {"simulations": least(games, clock.nodes)}
