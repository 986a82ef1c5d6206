"""The base class of players with a native engine: options, level and engine."""

from __future__ import annotations

import abc
from time import perf_counter
from typing import Any, ClassVar

from spielleiter.bots import _levels
from spielleiter.bots._engine import Margin, kind_of, least, native_of, number, searched, warm_up
from spielleiter.bots._lapses import guess, lapse
from spielleiter.errors import UsageError
from spielleiter.game import Bot, Clock, Engine, Move, Position, Report


class NativePlayer(Bot):
    """Searches with an engine of the game until the first of its limits; never beyond the clock."""

    engine: ClassVar[str]
    """The name of the engine in a game's native module."""
    method: ClassVar[str]
    """Its name in messages if a game has none."""
    levels: ClassVar[tuple[_levels.Options, ...]]
    """What each level may use, if the game says nothing else."""

    def __init__(
        self,
        level: int | str,
        time: float | str | None,
        overlooked: int | str | None,
        lapses: int | str | None,
        guesses: int | str | None,
        threads: int | str,
        table: int | str,
        seed: int,
    ) -> None:
        self._level = _levels.checked(level)
        self._time = number("time", time, float)
        self._overlooked = number("overlooked", overlooked, int)
        self._lapses = number("lapses", lapses, int)
        self._guesses = number("guesses", guesses, int)
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
        self.report: Report | None = None
        """What the last search found; a lapse is no search."""

    @abc.abstractmethod
    def _own_limits(self, clock: Clock) -> dict[str, Any]:
        """What limits a move besides time."""

    def prepare(self, position: Position) -> None:
        """Make the engine before the clock runs."""
        warm_up(self._make(position), position)

    def begin(self, position: Position, seat: int) -> None:
        """Make the engine, if it is not there yet."""
        self.prepare(position)

    def choose(self, position: Position, clock: Clock) -> Move:
        """The move that the engine finds or, in a lapse or a guess, one without search."""
        begun = perf_counter()
        engine = self._engine
        if engine is None or not isinstance(engine, self._engine_of(position)):
            engine = self._make(position)
        self.report = None
        at_once = self._unsearched(position)
        if at_once is not None:
            return at_once
        limits = self._margin.limits(clock, begun)
        limits |= {"time": least(self._time, limits["time"]), **self._own_limits(clock)}
        self.report = searched(engine, position, limits, self._margin)
        return self.report.best

    def _unsearched(self, position: Position) -> Move | None:
        """The move of a guess or a lapse, if a weak player has one here."""
        guesses = self._guesses or self._weakness.get("guesses", 0)
        lapses = self._lapses or self._weakness.get("lapses", 0)
        found = guess(position, guesses, self._seed) if guesses else None
        if found is None and lapses:
            found = lapse(position, lapses, self._seed)
        return found

    def _make(self, position: Position) -> Engine:
        """The engine for games like this; reuses the present one if it fits."""
        kind = kind_of(position)
        if self._engine is not None and kind == self._kind:
            self._engine.forget()
            return self._engine
        self._kind = kind
        self._weakness = _levels.options(position, self.name, self._level, self.levels)
        overlooked = self._overlooked or self._weakness.get("overlooked", 0)
        made: Engine = self._engine_of(position)(**self._options, overlooked=overlooked)
        self._engine = made
        return made

    def _engine_of(self, position: Position) -> Any:
        found = getattr(native_of(position), self.engine, None)
        if found is None:
            raise UsageError(f"{position.edition} has no {self.method}")
        return found
