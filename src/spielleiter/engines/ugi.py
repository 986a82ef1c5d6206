"""Engines that speak the Universal Game Interface (docs/reference/ugi.md)."""

from __future__ import annotations

from collections.abc import Iterator

from spielleiter.engines.engine_player import (
    START,
    UNLIMITED,
    EnginePlayer,
    patience,
    read_move,
    seconds_for,
)
from spielleiter.engines.line_process import EngineFailure, LineProcess
from spielleiter.game import Clock, Move, Position

SEED, SEARCH_MOVES = "Seed", "SearchMoves"
"""Options that we set by ourselves if an engine offers them."""


class UgiPlayer(EnginePlayer):
    """An engine of the Universal Game Interface."""

    def _greet(self, engine: LineProcess) -> None:
        engine.send("ugi")
        self._offered = set(_offered(_until(engine, "ugiok", START)))
        for name, value in self._settings(engine):
            engine.send(f"setoption name {name} value {value}")
        _wait_until_ready(engine)

    def _new_game(self, engine: LineProcess, position: Position) -> None:
        engine.send("uginewgame")
        _wait_until_ready(engine)

    def _answer(self, engine: LineProcess, position: Position, clock: Clock) -> Move:
        engine.send(f"position fen {position.text()}")
        engine.send(f"go {self._limits(position, clock)}")
        for line in engine.lines(patience(clock)):
            words = line.split()
            if words[:1] == ["bestmove"]:
                return read_move(position, " ".join(words[1:2]), engine)
        raise EngineFailure(f"{engine.name} gave no bestmove")

    def _settings(self, engine: LineProcess) -> Iterator[tuple[str, str]]:
        if SEED in self._offered:
            yield SEED, str(self._seed)
        if SEARCH_MOVES in self._offered:
            yield SEARCH_MOVES, "true"
        for name, value in self._command.options:
            if name not in self._offered:
                raise EngineFailure(f"{engine.name} has no option {name!r}")
            yield name, value

    def _limits(self, position: Position, clock: Clock) -> str:
        limits = " ".join(_limits(position, clock))
        if SEARCH_MOVES not in self._offered:
            return limits
        moves = " ".join(move.text() for move in position.legal_moves())
        return f"{limits} searchmoves {moves}"


def _limits(position: Position, clock: Clock) -> Iterator[str]:
    seconds = seconds_for(clock)
    if seconds is None and clock.account is None and clock.nodes is None and clock.depth is None:
        seconds = UNLIMITED
    if seconds is not None:
        yield f"movetime {max(1, round(1000 * seconds))}"
    if clock.account is not None:
        left = max(1, round(1000 * clock.account))
        yield from (f"p{seat + 1}time {left}" for seat in range(position.seats))
        if clock.moves_left is not None:
            yield f"movestogo {clock.moves_left}"
    if clock.nodes is not None:
        yield f"nodes {clock.nodes}"
    if clock.depth is not None:
        yield f"depth {clock.depth}"


def _wait_until_ready(engine: LineProcess) -> None:
    engine.send("isready")
    for _ in _until(engine, "readyok", START):
        pass


def _until(engine: LineProcess, word: str, seconds: float) -> Iterator[str]:
    """The lines before one that begins with a word."""
    for line in engine.lines(seconds):
        if line.split()[:1] == [word]:
            return
        yield line


def _offered(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        words = line.split()
        if words[:2] == ["option", "name"] and "type" in words:
            yield " ".join(words[2 : words.index("type")])
