"""Engines that speak the Go Text Protocol, in the dialect that their game's `gtp.py` describes.

That module has `GAME` (the argument of `set_game`), `SETTINGS` (commands that an engine may not
have), `OTHER` (for each colour the one whose pass is said when it moves twice; nobody passes where
it is empty), and the functions `check(position)`, `colour(position)`, `opening(position)` (a move
that the game prescribes and engines do not know, or None), `move(position, text)` and
`plays(before, position)`: colours and moves that lead from one position to the other, or None. The
first position is None there: the board of an engine that was cleared.
"""

from __future__ import annotations

import contextlib
from types import ModuleType

from spielleiter.engines.engine_player import (
    START,
    EnginePlayer,
    patience,
    seconds_for,
    translation,
)
from spielleiter.engines.line_process import EngineFailure, LineProcess
from spielleiter.errors import TextError
from spielleiter.game import Clock, Move, Position


class RefusedCommand(EngineFailure):
    """An engine answered a command with `?`."""


class GtpPlayer(EnginePlayer):
    """An engine of the Go Text Protocol."""

    _board: Position | None = None
    """What the engine has on its board; None: nothing yet."""
    _last = ""
    """Who made the last move there."""

    def _greet(self, engine: LineProcess) -> None:
        self._known = set(_asked(engine, "list_commands", START).split())
        for name, value in self._command.options:
            _asked(engine, f"{name} {value}", START)

    def _new_game(self, engine: LineProcess, position: Position) -> None:
        game = translation(position, "gtp")
        game.check(position)
        if "set_game" in self._known:
            _asked(engine, f"set_game {game.GAME}", START)
        for setting in game.SETTINGS:
            if setting.split()[0] in self._known:
                _asked(engine, setting, START)
        self._clear(engine)

    def _answer(self, engine: LineProcess, position: Position, clock: Clock) -> Move:
        game = translation(position, "gtp")
        prescribed: Move | None = game.opening(position)
        if prescribed is not None:
            return prescribed
        self._follow(engine, game, position)
        colour = game.colour(position)
        self._set_time(engine, colour, clock)
        text = _asked(engine, f"genmove {colour}", patience(clock)).strip()
        return self._read(engine, game, position, text)

    def _read(self, engine: LineProcess, game: ModuleType, position: Position, text: str) -> Move:
        try:
            move: Move = game.move(position, text)
        except TextError as error:
            raise EngineFailure(f"{engine.name} answered {text[:80]!r}: {error.problem}") from None
        if position.why_illegal(move) is None:
            self._board, self._last = position.after(move), game.colour(position)
        return move

    def _follow(self, engine: LineProcess, game: ModuleType, position: Position) -> None:
        """Bring the engine's board up to date, if it can be without clearing it."""
        plays: list[tuple[str, str]] | None = game.plays(self._board, position)
        if plays is None:
            self._clear(engine)
            plays = game.plays(None, position)
        if plays is None:
            raise EngineFailure(f"{engine.name} cannot be told of a game that it did not see")
        for colour, text in plays:
            self._pass_before(engine, game, colour)
            _asked(engine, f"play {colour} {text}", START)
            self._last = colour
        self._pass_before(engine, game, game.colour(position))
        self._board = position

    def _pass_before(self, engine: LineProcess, game: ModuleType, colour: str) -> None:
        """Send a pass for the other colour if a colour moves twice; some engines expect it."""
        if self._last == colour and colour in game.OTHER:
            with contextlib.suppress(RefusedCommand):
                _asked(engine, f"play {game.OTHER[colour]} pass", START)
            self._last = game.OTHER[colour]

    def _clear(self, engine: LineProcess) -> None:
        _asked(engine, "clear_board", START)
        self._board, self._last = None, ""

    def _set_time(self, engine: LineProcess, colour: str, clock: Clock) -> None:
        """The time of the next move, or of the rest of the game, in whole seconds."""
        seconds = seconds_for(clock)
        left, stones = (seconds, 1) if seconds is not None else (clock.account, 0)
        if left is not None and "time_left" in self._known:
            _asked(engine, f"time_left {colour} {max(1, int(left))} {stones}", START)


def _asked(engine: LineProcess, command: str, seconds: float) -> str:
    """What an engine answers to a command; raises EngineFailure if it refuses."""
    engine.send(command)
    answer: list[str] = []
    for line in engine.lines(seconds):
        if answer and not line.strip():
            break
        if line.strip():
            answer.append(line)
    status, _, rest = "\n".join(answer).partition(" ")
    if not status.startswith("="):
        raise RefusedCommand(f"{engine.name} refuses {command[:80]!r}: {' '.join(answer)[:200]}")
    return rest
