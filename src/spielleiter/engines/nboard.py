"""Engines that speak version 2 of the NBoard protocol, as Othello engines do.

The module `nboard.py` of a game's folder has `check(position)`, `game(position)` (the position as
GGF) and `move(position, text)`. The protocol has no clock: an engine is told a depth, 10 unless the
option `depth` says otherwise, and the time that is left by the GGF.
"""

from __future__ import annotations

from spielleiter.engines.engine_player import START, EnginePlayer, patience, translation
from spielleiter.engines.line_process import EngineFailure, LineProcess
from spielleiter.errors import TextError
from spielleiter.game import Clock, Move, Position

_DEPTH = 10


class NBoardPlayer(EnginePlayer):
    """An engine of the NBoard protocol."""

    def _greet(self, engine: LineProcess) -> None:
        self._pings = 0
        options = dict(self._command.options)
        depth = options.pop("depth", str(_DEPTH))
        if options:
            raise EngineFailure(f"{engine.name}: nboard has the option depth, no {min(options)!r}")
        engine.send("nboard 2")
        engine.send(f"set depth {depth}")
        self._synchronise(engine)

    def _new_game(self, engine: LineProcess, position: Position) -> None:
        game = translation(position, "nboard")
        game.check(position)
        engine.send(f"set game {game.game(position)}")
        self._synchronise(engine)

    def _answer(self, engine: LineProcess, position: Position, clock: Clock) -> Move:
        game = translation(position, "nboard")
        engine.send(f"set game {game.game(position, clock.per_move or clock.account)}")
        self._synchronise(engine)
        engine.send("go")
        for line in engine.lines(patience(clock)):
            if line.startswith("==="):
                return self._read(
                    engine, position, line.removeprefix("===").replace("/", " ").split()
                )
        raise EngineFailure(f"{engine.name} gave no move")

    def _read(self, engine: LineProcess, position: Position, words: list[str]) -> Move:
        text = " ".join(words[:1])
        try:
            move: Move = translation(position, "nboard").move(position, text)
        except TextError as error:
            raise EngineFailure(f"{engine.name} answered {text[:80]!r}: {error.problem}") from None
        return move

    def _synchronise(self, engine: LineProcess) -> None:
        """Skip output about an earlier position by waiting for a pong."""
        self._pings += 1
        engine.send(f"ping {self._pings}")
        for line in engine.lines(START):
            if line.split()[:2] == ["pong", str(self._pings)]:
                return
