"""The strongest built-in player for each game: the game's folder may name it (see `_levels`)."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from typing import Any

from spielleiter.bots import _levels
from spielleiter.bots._engine import native_of, number
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
        self._options: dict[str, Any] = {
            "level": _levels.checked(level),
            "time": number("time", time, float),
            "threads": number("threads", threads, int),
            "seed": seed,
        }
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
        name = _levels.best(position) or _offered(native_of(position))
        player = import_module(f"spielleiter.bots.{name}").Player
        known = signature(player).parameters
        options = {key: value for key, value in self._options.items() if key in known}
        chosen: Bot = player(**options)
        return chosen


def _offered(native: Any) -> str:
    """The best that a native module has an engine for."""
    if hasattr(native, "Engine"):
        return "alphabeta"
    return "mcts" if hasattr(native, "Mcts") else "greedy"
