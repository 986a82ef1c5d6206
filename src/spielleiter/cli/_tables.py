"""Games between players named by texts, kept in a store: what `match` and `contest` share."""

from __future__ import annotations

import functools
import hashlib
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from socket import gethostname
from typing import TYPE_CHECKING, Any

import click

from spielleiter import bots, games
from spielleiter.errors import StoreError, UsageError
from spielleiter.game import Authority, Game, Position
from spielleiter.programs.program import ZIP, is_program
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import Level
from spielleiter.store import Entry
from spielleiter.tournament.cluster import RayRunner
from spielleiter.tournament.executor import Executor
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import Opening, Result
from spielleiter.tournament.record import check, from_text
from spielleiter.tournament.runner import FinishedGame, Runner
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.time_control import TimeControl
from spielleiter.tournament.units import seconds

if TYPE_CHECKING:
    from spielleiter.store import Store

GAME = "game"


class Seconds(click.ParamType[float]):
    """A time such as `2s`, `500ms` or `1.5`."""

    name = "time"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        try:
            return seconds(str(value))
        except UsageError as error:
            self.fail(str(error), param, ctx)


@dataclass(frozen=True, slots=True)
class Players:
    """Makes the table in each worker: an edition, who the players are, what they may spend."""

    edition: str
    authority: Authority
    players: dict[str, str | None]
    """Name → text; None is a team without a player."""
    limits: TimeControl
    setting: Setting = field(default_factory=Setting)

    @property
    def are_programs(self) -> bool:
        """Whether they are started as programs: all of them, as soon as one of them has to be."""
        texts = [text for text in self.players.values() if text]
        held = self.setting.demanded and self.setting.box.level > Level.NONE
        return any(is_program(text) or (held and bots.FILE in text) for text in texts)

    def __call__(self) -> Executor:
        """Where these players play: in the worker, or on a server in it that programs come to."""
        if self.are_programs:
            from spielleiter.programs.play import Served  # a server and clients: for programs only

            return Served(self.game, self.players, self.limits, self.start, self.setting)
        made = {name: text and bots.factory(text) for name, text in self.players.items()}
        for make in made.values():
            if make:
                make(0)  # wrong options are the caller's mistake, not a lost game
        factories = {name: make or None for name, make in made.items()}
        return InProcessExecutor(self.start, factories, self.limits, time.monotonic, kept_waiting())

    def start(self, opening: Opening) -> Position:
        """The first position of an opening."""
        return self.game.start(opening.seed, **dict(opening.options))

    @property
    def game(self) -> Game:
        """The edition."""
        return _game(self.edition, self.authority)


def kept_waiting() -> Callable[[], float] | None:
    """Tells how long this thread has waited for a processor so far, where the system says so."""
    try:
        file = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        os.pread(file, 1, 0)
    except (OSError, AttributeError):
        return None
    return lambda: int(os.pread(file, 64, 0).split()[1]) / 1e9


@functools.cache
def _game(edition: str, authority: Authority) -> Game:
    return games.load(edition, authority)


def fingerprint(text: str) -> str:
    """What a player is: its text, and what stands now in the files that it names."""
    words = [*text.split(), *(text.partition(end)[0] + end for end in (bots.FILE, ZIP))]
    files = sorted({word for word in words if Path(word).is_file()})
    sums = [hashlib.sha256(Path(file).read_bytes()).hexdigest() for file in files]
    return " ".join([text, *(f"{name}={sum_}" for name, sum_ in zip(files, sums, strict=True))])


def played(store: Store) -> dict[str, Result]:
    """All results that a store holds."""
    results = (from_text(entry.data).result() for entry in store.read(GAME))
    return {result.pairing.key: result for result in results}


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Makes the table on another machine, if the same players stand there in the same folder."""

    players: Players
    folder: str
    prints: dict[str, str]

    @classmethod
    def of(cls, players: Players) -> Elsewhere:
        """These players, as they are here."""
        texts = {name: text for name, text in players.players.items() if text}
        return cls(players, os.getcwd(), {name: fingerprint(text) for name, text in texts.items()})

    def __call__(self) -> Executor:
        """Where these players play there."""
        if not Path(self.folder).is_dir():
            raise UsageError(f"{gethostname()} has no folder {self.folder} with the players")
        os.chdir(self.folder)
        for name, print_ in self.prints.items():
            if fingerprint(self.players.players[name] or "") != print_:
                raise UsageError(f"the files of {name} on {gethostname()} are not those from here")
        return self.players()


@dataclass(frozen=True, slots=True)
class Where:
    """Where games are played, as the command line says."""

    runner: str
    address: str | None
    concurrency: int | None

    def hire(self, players: Players, hands: int | None) -> Runner | RayRunner:
        """Who plays: `hands` games at a time, unless the command line said another number."""
        hands = self.concurrency or hands
        if self.runner == "ray":
            there = Elsewhere.of(players)
            say = functools.partial(click.echo, err=True)
            return RayRunner(there, players.limits.patience, self.address, hands, say)
        if self.address is not None:
            raise UsageError("--address is that of a cluster: it needs --runner ray")
        return Runner(players, hands or cores(), players.limits.patience, time.monotonic)


def where_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """--concurrency, --runner and --address, as one argument `place`."""

    @functools.wraps(function)
    def wired(runner: str, address: str | None, concurrency: int | None, **others: Any) -> Any:
        return function(place=Where(runner, address, concurrency), **others)

    options = [
        click.option(
            "--concurrency", type=click.IntRange(1), help="Games at a time.  [default: cores]"
        ),
        click.option(
            "--runner",
            type=click.Choice(["local", "ray"]),
            default="local",
            show_default=True,
            help="On this machine, or on a Ray cluster.",
        ),
        click.option(
            "--address", help="The cluster's; without it Ray looks for one, or begins one."
        ),
    ]
    for option in reversed(options):
        wired = option(wired)
    return wired


def run(
    schedule: Schedule,
    runner: Runner | RayRunner,
    store: Store,
    known: dict[str, Result],
) -> Iterator[int]:
    """Play what is left; `known` grows by every game that is safe in the store."""

    def keep(done: list[FinishedGame]) -> None:
        store.append([Entry(GAME, each.result.pairing.key, each.text) for each in done])

    yield from runner.run(schedule, known, keep)


def verify(store: Store, start: Callable[[Opening], Position]) -> Iterator[str]:
    """Everything wrong with a store: a broken chain, or games the rules tell otherwise."""
    yield from store.check()
    for entry in store.read(GAME):
        wrong = _wrong(entry, start)
        if wrong is not None:
            yield f"{entry.key}: {wrong}"


def _wrong(entry: Entry, start: Callable[[Opening], Position]) -> str | None:
    try:
        record = from_text(entry.data)
    except StoreError as error:
        return str(error)
    if record.pairing.key != entry.key:
        return f"the record is that of {record.pairing.key}"
    return check(record, start)


def cores() -> int:
    """How many games can be played at once without taking time from each other."""
    return os.cpu_count() or 1
