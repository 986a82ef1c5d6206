"""Players named by texts, and their executor in each worker."""

from __future__ import annotations

import functools
import hashlib
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from socket import gethostname

from spielleiter import bots, games
from spielleiter.engines import engine_command, is_engine
from spielleiter.errors import UsageError
from spielleiter.game import Authority, Game, Position
from spielleiter.programs.archive import ZIP
from spielleiter.programs.process_executor import ProcessExecutor
from spielleiter.programs.program import is_apart, is_program, program_name
from spielleiter.programs.settings import Isolation, Setting
from spielleiter.stalls import stall_log
from spielleiter.tournament.executor import Executor, InterruptedGame, Watcher
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.record import ContestEntry
from spielleiter.tournament.time_control import TimeControl, time_control

QUICK = 0.1
"""Default seconds per move between built-in players."""


@dataclass(frozen=True, slots=True)
class Players:
    """Makes the executor in each worker: an edition, its players and time control."""

    edition: str
    authority: Authority
    players: dict[str, str | None]
    """Name → text; None is a team without a player."""
    limits: TimeControl
    setting: Setting = field(default_factory=Setting)
    positions: tuple[str, ...] = ()
    """Start positions, by the seed of the opening; none: those of the edition."""

    @property
    def isolation(self) -> Isolation:
        """Where players run; if one must be a program, all are."""
        texts = [text for text in self.players.values() if text]
        if any(map(is_program, texts)):
            return Isolation.SERVED
        if not any(map(is_apart, texts)):
            return Isolation.OURS
        return Isolation.TRUSTED if self.setting.trust_files else Isolation.SEPARATE

    def __call__(self) -> Executor:
        """The executor: in the worker, in separate processes, or on a server."""
        match self.isolation:
            case Isolation.SERVED:
                return self._on_a_server()
            case Isolation.SEPARATE:
                return self.separate()
            case Isolation.TRUSTED:
                return TrustedExecutor(self._in_process())
            case Isolation.OURS:
                return self._in_process()

    def _on_a_server(self) -> Executor:
        from spielleiter.programs.server_executor import ServerExecutor  # most workers need none

        return ServerExecutor(self.game, self.players, self.limits, self.start, self.setting)

    def separate(self) -> ProcessExecutor:
        """An executor with a separate process for every Python file."""
        return ProcessExecutor(
            self.game, self.players, self.limits, self.start, self.setting, kept_waiting()
        )

    def try_out(self) -> None:
        """Create every player once in a separate process; raises UsageError if one fails."""
        place = self.separate()
        try:
            place.try_out()
        finally:
            place.close()

    def _in_process(self) -> InProcessExecutor:
        made = {name: text and bots.factory(text) for name, text in self.players.items()}
        for make in made.values():
            if make:
                make(0)  # wrong options are the caller's mistake, not a lost game
        factories = {name: make or None for name, make in made.items()}
        return InProcessExecutor(self.start, factories, self.limits, time.monotonic, kept_waiting())

    def start(self, opening: Opening) -> Position:
        """The first position of an opening."""
        if self.positions:
            return self.game.parse(self.positions[opening.seed])
        return self.game.start(opening.seed, **dict(opening.options))

    @property
    def game(self) -> Game:
        """The edition."""
        return _game(self.edition, self.authority)


@dataclass(frozen=True, slots=True)
class TrustedExecutor:
    """Runs players' files in our own process; records note that."""

    executor: InProcessExecutor

    @property
    def now(self) -> Callable[[], float]:
        """The clock that is used here."""
        return self.executor.now

    def play(
        self, pairing: Pairing, watcher: Watcher | None = None, past: InterruptedGame | None = None
    ) -> ContestEntry:
        """One game."""
        return replace(self.executor.play(pairing, watcher, past), sandbox=Isolation.TRUSTED.value)


def kept_waiting() -> Callable[[], float]:
    """Returns a function that measures how long this thread could not run.

    It counts waiting for a processor, where the system reports that, and stalls.
    """
    gaps = stall_log()
    try:
        file = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        os.pread(file, 1, 0)
    except (OSError, AttributeError):
        return lambda: gaps.total
    return lambda: int(os.pread(file, 64, 0).split()[1]) / 1e9 + gaps.total


@functools.cache
def _game(edition: str, authority: Authority) -> Game:
    return games.load(edition, authority)


def named_players(texts: Sequence[str]) -> dict[str, str | None]:
    """A unique name for every player: repeated ones get a number, commands are shortened."""
    named: dict[str, str | None] = {}
    for text in texts:
        short = program_name(text) if is_program(text) or is_engine(text) else text
        copies = sum(name.partition(" #")[0] == short for name in named)
        named[f"{short} #{copies + 1}" if copies else short] = text
    return named


def match_limits(
    texts: Sequence[str], per_move: float | None, nodes: int | None, patience: float | None
) -> TimeControl:
    """The time control of a match; the default is the contest's time or, between built-in players
    only, `QUICK`."""
    built_in = all(text.partition(":")[0] in bots.names() for text in texts)
    if per_move is None and nodes is None and built_in:
        per_move = QUICK
    return time_control(per_move, nodes, patience)


def fingerprint(text: str) -> str:
    """A hash of a player: its text and the current content of its files."""
    command = engine_command(text).words if is_engine(text) else text.split()
    words = [*command, *(text.partition(end)[0] + end for end in (bots.FILE, ZIP))]
    files = sorted({word for word in words if Path(word).is_file()})
    sums = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
    return " ".join([text, *(f"{name}={sum_}" for name, sum_ in zip(files, sums, strict=True))])


@dataclass(frozen=True, slots=True)
class RemotePlayers:
    """Makes the executor on another machine, if the same players are there in the same folder."""

    players: Players
    folder: str
    prints: dict[str, str]

    @classmethod
    def of(cls, players: Players) -> RemotePlayers:
        """These players, as they are here."""
        texts = {name: text for name, text in players.players.items() if text}
        return cls(players, os.getcwd(), {name: fingerprint(text) for name, text in texts.items()})

    def __call__(self) -> Executor:
        """The executor on that machine."""
        if not Path(self.folder).is_dir():
            raise UsageError(f"{gethostname()} has no folder {self.folder} with the players")
        os.chdir(self.folder)
        for name, print_ in self.prints.items():
            if fingerprint(self.players.players[name] or "") != print_:
                raise UsageError(f"the files of {name} on {gethostname()} are not those from here")
        return self.players()
