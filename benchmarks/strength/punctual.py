"""Whether a player answers in time on a busy machine: every move of many games is timed.

    python -m benchmarks.strength.punctual piranhas-2026 --time 0.1 --games 1000 --busy 4 --jobs 2
    python -m benchmarks.strength.punctual reversi --account 3 --games 1000 --busy 4
    python -m benchmarks.strength.punctual blokus-2027 --by contest --time 0.3 --games 1000
    python -m benchmarks.strength.punctual reversi --by course --time 0.3 --games 1000

`--busy` processes do nothing but work meanwhile, and `--jobs` games run at once. The others move by
lot. Three ways to be judged:

- `call`: the time is taken round the player's answer, for every move (`--time`) or, with
  `--account`, for all moves of the game together;
- `contest`: a client on the contest's server, which allows `--time`; the client plans with as much
  less as a real one does (0.2 s), and with a tenth at least;
- `course`: a client on the course's server, which adds `--time` to the account with every request.

One line of JSON for each game kind, which `--store` appends to a file; the exit code says whether
any was late.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import click

from benchmarks.strength.kinds import Kind
from spielleiter import bots
from spielleiter.client import binary, player
from spielleiter.game import Bot, Clock, Outcome

HOST = "127.0.0.1"
WAY = 2.0 - player.SECONDS
"""What a client of the contest leaves for the way there and back."""


@dataclass(slots=True)
class Record:
    """How long the moves of one game took, and how many of them were too late."""

    spent: list[float] = field(default_factory=list)
    late: int = 0
    troubles: list[str] = field(default_factory=list)


class Timed(Bot):
    """A player whose answers are timed."""

    def __init__(self, bot: Bot) -> None:
        self._bot, self.name, self.spent = bot, bot.name, list[float]()

    def prepare(self, position: Any) -> None:
        self._bot.prepare(position)

    def begin(self, position: Any, seat: int) -> None:
        self._bot.begin(position, seat)

    def choose(self, position: Any, clock: Clock) -> Any:
        begin = time.perf_counter()
        try:
            return self._bot.choose(position, clock)
        finally:
            self.spent.append(time.perf_counter() - begin)

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


@contextlib.contextmanager
def course(kind: Kind, limit: float, count: int) -> Iterator[int]:
    """The port of a course server; all games are played on the first map."""
    maps = dict(kind.options).get("map", ("p2_08x08_classic",))
    options = ["-m", maps[0], "-t", str(limit), "-p", "0", "--games", str(count), "-s"]
    with server([f"{kind.edition}-serve", *options]) as said:
        yield int(said().rpartition("number is ")[2].strip(". \n"))


@contextlib.contextmanager
def server(arguments: list[str]) -> Iterator[Callable[[], str]]:
    """A server as process of its own, and its next line that tells a port."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(
            [sys.executable, "-m", "spielleiter", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
        )
        assert process.stdout is not None
        lines = process.stdout
        try:
            yield lambda: next(line for line in lines if re.search(r"[:s] \d+\.$| for ", line))
        finally:
            process.terminate()
            process.communicate()


def joined(kind: Kind, name: str, allowed: float, port: int, seed: int) -> Record:
    """One game of a client on the contest's server, against another that moves by lot."""
    bot, seconds = Timed(bots.load(name, seed=seed)), max(allowed - WAY, allowed / 10)
    enter = partial(player.join, host=HOST, port=port, game=kind.edition)
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(enter, bots.load("random", seed=seed), seconds=None)
        report = enter(bot, seconds=seconds)
        other.result()
    lost = report.outcome.winner not in (None, report.seat)
    irregular = lost and report.position.outcome() is None
    told = [f"after {len(bot.spent)} moves: {report.outcome.reason}"] if irregular else []
    return Record(bot.spent, int(irregular), told)


def attended(kind: Kind, name: str, port: int, seats: int, seed: int) -> Record:
    """One game of a client on the course's server, against others that move by lot."""
    bot = Timed(bots.load(name, seed=seed))
    enter = partial(binary.join, game=kind.game, host=HOST, port=port)
    with ThreadPoolExecutor(seats) as pool:
        others = [pool.submit(enter, bots.load("random", seed=seed)) for _ in range(seats - 1)]
        report = enter(bot, warn=lambda _: None)
        for other in others:
            other.result()
    return Record(bot.spent, int(report.disqualified), list(report.troubles))


# -------------------------------------------------------------------------------------- the command


@click.command()
@click.argument("names", metavar="GAME...", nargs=-1, required=True)
@click.option("--by", type=click.Choice(["call", "contest", "course"]), default="call")
@click.option("--player", "name", default="best", show_default=True)
@click.option("--time", "allowed", type=float, default=0.3, show_default=True, help="For a move.")
@click.option("--account", type=float, help="For all moves together, instead (only with `call`).")
@click.option("--games", "count", type=int, default=1000, show_default=True)
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
    busy: int,
    jobs: int,
    limit: float | None,
    store: Path | None,
) -> None:
    """Play against random moves and look at the clock."""
    late = 0
    for text in names:
        kind = Kind.parse(text)
        with crowd(busy), judged(kind, by, name, allowed, account, count) as play:
            records = list(played(play, count, jobs, text, limit))
        result: dict[str, Any] = {"game": text, "player": name, "by": by, "games": len(records)}
        result |= {"busy": busy, "jobs": jobs, "cores": os.cpu_count()}
        result |= summary(records, allowed if account is None else account)
        late += int(result["late"])
        click.echo(json.dumps(result))
        if store is not None:
            with store.open("a", encoding="utf-8") as file:
                file.write(json.dumps(result) + "\n")
    sys.exit(late > 0)


@contextlib.contextmanager
def judged(
    kind: Kind, by: str, name: str, allowed: float, account: float | None, count: int
) -> Iterator[Play]:
    """What plays one game and says whether the player was in time."""
    if by == "contest":
        with contest(kind, allowed) as port:
            yield partial(joined, kind, name, allowed, port)
    elif by == "course":
        seats = kind.start(random.Random(0)).seats
        with course(kind, allowed, count) as port:
            yield partial(attended, kind, name, port, seats)
    else:
        yield partial(called, kind, name, allowed, account)


def played(
    play: Play, count: int, jobs: int, label: str, limit: float | None = None
) -> Iterator[Record]:
    """The records of all games, with a bar that shows how far they are."""
    begin = time.perf_counter()
    with (
        multiprocessing.get_context("spawn").Pool(jobs) as pool,
        click.progressbar(length=count, label=label, file=sys.stderr) as bar,
    ):
        for record in pool.imap_unordered(play, range(count)):
            yield record
            bar.update(1)
            if limit is not None and time.perf_counter() - begin > limit:
                return


def summary(records: list[Record], allowed: float) -> dict[str, Any]:
    """How the moves lie round the limit."""
    ordered = sorted(seconds for record in records for seconds in record.spent) or [0.0]
    troubles = [trouble for record in records for trouble in record.troubles]
    return {
        "allowed": allowed,
        "moves": len(ordered),
        "late": sum(record.late for record in records),
        "troubles": troubles[:5],
        "longest": round(ordered[-1], 4),
        "overshoot": round(max(0.0, ordered[-1] - allowed), 4),
        "p99": round(ordered[int(0.99 * (len(ordered) - 1))], 4),
        "median": round(ordered[len(ordered) // 2], 4),
    }


@contextlib.contextmanager
def crowd(size: int) -> Iterator[None]:
    """So many processes work meanwhile."""
    spawned = multiprocessing.get_context("spawn")
    processes = [spawned.Process(target=work, daemon=True) for _ in range(size)]
    for process in processes:
        process.start()
    try:
        yield
    finally:
        for process in processes:
            process.terminate()
            process.join()


def work() -> None:
    """As busy as can be, until ended."""
    while True:
        sum(range(10_000))


if __name__ == "__main__":
    command()
