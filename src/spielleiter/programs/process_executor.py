"""Referees games in this process whose players run in separate processes.

The referee and built-in players are here; the others are remote (see `remote_player`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from spielleiter import bots
from spielleiter.engines import is_engine
from spielleiter.errors import UsageError
from spielleiter.game import Bot, Game, Position
from spielleiter.programs.own_files import OwnFiles, own_files
from spielleiter.programs.profiling import UsageMeter, write_graph, write_usage
from spielleiter.programs.program import engine_program, player_files, python_file
from spielleiter.programs.remote_player import PlayerStarter, RemotePlayer
from spielleiter.programs.settings import Setting
from spielleiter.tournament.executor import InterruptedGame, Watcher
from spielleiter.tournament.in_process import InProcessExecutor, LostPlayer
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.player_output import headed
from spielleiter.tournament.record import ContestEntry
from spielleiter.tournament.time_control import TimeControl


class ProcessExecutor:
    """Plays games in which some players have processes of their own."""

    def __init__(
        self,
        game: Game,
        players: dict[str, str | None],
        limits: TimeControl,
        start: Callable[[Opening], Position],
        setting: Setting,
        kept_waiting: Callable[[], float] | None = None,
    ) -> None:
        self._level, self._profile = setting.box.level.text, setting.profile
        self._starter = PlayerStarter(game, setting, limits.patience)
        self._running: dict[str, RemotePlayer] = {}
        self._spare: dict[str, RemotePlayer] = {}
        """For each player a process that waits for the next game: nothing of it is loaded yet."""
        setting = setting.with_foreign(player_files(players.values()))
        factories = {
            name: self._factory(name, text, setting) if text else None
            for name, text in players.items()
        }
        self._executor = InProcessExecutor(start, factories, limits, time.monotonic, kept_waiting)

    @property
    def now(self) -> Callable[[], float]:
        """The clock that is used here."""
        return time.monotonic

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        """One game; its players' processes end with it."""
        try:
            record = self._executor.play(pairing, watcher, past)
            self._write_profiles(pairing)
        finally:
            for player in self._running.values():  # so that they go at the same time
                player.hang_up()
            logs = {name: player.close() for name, player in self._running.items()}
            self._running = {}
        said = "".join(headed(name, each.log) for name, each in logs.items() if each.log)
        before = record.events.seats[: len(past.moves)] if past else ()
        """Who moved before these processes were started."""
        shown = {
            (seat, before.count(seat) + move): annotation
            for seat, name in enumerate(pairing.players)
            for move, annotation in (logs[name].shown if name in logs else {}).items()
        }
        return record.with_log(said, self._level, shown)

    def _write_profiles(self, pairing: Pairing) -> None:
        """Write the profiles of a game, if requested."""
        if self._profile is None:
            return
        for name, player in self._running.items():
            write_graph(self._profile, pairing.key, name, player.graph())
        meters = [each.meter for each in self._running.values() if each.meter is not None]
        moves = [move for meter in meters for move in meter.moves]
        write_usage(self._profile, pairing.key, moves)

    def try_out(self) -> None:
        """Create every player once; raises UsageError with its output if one fails."""
        for name, make in self._executor.players.items():
            if make is None:
                continue
            try:
                make(0)
            except LostPlayer as lost:
                said = self._running[name].close().log.strip()
                raise UsageError(f"{name} cannot be loaded ({lost}):\n{said}") from None
            finally:
                for player in self._running.values():
                    player.close()
                self._running = {}

    def close(self) -> None:
        """End all processes."""
        for player in self._spare.values():
            player.close()
        self._starter.close()

    def _factory(self, name: str, text: str, setting: Setting) -> Callable[[int], Bot]:
        if is_engine(text):
            engine = engine_program(text, setting)
            return partial(self._start, name, engine.text, engine.own, engine.readable)
        file = python_file(text)
        if file is None:
            return bots.factory(text)
        if not file.is_file():
            raise UsageError(f"there is no file {str(file)!r} to take a player from")
        named = text.replace(str(file), str(file.resolve()), 1)
        return partial(self._start, name, named, own_files(file, setting), ())

    def _start(
        self, name: str, text: str, own: OwnFiles, readable: tuple[Path, ...], seed: int
    ) -> Bot:
        spare = self._spare.pop(name, None)
        player = self._running[name] = spare or self._starter.start(text, own, readable)
        self._spare[name] = self._starter.start(text, own, readable)
        player.make(text, seed)
        if self._profile is not None:
            player.meter = UsageMeter(name, player.process)
        return player
