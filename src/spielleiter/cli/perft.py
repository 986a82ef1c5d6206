"""`spielleiter perft GAME`: count move sequences."""

from __future__ import annotations

import time

import click

from spielleiter import games
from spielleiter.cli._options import EXTRA, authority_option, game_argument, seed_option, set_up
from spielleiter.game import Authority, Position


@click.command(context_settings={"help_option_names": ["-h", "--help"], **EXTRA})
@game_argument
@click.option("--position", metavar="TEXT", help="Where to begin; by default the start of --seed.")
@click.option("--depth", type=click.IntRange(min=0), default=3, show_default=True)
@click.option("--divide", is_flag=True, help="Also the count after each first move.")
@click.option(
    "--passes/--no-passes",
    default=None,
    help="Where players can be skipped: is a skip a ply? By default as published tables have it.",
)
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True)
@seed_option
@authority_option
@click.pass_context
def command(
    ctx: click.Context,
    game: str,
    position: str | None,
    depth: int,
    divide: bool,
    passes: bool | None,
    threads: int,
    seed: int,
    authority: Authority,
) -> None:
    """Count the sequences of legal moves of length --depth.

    The last line is the count. The last ply is counted, not played. A position that is over has
    no successors.
    """
    edition = games.load(game, authority)
    options = set_up(edition, ctx.args)
    start = edition.parse(position) if position else edition.start(seed, **options)
    if divide and depth > 0:
        _divide(start, depth, threads, passes)
    begin = time.perf_counter()
    nodes = start.perft(depth, threads, passes)
    seconds = time.perf_counter() - begin
    click.echo(f"{seconds:.3f} s, {nodes / max(seconds, 1e-9):,.0f} nodes/s", err=True)
    click.echo(nodes)


def _divide(start: Position, depth: int, threads: int, passes: bool | None) -> None:
    for move in sorted(start.legal_moves(), key=lambda move: move.text()):
        click.echo(f"{move.text()}: {start.after(move).perft(depth - 1, threads, passes)}")
