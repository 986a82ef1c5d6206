"""How far the levels of the built-in player are apart: each plays the next, seats swapped.

    python -m benchmarks.strength.ladder piranhas-2026 --pairs 30 --write docs/ladder.md

The levels are limited by plies and nodes, not by time, so the same arguments give the same games;
only level 10 has no limit of its own and gets `--nodes` here.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from benchmarks.strength.match import Tally, elo, opening
from spielleiter import bots, games
from spielleiter.game import Clock


def play(start: Any, levels: tuple[int, int], seed: int, nodes: int) -> float:
    """Points of the first level, which plays seat 0."""
    position = start.copy()
    players = [bots.load(f"best:level={level}", seed=seed) for level in levels]
    for seat, player in enumerate(players):
        player.begin(position.copy(), seat)
    while position.outcome() is None and position.legal_moves():
        seat = position.to_move()
        clock = Clock(nodes=nodes if levels[seat] == 10 else None)
        position.play(players[seat].choose(position.copy(), clock))
    outcome = position.outcome()
    if outcome is None:  # who cannot move where no rule covers it has lost
        return float(position.to_move() == 1)
    return 0.5 if outcome.winner is None else float(outcome.winner == 0)


def step(name: str, lower: int, pairs: int, nodes: int) -> Tally:
    """Points of the level above `lower` against it."""
    game, tally = games.load(name), Tally()
    for number in range(pairs):
        start = opening(game, random.Random(f"{lower}/{number}"), plies=2)
        points = play(start, (lower + 1, lower), number, nodes)
        points += 1 - play(start, (lower, lower + 1), number, nodes)
        tally.pairs[round(2 * points)] += 1
    return tally


def table(name: str, pairs: int, nodes: int) -> Iterator[str]:
    """Markdown rows, one for each step."""
    yield f"## {name}"
    yield ""
    yield f"{2 * pairs} games for each step, level 10 with {nodes:,} nodes a move."
    yield ""
    yield "| step | points of the higher level | Elo | 95 % |"
    yield "|---|---|---|---|"
    total = 0.0
    for lower in range(1, 10):
        tally = step(name, lower, pairs, nodes)
        margin = 1.96 * tally.spread() / math.sqrt(tally.count)
        low, high = elo(tally.share - margin), elo(tally.share + margin)
        total += elo(tally.share)
        yield (
            f"| {lower} → {lower + 1} | {100 * tally.share:.0f} % | {elo(tally.share):+.0f} "
            f"| {low:+.0f} … {high:+.0f} |"
        )
    yield f"| 1 → 10 | | {total:+.0f} | |"
    yield ""


@click.command()
@click.argument("names", metavar="GAME...", nargs=-1, required=True)
@click.option("--pairs", type=int, default=20, show_default=True)
@click.option("--nodes", type=int, default=200_000, show_default=True, help="For level 10.")
@click.option("--write", type=click.Path(path_type=Path), help="Write the page here.")
def command(names: tuple[str, ...], pairs: int, nodes: int, write: Path | None) -> None:
    """Measure the steps of each GAME."""
    head = [
        "# The levels of the built-in player",
        "",
        "`best:level=1` is a beginner, `best:level=10` plays as well as it can. Weak levels look",
        "few moves ahead and overlook moves, their own and the opponent's, as people do. The table",
        "is made by `python -m benchmarks.strength.ladder`.",
        "",
    ]
    lines = [*head]
    for name in names:
        for line in table(name, pairs, nodes):
            click.echo(line)
            lines.append(line)
    if write is not None:
        write.write_text("\n".join(lines), "utf-8")


if __name__ == "__main__":
    command()
