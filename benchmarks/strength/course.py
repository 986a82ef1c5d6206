"""Reversi against a client as students of a course write it, at equal time for each move.

    python -m benchmarks.strength.course --kind good --seconds 0.1 --games 80 --store FILE

The client is `course.cpp` (`course.hpp` says how it thinks), built with the C++ compiler that is
found (or given by --client). Games begin with random plies on maps of the catalogue and, with
--positions, on those of a file (`training/reversi/multi_player/maps.py` makes some). Seats are
swapped in pairs. Clocks decide where searches stop, so the games differ from machine to machine.
The result is a line of JSON.
"""

from __future__ import annotations

import json
import math
import os
import random
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from time import perf_counter
from typing import Any

import click

from benchmarks import HELP
from benchmarks.strength import task_pool
from spielleiter import games
from spielleiter.games.reversi import maps

SOURCE = Path(__file__).with_name("course.cpp")
KINDS = ["plain", "good", "squares", "reply", "selfish"]
"""What there is of them: `course.hpp` says how each thinks."""


class Client:
    """The client in a process of its own: a line asks, a line answers."""

    def __init__(self, program: Path, kind: str) -> None:
        self._process = subprocess.Popen(
            [str(program), kind], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.nodes = 0
        self.seconds = 0.0

    def choose(self, position: Any, seconds: float) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        begin = perf_counter()
        self._process.stdin.write(f"{seconds} {position.text()}\n")
        self._process.stdin.flush()
        move, nodes = self._process.stdout.readline().split()
        self.seconds += perf_counter() - begin
        self.nodes += int(nodes)
        return position.move(move)

    def close(self) -> None:
        self._process.communicate()


class Ours:
    """The built-in engine."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._engine = games.load("reversi").native.Engine(**{"table": 32, **options})
        self.nodes = 0
        self.seconds = 0.0

    def choose(self, position: Any, seconds: float) -> Any:
        begin = perf_counter()
        report = self._engine.search(position, time=seconds)
        self.seconds += perf_counter() - begin
        self.nodes += report.nodes
        return report.best


def built(folder: str) -> Path:
    """The client, compiled with optimisation."""
    compiler = shutil.which(os.environ.get("CXX", "c++")) or "c++"
    program = Path(folder) / "course"
    command = [compiler, "-O3", "-std=c++20", "-march=native", "-o", str(program), str(SOURCE)]
    subprocess.run(command, check=True)
    return program


def beginnings(players: int, more: Path | None) -> dict[str, str]:
    """Positions to begin with, by name: those where a game of some length can follow."""
    found = {name: maps.find(name).position() for name in maps.names()}
    if more is not None:
        lines = more.read_text(encoding="utf-8").splitlines()
        found |= {f"map {number}": line for number, line in enumerate(lines, 1)}
    return {
        name: text
        for name, text in found.items()
        if text.split()[1] == str(players) and text.count("0") >= 30
    }


def openings(texts: dict[str, str], plies: int, seed: int) -> Iterator[tuple[str, Any]]:
    """One map after the other, again and again, each with new random plies."""
    game, turn = games.load("reversi"), 0
    while True:
        for name, text in texts.items():
            lot, position = random.Random(f"{seed}/{turn}/{name}"), game.parse(text)
            for _ in range(plies):
                if position.legal_moves():
                    position.play(lot.choice(position.legal_moves()))
            if position.outcome() is None:
                yield name, position
        turn += 1


def play(position: Any, players: list[Any], seconds: float) -> Any:
    """The outcome, with a player for each seat."""
    while position.outcome() is None:
        position.play(players[position.to_move()].choose(position, seconds))
    return position.outcome()


@click.command(context_settings=HELP)
@click.option("--kind", type=click.Choice(KINDS), default="good", show_default=True)
@click.option("--seconds", type=float, default=0.1, show_default=True, help="For each move.")
@click.option("--games", "count", type=int, default=40, show_default=True)
@click.option("--positions", type=click.Path(path_type=Path), help="More maps, one a line.")
@click.option("--only", default="", help="Maps whose name has this in it.")
@click.option("--ours", default="{}", help="Options of our engine, JSON.")
@click.option("--plies", type=int, default=6, show_default=True, help="Random plies to begin.")
@click.option("--seed", type=int, default=1, show_default=True)
@click.option("--limit", type=float, default=math.inf, help="Begin no game after so many seconds.")
@click.option("--client", type=click.Path(path_type=Path), help="The client, if it is built.")
@click.option("--store", type=click.Path(path_type=Path), help="Append the result to this file.")
def command(
    kind: str,
    seconds: float,
    count: int,
    positions: Path | None,
    only: str,
    ours: str,
    plies: int,
    seed: int,
    limit: float,
    client: Path | None,
    store: Path | None,
) -> None:
    """Play the games and say how often we were first or shared the first rank."""
    begin = perf_counter()
    texts = {k: v for k, v in beginnings(2, positions).items() if only in k}
    with tempfile.TemporaryDirectory() as folder:
        them = Client(client or built(folder), kind)
        us = Ours(json.loads(ours))
        results: Counter[str] = Counter()
        lost: Counter[str] = Counter()
        for name, position in islice(openings(texts, plies, seed), count // 2):
            if perf_counter() - begin > limit:
                break
            for seat in range(2):
                pair = [us, them] if seat == 0 else [them, us]
                winners = play(position.copy(), pair, seconds).winners
                result = "lost" if seat not in winners else "won" if len(winners) == 1 else "shared"
                results[result] += 1
                lost[name] += result == "lost"
        them.close()
    played = max(1, results.total())
    share = 1 - results["lost"] / played
    line = {
        "game": "reversi",
        "first": json.loads(ours),
        "others": {"client": kind},
        "seconds": seconds,
        "maps": len(texts),
        "plies": plies,
        "seed": seed,
        "games": results.total(),
        **{key: results[key] for key in ("won", "shared", "lost")},
        "share_first": round(share, 3),
        "error": round(1.96 * math.sqrt(share * (1 - share) / played), 3),
        "nodes_a_second": [round(p.nodes / max(1e-9, p.seconds)) for p in (us, them)],
        "lost_on": dict((+lost).most_common()),
    }
    click.echo(json.dumps(line))
    task_pool.keep(store, [line])


if __name__ == "__main__":
    command()
