"""What games of `tables.cpp` add up to.

    python -m benchmarks.strength.tables NEW… --against OLD --about '{"seed": 41}' --store FILE

The result is a line of JSON: how often our engine was first or shared the first rank. Games of
another engine on the same openings (--against) are compared one by one: in how many a first rank
was gained, and in how many it was lost.

How the programs are built, from the root of the repository:

    sources=$(ls src/spielleiter/games/reversi/*.cpp | grep -v -e bind -e fuzz)
    c++ -std=c++20 -O3 -march=native -ffp-contract=off -I. benchmarks/strength/tables.cpp $sources
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

import click

from benchmarks import HELP
from benchmarks.strength import task_pool
from benchmarks.strength.multi_player import Tally


@dataclass(frozen=True, slots=True)
class Played:
    """A line of `tables.cpp`."""

    number: int
    seats: int
    seat: int
    rank: int
    first: int
    """How many share the first rank."""

    @property
    def winners(self) -> tuple[int, ...]:
        """As many seats as share the first rank, ours among them if it does."""
        others = [seat for seat in range(self.seats) if seat != self.seat]
        return tuple(([self.seat] if self.rank == 1 else []) + others)[: self.first]


def played(files: tuple[Path, ...]) -> dict[int, Played]:
    """The games of some files, by number."""
    lines = [line.split() for file in files for line in file.read_text("utf-8").splitlines()]
    games = (Played(*map(int, words[:5])) for words in lines)
    return {game.number: game for game in games}


def compared(new: dict[int, Played], old: dict[int, Played]) -> dict[str, int]:
    """First ranks gained and lost on the openings that both played."""
    both = new.keys() & old.keys()
    gained = sum(new[number].rank == 1 < old[number].rank for number in both)
    lost = sum(old[number].rank == 1 < new[number].rank for number in both)
    return {"openings": len(both), "gained": gained, "lost": lost}


@click.command(context_settings=HELP)
@click.argument("files", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--against", multiple=True, type=click.Path(exists=True, path_type=Path))
@click.option("--about", default="{}", help="More to be said of the games, JSON.")
@click.option("--store", type=click.Path(path_type=Path), help="Append the result to this file.")
def command(
    files: tuple[Path, ...], against: tuple[Path, ...], about: str, store: Path | None
) -> None:
    """Say how our engine fared."""
    games = played(files)
    tally = Tally()
    for game in games.values():
        tally.add(game.winners, game.seat, game.seats)
    result = {"game": "reversi", **json.loads(about), **tally.told()}
    if against:
        result |= compared(games, played(against))
    click.echo(json.dumps(result))
    task_pool.keep(store, [result])


if __name__ == "__main__":
    command()
