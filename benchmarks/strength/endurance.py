"""Thousands of games of all kinds: no illegal move, no failure, no late answer.

    python -m benchmarks.strength.endurance --games 10000 --jobs 16 --store FILE

Every edition under both authorities, Reversi on all maps of two, three and four players; random
beginnings; on every seat a built-in player of any kind and level, with a limit of any kind: nodes,
plies, a time for each move, an account for all. What a game is made of follows from its number. One
line of JSON says how it went; the exit code whether anything was wrong. `--store` appends it to a
file, and the next run with that file goes on where the last one ended
(`python -m benchmarks.strength.tally` adds them up).

An answer is late by the clock on the wall. What it had of a processor meanwhile is told, too: a
machine with more to do than it can makes anybody late.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import click

from benchmarks import HELP
from benchmarks.strength import task_pool
from benchmarks.strength.kinds import Kind
from spielleiter import bots, games
from spielleiter.game import AUTHORITIES, Bot, Clock

SHARE = 5
"""Games that a process is handed at once."""


@dataclass(slots=True)
class Played:
    """What a share of the games came to."""

    kinds: Counter[str] = field(default_factory=Counter)
    players: Counter[str] = field(default_factory=Counter)
    plies: int = 0
    timed: int = 0
    """Moves with a limit in time."""
    longest: float = 0.0
    """The part of its time that the slowest of these took."""
    illegal: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)

    def add(self, other: Played) -> None:
        self.kinds += other.kinds
        self.players += other.players
        self.plies += other.plies
        self.timed += other.timed
        self.longest = max(self.longest, other.longest)
        for name in ("illegal", "failed", "late"):
            getattr(self, name).extend(getattr(other, name))

    def faults(self) -> list[str]:
        return [*self.illegal, *self.failed, *self.late]


# ---------------------------------------------------------------------------------- what is played


@cache
def kinds() -> dict[str, Kind]:
    """All there are, by what to call them."""
    found = {}
    for name in games.names():
        for authority in AUTHORITIES:
            for label, options in set_ups(name):
                found[f"{name}{label} ({authority})"] = Kind(name, authority, options)
    return found


def set_ups(name: str) -> Iterator[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]]]:
    """One for each number of players, where the game is played on maps."""
    try:
        maps = games.load(name).part("maps").names()
    except ModuleNotFoundError:
        yield "", ()
        return
    for seats in (2, 3, 4):
        fitting = tuple(each for each in maps if is_playable(name, each, seats))
        yield f", {seats} players", (("map", fitting),)


def is_playable(name: str, chosen: str, seats: int) -> bool:
    start = games.load(name).start(0, map=chosen)
    return bool(start.seats == seats and start.legal_moves())


def player(native: Any, lot: random.Random) -> str:
    """A built-in player of any kind that has something to think with here."""
    able = {"alphabeta": "Engine", "mcts": "Mcts"}
    names = [name for name, part in able.items() if hasattr(native, part)]
    chosen = lot.choice(["best", "best", *names, "level", "level", "greedy", "random"])
    return f"best:level={lot.randint(1, 9)}" if chosen == "level" else chosen


def clock(lot: random.Random) -> Clock:
    """A limit of any kind, small enough for thousands of games."""
    kind = lot.choices(["nodes", "depth", "time", "account"], weights=(4, 2, 1, 1))[0]
    if kind == "time":
        return Clock(per_move=lot.uniform(0.02, 0.05))
    if kind == "account":
        return Clock(account=lot.uniform(0.3, 0.8))
    if kind == "depth":
        return Clock(depth=lot.randint(1, 3), nodes=400, per_move=2.0)
    return Clock(nodes=round(10 ** lot.uniform(0, 2.5)), per_move=2.0)


# -------------------------------------------------------------------------------------- one game


def play(label: str, number: int) -> Played:
    """The game of that number."""
    lot, kind = random.Random(number), kinds()[label]
    position = kind.opening(lot, lot.randint(0, 8))
    names = [player(kind.game.native, lot) for _ in range(position.seats)]
    clocks = [clock(lot) for _ in names]
    played = Played(Counter({label: 1}), Counter(name.partition(":")[0] for name in names))
    where = f"{label} game {number}, {', '.join(names)}"
    try:
        seats = [bots.load(name, seed=number) for name in names]
        for seat, bot in enumerate(seats):
            bot.begin(position.copy(), seat)
        while position.outcome() is None and position.legal_moves():
            if not step(position, seats, clocks, played, where):
                break
    except Exception as problem:
        played.failed.append(f"{where}, ply {position.ply}: {problem!r}")
    return played


def step(position: Any, seats: list[Bot], clocks: list[Clock], played: Played, where: str) -> bool:
    """One move, timed and judged; an account is charged. False if it was illegal."""
    seat = position.to_move()
    given = clocks[seat]
    begin, worked = time.perf_counter(), time.thread_time()
    move = seats[seat].choose(position.copy(), given)
    spent, worked = time.perf_counter() - begin, time.thread_time() - worked
    allowed = given.per_move if given.account is None else given.account
    if allowed is not None:
        played.timed += 1
        played.longest = max(played.longest, spent / max(allowed, 1e-3))
        if spent > allowed:
            took = f"{spent:.4f} of {allowed:.4f} s, {worked:.4f} on a processor"
            played.late.append(f"{where}, ply {position.ply}: {took}")
    if given.account is not None:
        clocks[seat] = replace(given, account=max(0.0, given.account - spent))
    if (mistake := position.why_illegal(move)) is not None:
        played.illegal.append(f"{where}, {move.text()} at {position.text()}: {mistake}")
        return False
    position.play(move)
    played.plies += 1
    return True


def play_share(end: int, first: int) -> Played:
    """Some games one after the other, of those before the end."""
    labels, sum_of_all = tuple(kinds()), Played()
    for number in range(first, min(first + SHARE, end)):
        sum_of_all.add(play(labels[number % len(labels)], number))
    return sum_of_all


# -------------------------------------------------------------------------------------- the command


@click.command(context_settings=HELP)
@click.option("--games", "count", type=int, default=10_000, show_default=True)
@click.option("--first", type=int, help="Number of the first game; without it, none stored yet.")
@click.option("--jobs", type=int, default=os.cpu_count(), show_default=True)
@click.option("--limit", type=float, help="Begin no further games after so many seconds.")
@click.option("--store", type=click.Path(path_type=Path), help="Append the result to this file.")
def command(
    count: int, first: int | None, jobs: int, limit: float | None, store: Path | None
) -> None:
    """Play them all and say what went wrong."""
    if first is None:
        first = task_pool.next_number(line for line in task_pool.stored(store) if "kinds" in line)
    begin, played, end = time.perf_counter(), Played(), first + count
    with click.progressbar(length=count, label="games", file=sys.stderr) as bar:
        shares = range(first, end, SHARE)
        for share in task_pool.done(partial(play_share, end), shares, jobs, limit):
            played.add(share)
            bar.update(share.kinds.total())
    found = result(played, first, jobs, time.perf_counter() - begin)
    click.echo(json.dumps(found))
    for fault in played.faults():
        click.echo(fault, err=True)
    task_pool.keep(store, [found])
    sys.exit(bool(played.faults()))


def result(played: Played, first: int, jobs: int, seconds: float) -> dict[str, Any]:
    """The numbers that count, and the first faults."""
    return {
        "games": played.kinds.total(),
        "first": first,
        "begun": played.kinds.total(),
        "plies": played.plies,
        "illegal": len(played.illegal),
        "failed": len(played.failed),
        "late": len(played.late),
        "timed_moves": played.timed,
        "longest_part_of_the_time": round(played.longest, 3),
        "jobs": jobs,
        **task_pool.machine(),
        "seconds": round(seconds),
        "faults": played.faults()[:20],
        "kinds": dict(sorted(played.kinds.items())),
        "seats": dict(sorted(played.players.items())),
    }


if __name__ == "__main__":
    command()
