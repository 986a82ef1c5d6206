"""Alpha-beta search: the native engine of a game, as strong as time or level allow."""

from __future__ import annotations

from time import perf_counter
from typing import Any

from spielleiter.bots import _levels
from spielleiter.bots._engine import Margin, kind_of, least, native_of, number, searched, warm_up
from spielleiter.bots._lapses import lapse
from spielleiter.errors import UsageError
from spielleiter.game import Bot, Clock, Engine, Move, Position

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
"""From beginner to full strength: how far ahead, how much, and how many of 1024 moves are missed.
Weak players see little of the board and nothing of the future, as people do: they overlook moves,
their own and the opponent's, and look few moves ahead."""


class Player(Bot):
    """Searches until the first of its limits; never beyond the clock.

    `time`, `nodes` and `depth` limit every move; of 1024 moves so many are `overlooked`, and of
    1024 turns so many are `lapses`, played as `greedy` does. `level` 1 … 10 sets them for a weaker
    player; `threads` and `table` (MB) say what the engine may use.
    """

    name = "alphabeta"

    def __init__(
        self,
        level: int | str = 10,
        time: float | str | None = None,
        nodes: int | str | None = None,
        depth: int | str | None = None,
        overlooked: int | str | None = None,
        lapses: int | str | None = None,
        threads: int | str = 1,
        table: int | str = 64,
        seed: int = 0,
    ) -> None:
        self._level = _levels.checked(level)
        self._time = number("time", time, float)
        self._nodes = number("nodes", nodes, int)
        self._depth = number("depth", depth, int)
        self._overlooked = number("overlooked", overlooked, int)
        self._lapses = number("lapses", lapses, int)
        self._seed = seed
        self._options = {
            "threads": number("threads", threads, int),
            "table": number("table", table, int),
            "seed": seed,
        }
        self._weakness: _levels.Options = {}
        self._engine: Engine | None = None
        self._kind: tuple[str, str, int] | None = None
        self._margin = Margin()

    def prepare(self, position: Position) -> None:
        """Make the engine before the clock runs."""
        warm_up(self._make(position), position)

    def begin(self, position: Position, seat: int) -> None:
        """Make the engine, if it is not there yet."""
        self.prepare(position)

    def _make(self, position: Position) -> Engine:
        kind = kind_of(position)
        if self._engine is not None and kind == self._kind:
            self._engine.forget()
            return self._engine
        self._kind = kind
        self._weakness = _levels.options(position, self.name, self._level, LEVELS)
        overlooked = self._overlooked or self._weakness.get("overlooked", 0)
        self._engine = engine_for(position, {**self._options, "overlooked": overlooked})
        return self._engine

    def choose(self, position: Position, clock: Clock) -> Move:
        begun = perf_counter()
        engine = self._engine
        if engine is None or not isinstance(engine, native_of(position).Engine):
            engine = self._make(position)
        lapses = self._lapses or self._weakness.get("lapses", 0)
        at_once = lapse(position, lapses, self._seed) if lapses else None
        if at_once is not None:
            return at_once
        return searched(engine, position, self._limits(clock, begun), self._margin).best

    def _limits(self, clock: Clock, begun: float) -> dict[str, Any]:
        limits = self._margin.limits(clock, begun)
        return {
            **limits,
            "time": least(self._time, limits["time"]),
            "nodes": least(self._nodes or self._weakness.get("nodes"), clock.nodes),
            "depth": least(self._depth or self._weakness.get("depth"), clock.depth),
        }


def engine_for(position: Position, options: dict[str, Any]) -> Engine:
    """A new engine of the position's game."""
    module = native_of(position)
    if not hasattr(module, "Engine"):
        raise UsageError(f"{position.edition} has no alpha-beta engine")
    engine: Engine = module.Engine(**options)
    return engine
