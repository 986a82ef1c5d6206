"""`spielleiter bench`: one reproducible number per game."""

from __future__ import annotations

import time

import click

from spielleiter import games, native
from spielleiter.cli._options import GameName
from spielleiter.errors import UsageError
from spielleiter.game import Game, Position

ENOUGH = 200_000
"""Perft goes as deep as it takes to see this many nodes."""
PLAYOUTS = 200
DEPTH = 8


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("names", metavar="[GAME]...", nargs=-1, type=GameName())
def command(names: tuple[str, ...]) -> None:
    """Print a number for each GAME that tells its behaviour.

    Without GAME, for all. It adds up the nodes of a fixed perft, the plies of fixed random
    games and, where the game has an engine, the nodes of a fixed search: a faster core keeps
    it, another behaviour does not.
    """
    for name in names or games.names():
        begin = time.perf_counter()
        game = games.load(name)
        if native.is_plain(game.native):
            raise UsageError(f"{name} runs in plain Python here: only native modules are measured")
        number = signature(game.start(seed=1)) + searched(game)
        click.echo(f"{name} {number}")
        click.echo(f"  in {time.perf_counter() - begin:.2f} s", err=True)


def signature(start: Position) -> int:
    """Nodes of the first perft that is deep enough, plus the plies of random games."""
    depth, nodes = 1, int(start.perft(1))
    while nodes < ENOUGH and depth < 12:
        depth += 1
        nodes = int(start.perft(depth))
    return nodes + int(start.playouts(PLAYOUTS, seed=1).plies)


def searched(game: Game) -> int:
    """Nodes of a search of fixed depth; none where the game has no engine."""
    if not hasattr(game.native, "Engine"):
        return 0
    return int(game.native.Engine(table=16).search(game.start(seed=1), depth=DEPTH).nodes)
