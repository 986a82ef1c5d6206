"""The base class of players that are external engines."""

from __future__ import annotations

import abc
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

from spielleiter.engines import EngineCommand
from spielleiter.engines.line_process import EngineFailure, LineProcess
from spielleiter.errors import TextError, UsageError
from spielleiter.game import Bot, Clock, Move, Outcome, Position, Seat

START = 30.0
"""Timeout of all commands but a move, in seconds."""
UNLIMITED = 1.0
"""Seconds for a move without a limit."""
_LAG, _LONGEST_LAG = 0.1, 0.1
_PATIENCE = 60.0


class EnginePlayer(Bot):
    """A player for an engine, which is started at once and ends with its game."""

    def __init__(self, command: EngineCommand, seed: int) -> None:
        self.name = Path(command.words[0]).name
        self._command, self._seed = command, seed
        self._process: LineProcess | None = None
        self._engine()

    @abc.abstractmethod
    def _greet(self, engine: LineProcess) -> None:
        """The handshake, before any game."""

    @abc.abstractmethod
    def _new_game(self, engine: LineProcess, position: Position) -> None:
        """Start a game."""

    @abc.abstractmethod
    def _answer(self, engine: LineProcess, position: Position, clock: Clock) -> Move:
        """The move that the engine chooses."""

    def begin(self, position: Position, seat: Seat) -> None:
        """Tell the engine that a game begins."""
        self._new_game(self._engine(), position)

    def choose(self, position: Position, clock: Clock) -> Move:
        """The engine's move, which may be illegal; raises EngineFailure if it gives none."""
        return self._answer(self._engine(), position, clock)

    def end(self, position: Position, outcome: Outcome) -> None:
        """The engine ends with the game; the next one gets a fresh one."""
        if self._process is not None:
            self._process.close()
            self._process = None

    def _engine(self) -> LineProcess:
        if self._process is None:
            self._process = LineProcess(self._command.words)
            self._greet(self._process)
        return self._process


def seconds_for(clock: Clock) -> float | None:
    """The time that an engine gets for a move, less a small margin."""
    if clock.per_move is None:
        return None
    return clock.per_move - min(_LONGEST_LAG, _LAG * clock.per_move)


def patience(clock: Clock) -> float:
    """How long to wait for a move; a referee gives up much earlier."""
    return _PATIENCE + 10 * (clock.per_move or clock.account or UNLIMITED)


def read_move(position: Position, text: str, engine: LineProcess) -> Move:
    """The move that an engine's text means."""
    try:
        return position.move(text)
    except TextError as error:
        raise EngineFailure(f"{engine.name} answered {text[:80]!r}: {error.problem}") from None


def translation(position: Position, protocol: str) -> ModuleType:
    """How a game's moves are written in a protocol: the module of that name in its folder."""
    package = type(position).__module__.rpartition(".")[0]
    if find_spec(f"{package}.{protocol}") is None:
        raise UsageError(f"{position.edition} is not played over {protocol}; use ugi")
    return import_module(f"{package}.{protocol}")
