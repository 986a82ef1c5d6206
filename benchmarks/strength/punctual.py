"""Whether a player answers in time on a busy machine: every move of many games is timed.

    python -m benchmarks.strength.punctual piranhas-2026 --time 0.1 --games 1000 --busy 4 --jobs 2

`--busy` processes do nothing but work meanwhile, and `--jobs` games run at once. The player sits on
seat 0 and the others move by lot; the time is taken round its answer, as a referee takes it. One
line of JSON for each game kind, which `--store` appends to a file; the exit code says whether any
was late.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import click

from spielleiter import bots, games
from spielleiter.game import Clock


@click.command()
@click.argument("names", metavar="GAME...", nargs=-1, required=True)
@click.option("--player", default="best", show_default=True)
@click.option("--time", "allowed", type=float, default=0.3, show_default=True)
@click.option("--games", "count", type=int, default=1000, show_default=True)
@click.option("--busy", type=int, default=4, show_default=True)
@click.option("--jobs", type=int, default=1, show_default=True)
@click.option("--store", type=click.Path(path_type=Path), help="Append the results to this file.")
def command(
    names: tuple[str, ...],
    player: str,
    allowed: float,
    count: int,
    busy: int,
    jobs: int,
    store: Path | None,
) -> None:
    """Play against random moves and look at the clock."""
    late = 0
    for name in names:
        with crowd(busy), multiprocessing.Pool(jobs) as pool:
            play = partial(one_game, name, player, allowed)
            spent = [
                seconds for game in pool.imap_unordered(play, range(count)) for seconds in game
            ]
        result: dict[str, Any] = {
            "game": name,
            "player": player,
            "games": count,
            "busy": busy,
            "jobs": jobs,
        }
        result |= summary(spent, allowed)
        late += int(result["late"])
        text = json.dumps(result)
        click.echo(text)
        if store is not None:
            with store.open("a", encoding="utf-8") as file:
                file.write(text + "\n")
    sys.exit(late > 0)


def summary(spent: list[float], allowed: float) -> dict[str, Any]:
    """How the moves lie round the limit."""
    ordered = sorted(spent)
    return {
        "allowed": allowed,
        "moves": len(spent),
        "late": sum(seconds > allowed for seconds in spent),
        "longest": round(ordered[-1], 4),
        "p99": round(ordered[int(0.99 * (len(ordered) - 1))], 4),
        "median": round(ordered[len(ordered) // 2], 4),
    }


@contextmanager
def crowd(size: int) -> Iterator[None]:
    """So many processes work meanwhile."""
    processes = [multiprocessing.Process(target=work, daemon=True) for _ in range(size)]
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


def one_game(name: str, player: str, allowed: float, seed: int) -> list[float]:
    """Seconds for each move of the player, who sits on seat 0."""
    position, lot = games.load(name).start(seed), random.Random(seed)
    bot, spent = bots.load(player, seed=seed), []
    bot.begin(position.copy(), 0)
    while position.outcome() is None and position.legal_moves():
        if position.to_move() == 0:
            begin = time.perf_counter()
            move = bot.choose(position.copy(), Clock(per_move=allowed))
            spent.append(time.perf_counter() - begin)
            position.play(move)
        else:
            position.play(lot.choice(position.legal_moves()))
    return spent


if __name__ == "__main__":
    command()
