"""How late a player answers on a busy machine: the largest share of the time allowed that was used.

    python -m benchmarks.strength.punctual piranhas-2026 --time 0.3 --games 3 --busy 2

`--busy` processes do nothing but work meanwhile.
"""

from __future__ import annotations

import json
import multiprocessing
import random
import time

import click

from spielleiter import bots, games
from spielleiter.game import Clock


def work() -> None:
    """As busy as can be, until ended."""
    while True:
        sum(range(10_000))


@click.command()
@click.argument("name", metavar="GAME")
@click.option("--player", default="best", show_default=True)
@click.option("--time", "allowed", type=float, default=0.3, show_default=True)
@click.option("--games", "count", type=int, default=3, show_default=True)
@click.option("--busy", type=int, default=2, show_default=True)
def command(name: str, player: str, allowed: float, count: int, busy: int) -> None:
    """Play against random moves and look at the clock."""
    crowd = [multiprocessing.Process(target=work, daemon=True) for _ in range(busy)]
    for process in crowd:
        process.start()
    spent = []
    try:
        for seed in range(count):
            spent += one_game(name, player, allowed, seed)
    finally:
        for process in crowd:
            process.terminate()
    late = sum(seconds > allowed for seconds in spent)
    click.echo(
        json.dumps(
            {
                "game": name,
                "allowed": allowed,
                "busy": busy,
                "moves": len(spent),
                "late": late,
                "longest": round(max(spent), 4),
                "mean": round(sum(spent) / len(spent), 4),
            }
        )
    )


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
