"""`spielleiter tune GAME`: fit the weights of a game's evaluation to games it plays against itself.

See `spielleiter.tuning` for how. Options of the game's set-up may name several values, with commas
between: each game draws one.
"""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import click

from spielleiter import games
from spielleiter.cli._options import (
    EXTRA,
    authority_option,
    game_argument,
    seed_option,
    set_up,
)
from spielleiter.errors import UsageError
from spielleiter.game import Authority, Position
from spielleiter.programs.games_store import GamesStore
from spielleiter.tuning import Keep, SelfPlay, collect, fit, quantised, rendered, weights_of


@click.command(context_settings={"help_option_names": ["-h", "--help"], **EXTRA})
@game_argument
@click.option("--games", "count", type=click.IntRange(10), default=1000, show_default=True)
@click.option("--nodes", type=click.IntRange(1), default=4000, show_default=True)
@click.option("--rounds", type=click.IntRange(1), default=1, show_default=True)
@click.option(
    "--ridge", type=float, default=20.0, show_default=True, help="Penalty for large weights."
)
@click.option("--smooth", type=float, default=50.0, show_default=True, help="Penalty for jumps.")
@click.option(
    "--start",
    type=click.Path(path_type=Path, exists=True),
    help="Weights to begin with, as written before (default: all zero).",
)
@click.option("--write", type=click.Path(path_type=Path), help="File for the fitted weights.")
@click.option(
    "--store",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Keep the games there, for `spielleiter records`.",
)
@seed_option
@authority_option
@click.pass_context
def command(
    context: click.Context,
    game: str,
    count: int,
    nodes: int,
    rounds: int,
    ridge: float,
    smooth: float,
    start: Path | None,
    write: Path | None,
    store: Path | None,
    seed: int,
    authority: Authority,
) -> None:
    """Fit the evaluation of GAME to its own games.

    Each round plays with the weights of the one before.
    """
    edition = games.load(game, authority)
    if not hasattr(edition.native, "features"):
        raise UsageError(f"{game} has no evaluation to fit")
    options = set_up(edition, context.args)
    weights = weights_of(edition, None if start is None else start.read_text("utf-8"))
    with nullcontext() if store is None else GamesStore(store) as kept:
        for number in range(rounds):
            how = SelfPlay(count, nodes, seed + number, weights, options)
            data = collect(edition, how, None if kept is None else _keep(kept, number + 1))
            fitted = fit(data, ridge, smooth, stages=data.stages)
            weights = quantised(fitted.weights)
            click.echo(f"round {number + 1}: {fitted.summary(data)}", err=True)
    text = rendered(
        edition,
        weights,
        f"{game}, {count} games of {nodes} nodes a move, seed {seed}, "
        f"{rounds} rounds{', '.join(['', *context.args])}; {fitted.summary(data)}",
    )
    if write is None:
        click.echo(text, nl=False)
    else:
        write.write_text(text, "utf-8")


def _keep(store: GamesStore, number: int) -> Keep:
    """Keeps the games of a round; both sides are the evaluation of that round."""

    def keep(game: int, start: Position, moves: list[str]) -> None:
        players = [f"round {number}, seat {seat + 1}" for seat in range(start.seats)]
        store.keep_moves(f"tune/{number}/{game}", players, start, moves)

    return keep
