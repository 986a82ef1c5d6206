"""Monte Carlo tree search: the native tree of a game, for wide games and several players."""

from __future__ import annotations

from time import perf_counter

from spielleiter.bots import _levels
from spielleiter.bots._engine import Margin, kind_of, least, native_of, number, searched, warm_up
from spielleiter.bots._lapses import lapse
from spielleiter.errors import UsageError
from spielleiter.game import Bot, Clock, Engine, Move, Position, Report

GAMES = (4, 10, 25, 60, 150, 400, 1_000, 3_000, 10_000)
LEVELS: tuple[_levels.Options, ...] = (*({"simulations": games} for games in GAMES), {})
"""Games played out for each move, from beginner to full strength."""


class Player(Bot):
    """Plays games in its head until the first of its limits; never beyond the clock.

    `time` and `simulations` limit every move; of 1024 moves so many are `overlooked`, and of 1024
    turns so many are `lapses`, played as `greedy` does. `level` 1 … 10 sets them for a weaker
    player; `threads` and `table` (MB) say what the tree may use.
    """

    name = "mcts"

    def __init__(
        self,
        level: int | str = 10,
        time: float | str | None = None,
        simulations: int | str | None = None,
        overlooked: int | str | None = None,
        lapses: int | str | None = None,
        threads: int | str = 1,
        table: int | str = 256,
        seed: int = 0,
    ) -> None:
        self._level = _levels.checked(level)
        self._time = number("time", time, float)
        self._simulations = number("simulations", simulations, int)
        self._overlooked = number("overlooked", overlooked, int)
        self._lapses = number("lapses", lapses, int)
        self._seed = seed
        self._options = {
            "threads": number("threads", threads, int),
            "table": number("table", table, int),
            "seed": seed,
        }
        self._engine: Engine | None = None
        self._kind: tuple[str, str, int] | None = None
        self._margin = Margin()

    def prepare(self, position: Position) -> None:
        """Make the tree before the clock runs."""
        if self._engine is not None and self._kind == kind_of(position):
            self._engine.forget()
        else:
            self._engine, self._kind = self._tree_for(position), kind_of(position)
        warm_up(self._engine, position)

    def begin(self, position: Position, seat: int) -> None:
        """Make the tree, if it is not there yet."""
        self.prepare(position)

    def choose(self, position: Position, clock: Clock) -> Move:
        begun = perf_counter()
        lapses = self._lapses or self._weakness(position)["lapses"]
        at_once = lapse(position, lapses, self._seed) if lapses else None
        return self._think(position, clock, begun).best if at_once is None else at_once

    def _think(self, position: Position, clock: Clock, begun: float) -> Report:
        module = native_of(position)
        if self._engine is None or not isinstance(self._engine, module.Mcts):
            self._engine = self._tree_for(position)
        limits = self._margin.limits(clock, begun)
        limits["time"] = least(self._time, limits["time"])
        games = self._simulations or self._weakness(position)["simulations"]
        limits["simulations"] = least(games, clock.nodes)
        return searched(self._engine, position, limits, self._margin)

    def _tree_for(self, position: Position) -> Engine:
        module = native_of(position)
        if not hasattr(module, "Mcts"):
            raise UsageError(f"{position.edition} has no tree search")
        overlooked = self._overlooked or self._weakness(position)["overlooked"]
        tree: Engine = module.Mcts(**self._options, overlooked=overlooked)
        return tree

    def _weakness(self, position: Position) -> _levels.Options:
        """What the level may use in this game."""
        given = _levels.options(position, self.name, self._level, LEVELS)
        return {"simulations": None, "overlooked": 0, "lapses": 0, **given}
