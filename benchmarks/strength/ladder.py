"""How far the levels of the built-in player are apart: each plays the next, seats swapped.

    python -m benchmarks.strength.ladder piranhas-2026 --pairs 30 --write docs/ladder.md

The levels are limited by plies and nodes, not by time, so the same arguments give the same games;
only level 10 has no limit of its own and gets `--nodes` here. The page keeps the tables of games
that are not measured now.
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

HIGHEST = 10


def play(start: Any, levels: tuple[int, ...], seed: int, nodes: int) -> tuple[int, ...]:
    """The ranks of the seats, each played by its level."""
    position = start.copy()
    players = [bots.load(f"best:level={level}", seed=seed) for level in levels]
    for seat, player in enumerate(players):
        player.begin(position.copy(), seat)
    while position.outcome() is None and position.legal_moves():
        seat = position.to_move()
        clock = Clock(nodes=nodes if levels[seat] == HIGHEST else None)
        position.play(players[seat].choose(position.copy(), clock))
    outcome = position.outcome()
    if outcome is not None:
        ranks: tuple[int, ...] = outcome.ranks
        return ranks
    stuck = position.to_move()  # who cannot move where no rule covers it has lost
    return tuple(2 if seat == stuck else 1 for seat in range(len(levels)))


def points(ranks: tuple[int, ...], seat: int) -> float:
    """Share of the others whom a seat left behind; equals count half."""
    others = [rank for other, rank in enumerate(ranks) if other != seat]
    return sum((rank > ranks[seat]) + (rank == ranks[seat]) / 2 for rank in others) / len(others)


def step(name: str, lower: int, pairs: int, nodes: int) -> Tally:
    """Points of one player a level above `lower` against others of that level, on two seats."""
    game, tally = games.load(name), Tally()
    for number in range(pairs):
        start = opening(game, random.Random(f"{lower}/{number}"), plies=2)
        total = 0.0
        for seat in (number % start.seats, (number + 1) % start.seats):
            levels = tuple(lower + (at == seat) for at in range(start.seats))
            total += points(play(start, levels, number, nodes), seat)
        tally.pairs[round(2 * total)] += 1
    return tally


def table(name: str, pairs: int, nodes: int) -> Iterator[str]:
    """Markdown rows, one for each step."""
    yield f"## {name}"
    yield ""
    yield f"{2 * pairs} games for each step, level 10 with {nodes:,} nodes (or games) a move."
    yield ""
    yield "| step | points of the higher level | Elo | 95 % |"
    yield "|---|---|---|---|"
    total = 0.0
    for lower in range(1, HIGHEST):
        tally = step(name, lower, pairs, nodes)
        margin = 1.96 * tally.spread() / math.sqrt(tally.count)
        low, high = elo(tally.share - margin), elo(tally.share + margin)
        total += elo(tally.share)
        yield (
            f"| {lower} → {lower + 1} | {100 * tally.share:.0f} % | {elo(tally.share):+.0f} "
            f"| {low:+.0f} … {high:+.0f} |"
        )
    yield f"| 1 → {HIGHEST} | | {total:+.0f} | |"
    yield ""


HEAD = """# The levels of the built-in player

`best:level=1` is a beginner, `best:level=10` plays as well as it can. Weak levels look few moves
ahead and overlook moves, their own and the opponent's, as people do. What a level may use stands in
the file `levels.toml` of each game. The table is made by `python -m benchmarks.strength.ladder`.
"""


def page(before: str, made: dict[str, str]) -> str:
    """The page with the tables made now; those of other games stay as they are."""
    _, *sections = before.split("\n## ")
    kept = {section.partition("\n")[0]: f"## {section.strip()}\n" for section in sections}
    return "\n".join([HEAD, *(text for _, text in sorted((kept | made).items()))])


@click.command()
@click.argument("names", metavar="GAME...", nargs=-1, required=True)
@click.option("--pairs", type=int, default=20, show_default=True)
@click.option("--nodes", type=int, default=200_000, show_default=True, help="For level 10.")
@click.option("--write", type=click.Path(path_type=Path), help="Write the page here.")
def command(names: tuple[str, ...], pairs: int, nodes: int, write: Path | None) -> None:
    """Measure the steps of each GAME."""
    made = {}
    for name in names:
        lines = []
        for line in table(name, pairs, nodes):
            click.echo(line)
            lines.append(line)
        made[name] = "\n".join(lines)
    if write is not None:
        before = write.read_text("utf-8") if write.exists() else ""
        write.write_text(page(before, made), "utf-8")


if __name__ == "__main__":
    command()
