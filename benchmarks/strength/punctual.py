"""Whether a player answers in time on a busy machine: every move of many games is timed.

    python -m benchmarks.strength.punctual piranhas-2026 blokus-2027 --time 0.1 --games 2000
    python -m benchmarks.strength.punctual reversi --account 3 --games 1000 --busy 4 --jobs 2
    python -m benchmarks.strength.punctual blokus-2027 --by contest --time 0.3 --games 1000
    python -m benchmarks.strength.punctual reversi --by course --time 0.3 --games 1000

`--busy` processes do nothing but work meanwhile, each on a processor of its own as far as there are
enough (where the system can hold processes there), and `--jobs` games run at once, of all the games
named in turn. The others move by lot. Three ways to be judged:

- `call`: the time is taken round the player's answer, for every move (`--time`) or, with
  `--account`, for all moves of the game together;
- `contest`: a client on the contest's server, which allows `--time`; the client plans with as much
  less as a real one does (0.2 s), and with a tenth at least;
- `course`: a client on the course's server, which adds `--time` to the account with every request;
  clients of games that run at once meet as they come.

Every client is a process of its own, as in a contest. Of the contest's clients `slowest` says where
the time of the slowest request went; so do the `troubles` of a game that was lost on time.

One line of JSON for each game kind, which `--store` appends to a file; the next run with that file
goes on with other games (`python -m benchmarks.strength.tally` adds them up). The exit code says
whether any answer was late, or a player failed.
"""

from __future__ import annotations

import contextlib
import functools
import json
import multiprocessing
import multiprocessing.util
import os
import queue
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from multiprocessing.pool import AsyncResult, Pool
from pathlib import Path
from typing import IO, Any

import click

from benchmarks import HELP
from benchmarks.strength import task_pool
from benchmarks.strength.kinds import Kind
from spielleiter import bots
from spielleiter.client import binary, player, seasons
from spielleiter.client.budget import WAY
from spielleiter.client.connection import Session
from spielleiter.game import Bot, Clock, Outcome
from spielleiter.protocol.dialect import ANY, Dialect
from spielleiter.protocol.lobby import Join, Message

HOST = "127.0.0.1"
_BEFORE_POOLS = 20
"""When a process ends: sooner than its pools end by themselves, which then complain."""


@dataclass(slots=True)
class Timeline:
    """One request on its way through a client, by the clock that all processes share."""

    arrived: float
    """As the system says, before anybody had a processor to read it."""
    read: float
    called: float = 0.0
    """When the bot was called; 0 if it was given up before."""
    returned: float = 0.0
    written: float = 0.0
    """When an answer had left; 0 if none did."""

    @property
    def total(self) -> float:
        """Seconds that the client had it; the server may charge no more than that."""
        return max(self.read, self.called, self.returned, self.written) - self.arrived

    def __str__(self) -> str:
        moments = {
            "to be read": self.read,
            "until the bot was called": self.called,
            "in choose": self.returned,
            "until an answer had left": self.written,
        }
        parts, last = list[str](), self.arrived
        for name, at in sorted(moments.items(), key=lambda each: each[1]):
            if at:
                parts.append(f"{1000 * (at - last):.0f} ms {name}")
                last = at
        return f"{1000 * self.total:.0f} ms in the client: {', '.join(parts)}"


@dataclass(slots=True)
class Record:
    """How long the moves of one game took, and how many of them were too late."""

    spent: list[float] = field(default_factory=list)
    late: int = 0
    troubles: list[str] = field(default_factory=list)
    failed: bool = False
    """The game broke off, be it for an illegal move."""
    slowest: Timeline | None = None
    """The request that was longest in the client, where that was measured."""


class TracedSession(Session):
    """A connection that notes when requests came and their answers left."""

    def __init__(self, sock: socket.socket, dialect: Dialect = ANY) -> None:
        super().__init__(sock, dialect)
        self.timelines: list[Timeline] = []

    def awake(self) -> float:
        """The client asks this first of all when it has read a request."""
        waited, now = super().awake(), time.monotonic()
        if not self.timelines or self.timelines[-1].written:
            self.timelines.append(Timeline(now - waited, now))
        return waited

    def send(self, *messages: Message) -> None:
        super().send(*messages)
        if self.timelines and not self.timelines[-1].written:
            self.timelines[-1].written = time.monotonic()


class Timed(Bot):
    """A player whose answers are timed."""

    def __init__(self, bot: Bot, session: TracedSession | None = None) -> None:
        self._bot, self.name, self.spent = bot, bot.name, list[float]()
        self._session = session

    def prepare(self, position: Any) -> None:
        self._bot.prepare(position)

    def begin(self, position: Any, seat: int) -> None:
        self._bot.begin(position, seat)

    def choose(self, position: Any, clock: Clock) -> Any:
        timeline = None if self._session is None else self._session.timelines[-1]
        if timeline is not None:
            timeline.called = time.monotonic()
        begin = time.perf_counter()
        try:
            return self._bot.choose(position, clock)
        finally:
            self.spent.append(time.perf_counter() - begin)
            if timeline is not None:
                timeline.returned = time.monotonic()

    def end(self, position: Any, outcome: Outcome) -> None:
        self._bot.end(position, outcome)


Play = Callable[[int], Record]


# --------------------------------------------------------------------------------- without a server


def called(kind: Kind, name: str, allowed: float, account: float | None, seed: int) -> Record:
    """One game of the player on a seat drawn by lot; the others move by lot."""
    lot = random.Random(seed)
    position, bot = kind.start(lot), Timed(bots.load(name, seed=seed))
    seat, left, record = lot.randrange(position.seats), account, Record()
    bot.begin(position.copy(), seat)
    while position.outcome() is None and position.legal_moves():
        if position.to_move() != seat:
            position.play(lot.choice(position.legal_moves()))
            continue
        clock = Clock(per_move=allowed) if left is None else Clock(account=left)
        position.play(bot.choose(position.copy(), clock))
        left = None if left is None else left - bot.spent[-1]
        record.late += bot.spent[-1] > allowed if left is None else left < 0
    record.spent = bot.spent
    return record


# ------------------------------------------------------------------------------------ with a server


@contextlib.contextmanager
def contest(kind: Kind, soft: float) -> Iterator[int]:
    """The port of a contest server."""
    options = ["--port", "0", "--soft", str(soft), "--authority", kind.authority]
    with server(["serve", kind.edition, *options]) as said:
        yield int(said().split(" for ")[0].rpartition(":")[2])


Board = tuple[int, int]
"""A port, and how many play there."""


@contextlib.contextmanager
def course(kind: Kind, limit: float, count: int) -> Iterator[list[Board]]:
    """A course server with all maps side by side."""
    maps = dict(kind.options).get("map", ("p2_08x08_classic",))
    options = [option for name in maps for option in ("-m", name)]
    options += ["-t", str(limit), "-p", "0", "--games", str(count), "-s", "--no-log"]
    with server([f"{kind.edition}-serve", *options]) as said:
        ports = [int(said().rpartition("number is ")[2].strip(". \n")) for _ in maps]
        yield [
            (port, kind.game.start(0, map=name).seats)
            for port, name in zip(ports, maps, strict=True)
        ]


@contextlib.contextmanager
def server(arguments: list[str]) -> Iterator[Callable[[], str]]:
    """A server as process of its own, and its next line that tells a port.

    What it says later is thrown away, or it would wait for somebody to read it.
    """
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "spielleiter", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
        )
        assert process.stdout is not None
        ports: queue.SimpleQueue[str] = queue.SimpleQueue()
        reader = threading.Thread(target=find_ports, args=(process.stdout, ports))
        reader.start()
        try:
            yield partial(ports.get, timeout=60)
        finally:
            process.terminate()
            process.wait()
            reader.join()


def find_ports(lines: IO[str], ports: queue.SimpleQueue[str]) -> None:
    """Pass on the lines that tell where a server listens."""
    with lines:
        for line in lines:
            if re.search(r"[:s] \d+\.$| for ", line):
                ports.put(line)


def joined(kind: Kind, name: str, allowed: float, port: int, seed: int) -> Record:
    """One game of a client on the contest's server, against another that moves by lot."""
    seconds, chosen = max(allowed - WAY, allowed / 10), seasons.named(kind.edition, "document")
    enter = partial(player.join, host=HOST, port=port, game=kind.edition)
    loaded = bots.load(name, seed=seed)
    loaded.prepare(kind.game.start(0))
    (other,) = moving_by_lot(partial(enter, seconds=None), 1, seed)
    with TracedSession.open(HOST, port) as session:
        bot = Timed(loaded, session)
        entrance = Join(chosen.wire.game_type)
        report = player.play(bot, session, entrance, seconds=seconds, limit=allowed)
    other.get()
    lost = report.outcome.winner not in (None, report.seat)
    ended = report.position is not None and report.position.outcome() is not None
    told = [f"after {len(bot.spent)} moves: {report.outcome.reason}"]
    told += [f"the last request was {each}" for each in session.timelines[-1:]]
    slowest = max(session.timelines, key=lambda each: each.total, default=None)
    irregular = lost and not ended
    return Record(bot.spent, int(irregular), told if irregular else [], slowest=slowest)


def attended(kind: Kind, name: str, boards: Sequence[Board], seed: int) -> Record:
    """One game of a client on the course's server, against others that move by lot."""
    bot, (port, seats) = Timed(bots.load(name, seed=seed)), boards[seed % len(boards)]
    enter = partial(attend, kind, port)
    others = moving_by_lot(enter, seats - 1, seed)
    report = enter(bot, warn=lambda _: None)
    for other in others:
        other.get()
    return Record(bot.spent, int(report.disqualified), list(report.troubles))


def attend(kind: Kind, port: int, bot: Bot, **how: Any) -> binary.BinaryReport:
    """One game of a client on the course's server; a kind travels to other processes."""
    return binary.join(bot, kind.game, HOST, port, **how)


def moving_by_lot(enter: Callable[..., Any], count: int, seed: int) -> list[AsyncResult[None]]:
    """So many clients that move by lot, in processes of their own as in a contest."""
    return [opponents(count).apply_async(entering, (enter, seed)) for _ in range(count)]


def entering(enter: Callable[..., Any], seed: int) -> None:
    """One game of a client that moves by lot."""
    enter(bots.load("random", seed=seed))


@functools.cache
def opponents(count: int) -> Pool:
    """The processes of the other clients, which stay from game to game until this one ends."""
    pool = multiprocessing.get_context("spawn").Pool(count)
    multiprocessing.util.Finalize(None, pool.terminate, exitpriority=_BEFORE_POOLS)
    return pool


# -------------------------------------------------------------------------------------- the command


@click.command(context_settings=HELP)
@click.argument("names", metavar="GAME...", nargs=-1, required=True)
@click.option("--by", type=click.Choice(["call", "contest", "course"]), default="call")
@click.option("--player", "name", default="best", show_default=True)
@click.option("--time", "allowed", type=float, default=0.3, show_default=True, help="For a move.")
@click.option("--account", type=float, help="For all moves together, instead (only with `call`).")
@click.option("--games", "count", type=int, default=1000, show_default=True)
@click.option("--first", type=int, help="Number of the first game; without it, none stored yet.")
@click.option("--busy", type=int, default=4, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True)
@click.option("--limit", type=float, help="Begin no further game after so many seconds.")
@click.option("--store", type=click.Path(path_type=Path), help="Append the results to this file.")
def command(
    names: tuple[str, ...],
    by: str,
    name: str,
    allowed: float,
    account: float | None,
    count: int,
    first: int | None,
    busy: int,
    jobs: int,
    limit: float | None,
    store: Path | None,
) -> None:
    """Play against random moves and look at the clock."""
    setting: dict[str, Any] = {"player": name, "by": by, "account": account is not None}
    setting["allowed"] = allowed if account is None else account
    alike = [line for line in task_pool.stored(store) if setting.items() <= line.items()]
    first = task_pool.next_number(alike) if first is None else first
    with contextlib.ExitStack() as stack:
        judges = {
            text: stack.enter_context(judged(Kind.parse(text), by, name, allowed, account, count))
            for text in names
        }
        stack.enter_context(crowd(busy))
        records = played(judges, range(first, first + count), jobs, limit)
    begun = sum(map(len, records.values()))
    setting |= {"first": first, "begun": begun, "busy": busy, "jobs": jobs, **task_pool.machine()}
    results = [
        {"game": text, **setting, **summary(records[text], setting["allowed"])} for text in names
    ]
    click.echo("\n".join(map(json.dumps, results)))
    task_pool.keep(store, results)
    sys.exit(any(result["late"] or result["failed"] for result in results))


@contextlib.contextmanager
def judged(
    kind: Kind, by: str, name: str, allowed: float, account: float | None, count: int
) -> Iterator[Play]:
    """What plays one game and says whether the player was in time."""
    if by == "contest":
        with contest(kind, allowed) as port:
            yield partial(joined, kind, name, allowed, port)
    elif by == "course":
        with course(kind, allowed, count) as boards:
            yield partial(attended, kind, name, boards)
    else:
        yield partial(called, kind, name, allowed, account)


def played(
    judges: dict[str, Play], numbers: range, jobs: int, limit: float | None = None
) -> dict[str, list[Record]]:
    """The records of all games, with a bar that shows how far they are."""
    records: dict[str, list[Record]] = {text: [] for text in judges}
    with click.progressbar(length=len(numbers), label="games", file=sys.stderr) as bar:
        for text, record in task_pool.done(partial(one_of, judges), numbers, jobs, limit):
            records[text].append(record)
            bar.update(1)
    return records


def one_of(judges: dict[str, Play], number: int) -> tuple[str, Record]:
    """The game of that number: kinds take turns. A player that fails has lost it."""
    text = tuple(judges)[number % len(judges)]
    try:
        return text, judges[text](number // len(judges))
    except Exception as problem:
        return text, Record(troubles=[f"game {number}: {problem!r}"], failed=True)


def summary(records: list[Record], allowed: float) -> dict[str, Any]:
    """How the moves lie round the limit."""
    ordered = sorted(seconds for record in records for seconds in record.spent) or [0.0]
    troubles = [trouble for record in records for trouble in record.troubles]
    traced = [record.slowest for record in records if record.slowest is not None]
    return {
        "games": len(records),
        "moves": sum(len(record.spent) for record in records),
        "late": sum(record.late for record in records),
        "failed": sum(record.failed for record in records),
        "troubles": troubles[:5],
        "longest": round(ordered[-1], 4),
        "overshoot": round(max(0.0, ordered[-1] - allowed), 4),
        "p99": round(ordered[int(0.99 * (len(ordered) - 1))], 4),
        "median": round(ordered[len(ordered) // 2], 4),
        **({"slowest": str(max(traced, key=lambda each: each.total))} if traced else {}),
    }


@contextlib.contextmanager
def crowd(size: int) -> Iterator[None]:
    """So many processes work meanwhile."""
    spawned = multiprocessing.get_context("spawn")
    processes = [spawned.Process(target=work, args=(at,), daemon=True) for at in range(size)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
            process.join()


def work(number: int) -> None:
    """As busy as can be, on the processor of that number, until ended or left alone."""
    if hasattr(os, "sched_setaffinity"):
        usable = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {usable[number % len(usable)]})
    parent = multiprocessing.parent_process()
    while parent is None or parent.is_alive():
        sum(range(1_000_000))


if __name__ == "__main__":
    command()
