"""The strongest built-in player for each game, by what its native module offers."""

from __future__ import annotations

from typing import Any

from spielleiter.bots import alphabeta, greedy, mcts
from spielleiter.bots._engine import native_of
from spielleiter.game import Bot, Clock, Outcome, Seat


class Player(Bot):
    """Hands every game to the player that is best at it; options go to that player."""

    name = "best"

    def __init__(
        self,
        level: int | str = 10,
        time: float | str | None = None,
        threads: int | str = 1,
        seed: int = 0,
    ) -> None:
        self._options: dict[str, Any] = {"level": level, "time": time, "threads": threads}
        self._seed = seed
        self._player: Bot | None = None

    def begin(self, position: Any, seat: Seat) -> None:
        self._player = self._for(position)
        self._player.begin(position, seat)

    def choose(self, position: Any, clock: Clock) -> Any:
        if self._player is None:
            self._player = self._for(position)
        return self._player.choose(position, clock)

    def end(self, position: Any, outcome: Outcome) -> None:
        if self._player is not None:
            self._player.end(position, outcome)

    def _for(self, position: Any) -> Bot:
        native = native_of(position)
        if hasattr(native, "Engine"):
            return alphabeta.Player(**self._options, seed=self._seed)
        if hasattr(native, "Mcts"):
            return mcts.Player(**self._options, seed=self._seed)
        return greedy.Player(seed=self._seed)
