"""Positions after random placements that suit Pentobi's board, for `rivals --openings`.

python -m benchmarks.strength.pentobi.openings blokus-2021 --pairs 20 --seed 5 > openings.txt
"""

from __future__ import annotations

import random
from itertools import count

import click

from benchmarks import HELP
from benchmarks.strength.pentobi.board import symmetry_for
from spielleiter import games


@click.command(context_settings=HELP)
@click.argument("edition", type=click.Choice(["blokus-2021", "blokus-2027"]))
@click.option("--pairs", type=int, default=10, show_default=True)
@click.option("--plies", type=int, default=4, show_default=True)
@click.option("--seed", type=int, default=1, show_default=True)
def command(edition: str, pairs: int, plies: int, seed: int) -> None:
    """A position a line."""
    game = games.load(edition, "server")
    for number in count():
        lots = random.Random(f"{seed}/{number}")
        position = game.start(lots.randrange(2**32))
        for _ in range(plies):
            move = position.random_move(lots.randrange(2**32))
            assert move is not None, "no game is over so soon"
            position.play(move)
        if symmetry_for(position) is not None:
            click.echo(position.text())
            pairs -= 1
        if pairs <= 0:
            return


if __name__ == "__main__":
    command()
