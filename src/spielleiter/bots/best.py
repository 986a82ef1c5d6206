"""The strongest built-in player for each game: the game's folder may name it (see `_levels`)."""

from __future__ import annotations

from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import Any

from spielleiter.bots import _levels
from spielleiter.bots._engine import kind_of, native_of, number
from spielleiter.game import Bot, Clock, Move, Outcome, Position, Report, Seat


class Player(Bot):
    """Delegates every game to its strongest player; options go to that player."""

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
        self._kind: tuple[str, str, int] | None = None

    def prepare(self, position: Position) -> None:
        """Take the memory that the chosen player will need."""
        self._picked(position).prepare(position)

    def begin(self, position: Position, seat: Seat) -> None:
        """Choose the player for this game."""
        self._picked(position).begin(position, seat)

    def _picked(self, position: Position) -> Bot:
        """The player for games like this; reuses the present one if it fits."""
        if self._player is None or self._kind != kind_of(position):
            self._player, self._kind = self._for(position), kind_of(position)
        return self._player

    def choose(self, position: Position, clock: Clock) -> Move:
        """The move of the player that is best for this game."""
        if self._player is None:
            self._player = self._for(position)
        return self._player.choose(position, clock)

    @property
    def report(self) -> Report | None:
        """What the last search of the chosen player found, if it searches."""
        return getattr(self._player, "report", None)

    def end(self, position: Position, outcome: Outcome) -> None:
        """Tell the chosen player how the game ended."""
        if self._player is not None:
            self._player.end(position, outcome)

    def _for(self, position: Position) -> Bot:
        name = _levels.best(position) or _offered(native_of(position))
        player = import_module(f"spielleiter.bots.{name}").Player
        known = signature(player).parameters
        options = {key: value for key, value in self._options.items() if key in known}
        chosen: Bot = player(**options)
        return chosen


def _offered(native: ModuleType) -> str:
    """The best player that a native module has an engine for."""
    if hasattr(native, "Engine"):
        return "alphabeta"
    return "mcts" if hasattr(native, "Mcts") else "greedy"
