"""Matches of an engine against another program: paired openings, seats swapped, time measured.

    python -m benchmarks.strength.rivals blokus-2021 --rival "pentobi-adapter --level 7" \\
        --time 1.5 --pairs 10 --jobs 4 --games games.jsonl

The program is asked in lines and answers in lines; one that speaks otherwise needs an adapter:

    new EDITION POSITION     a game begins at this position (our notation); no answer
    play MOVE                somebody's move, also its own; no answer
    go SECONDS               its move, please; the answer is one line: the move

`--time` is what our engine may spend on a move (or `--nodes`). The winner is who has won by our
rules. A line of JSON sums the match up, with the mean seconds of a move of either side and their
mean processor seconds of a game, which are what to compare on a busy machine (the rival's end with
its adapter's; 0 where the system does not tell); `--games` keeps a line for every game, with all
moves and what each of them cost.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import random
import shlex
import statistics
import subprocess
import time
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, get_args

import click

from benchmarks import HELP
from benchmarks.strength import task_pool
from benchmarks.strength.match import Tally, elo
from spielleiter import games
from spielleiter.errors import PeerError
from spielleiter.game import Authority


@dataclass(frozen=True, slots=True)
class Terms:
    """What a match is played for and with."""

    game: str
    authority: Authority
    rival: str
    rival_time: float
    limits: dict[str, float]
    """Of our searches: `time` or `nodes`."""
    options: dict[str, Any]
    plies: int
    seed: int
    openings: tuple[str, ...]
    """Where pairs begin; if there are none, by lot."""
    until: float | None
    """No game begins after this moment of the system's clock."""


@dataclass(slots=True)
class Record:
    """One game as it was played."""

    number: int
    seat: int
    """Ours."""
    start: str
    moves: list[str] = field(default_factory=list)
    ours: list[float] = field(default_factory=list)
    theirs: list[float] = field(default_factory=list)
    trace: list[tuple[int, int, int]] = field(default_factory=list)
    """Ply, score and nodes of our searches."""
    cpu: tuple[float, float] = (0.0, 0.0)
    """Processor seconds of our process and of the rival's, from the opening to the end."""
    scores: tuple[int, ...] = ()
    points: float = 0.0


class Rival:
    """The other program, asked in lines."""

    def __init__(self, command: str) -> None:
        self._process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def tell(self, line: str) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
        except OSError:
            raise PeerError("the rival has gone away") from None

    def move(self, seconds: float) -> str:
        assert self._process.stdout is not None
        self.tell(f"go {seconds}")
        if not (answer := self._process.stdout.readline().strip()):
            raise PeerError("the rival has gone away")
        return answer

    def close(self) -> None:
        self._process.terminate()
        with contextlib.suppress(OSError):  # what it was told last may not have reached it
            self._process.communicate()


def opening(terms: Terms, number: int) -> Any:
    """The one of that number, or a position after random moves as in playouts: nobody passes."""
    if terms.openings:
        return games.load(terms.game, terms.authority).parse(terms.openings[number])
    lot = random.Random(f"{terms.seed}/{number}")
    position = games.load(terms.game, terms.authority).start(lot.randrange(2**32))
    for _ in range(terms.plies):
        move = position.random_move(lot.randrange(2**32))
        assert move is not None, "no game is over so soon"
        position.play(move)
    return position


def play_one(terms: Terms, job: tuple[int, int]) -> Record | None:
    """A game of a pair: its number, and the seat we sit on."""
    if terms.until is not None and time.time() > terms.until:
        return None
    number, seat = job
    position = opening(terms, number)
    record = Record(number, seat, position.text())
    begun = processor_seconds()
    rival = Rival(terms.rival)
    try:
        rival.tell(f"new {terms.game} {position.text()}")
        play_on(terms, position, rival, record)
    finally:
        rival.close()
    spent = [now - then for now, then in zip(processor_seconds(), begun, strict=True)]
    record.cpu = (round(spent[0], 2), round(spent[1], 2))
    return record


def processor_seconds() -> tuple[float, float]:
    """Those of this process so far, and of its children that have ended."""
    times = os.times()
    return times.user + times.system, times.children_user + times.children_system


def play_on(terms: Terms, position: Any, rival: Rival, record: Record) -> None:
    """From the opening to the end, and who has won."""
    native = games.load(terms.game).native
    engine = (getattr(native, "Engine", None) or native.Mcts)(**terms.options)
    while position.outcome() is None:
        turn = our_move if position.to_move() == record.seat else their_move
        text = turn(terms, position, engine, rival, record)
        position.play(text)
        rival.tell(f"play {text}")
        record.moves.append(text)
    outcome = position.outcome()
    record.scores = outcome.scores
    record.points = 0.5 if outcome.winner is None else float(outcome.winner == record.seat)


def our_move(terms: Terms, position: Any, engine: Any, rival: Rival, record: Record) -> str:
    begun = time.perf_counter()
    report = engine.search(position, **terms.limits)
    record.ours.append(round(time.perf_counter() - begun, 3))
    record.trace.append((position.ply, report.score, report.nodes))
    return str(report.best.text())


def their_move(terms: Terms, position: Any, engine: Any, rival: Rival, record: Record) -> str:
    begun = time.perf_counter()
    text = rival.move(terms.rival_time)
    record.theirs.append(round(time.perf_counter() - begun, 3))
    return text


def tally_of(records: list[Record]) -> Tally:
    """Whole pairs only."""
    tally, halves = Tally(), dict[int, float]()
    for record in records:
        if record.number in halves:
            tally.pairs[round(2 * (halves.pop(record.number) + record.points))] += 1
        else:
            halves[record.number] = record.points
    return tally


def summary(terms: Terms, name: str, records: list[Record]) -> dict[str, Any]:
    won = sum(record.points for record in records)
    lead = [record.scores[record.seat] - record.scores[1 - record.seat] for record in records]
    count = max(1, len(records))
    return {
        "game": terms.game,
        "authority": terms.authority,
        "first": terms.options,
        "rival": name,
        **terms.limits,
        "plies": terms.plies,
        "seed": terms.seed,
        "games": len(records),
        "points": won,
        "share": round(won / count, 4),
        "pairs": tally_of(records).pairs,
        "elo": round(elo(won / count), 1),
        "lead": round(sum(lead) / count, 2),
        "seconds": [round(mean_of(records, side), 3) for side in ("ours", "theirs")],
        "cpu": [round(sum(record.cpu[side] for record in records) / count, 1) for side in (0, 1)],
    }


def mean_of(records: list[Record], side: str) -> float:
    return statistics.fmean([s for record in records for s in getattr(record, side)] or [0.0])


@click.command(context_settings=HELP)
@click.argument("name", metavar="GAME")
@click.option("--rival", required=True, help="Command line of the other program.")
@click.option("--rival-name", default="", help="What to call it in the record.")
@click.option("--rival-time", type=float, default=1.0, show_default=True, help="Told with `go`.")
@click.option("--time", "seconds", type=float, default=1.0, show_default=True, help="Ours.")
@click.option("--nodes", type=int, help="Ours instead, where the machine is busy.")
@click.option("--options", default="{}", help="Of our engine, JSON.")
@click.option(
    "--authority",
    type=click.Choice(get_args(Authority)),
    default="server",
    show_default=True,
)
@click.option("--pairs", type=int, default=10, show_default=True)
@click.option("--from", "begin", type=int, default=0, show_default=True, help="First pair.")
@click.option("--plies", type=int, default=4, show_default=True, help="Random plies to begin.")
@click.option("--openings", type=click.Path(path_type=Path), help="A position a line instead.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True, help="Games at once.")
@click.option("--within", type=float, help="No game begins after so many seconds.")
@click.option("--games", "kept", type=click.Path(path_type=Path), help="A line for every game.")
@click.option("--store", type=click.Path(path_type=Path), help="Append the result to this file.")
def command(
    name: str,
    rival: str,
    rival_name: str,
    rival_time: float,
    seconds: float,
    nodes: int | None,
    options: str,
    authority: Authority,
    pairs: int,
    begin: int,
    plies: int,
    openings: Path | None,
    seed: int,
    jobs: int,
    within: float | None,
    kept: Path | None,
    store: Path | None,
) -> None:
    """Play all pairs, some at once."""
    until = None if within is None else time.time() + within
    starts = tuple(openings.read_text().splitlines()) if openings else ()
    terms = Terms(
        name,
        authority,
        rival,
        rival_time,
        {"nodes": nodes} if nodes else {"time": seconds},
        json.loads(options),
        plies,
        seed,
        starts,
        until,
    )
    wanted = [(number, seat) for number in range(begin, begin + pairs) for seat in (0, 1)]
    records: list[Record] = []
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for record in pool.imap_unordered(partial(play_one, terms), wanted):
            if record is not None:
                records.append(record)
                task_pool.keep(kept, [asdict(record)])
    result = summary(terms, rival_name or rival, records)
    click.echo(json.dumps(result))
    task_pool.keep(store, [result])


if __name__ == "__main__":
    command()
