"""`spielleiter datasets`: recorded games and self-play as tables for learning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from spielleiter import games
from spielleiter.cli._options import (
    EXTRA,
    GameName,
    authority_option,
    game_argument,
    seed_option,
    set_up,
)
from spielleiter.datasets import Sample, SelfPlayGames, from_record, write
from spielleiter.errors import UsageError
from spielleiter.game import Authority, Game
from spielleiter.match import GameRecord
from spielleiter.service.recorded_games import file_records

_HELP = {"help_option_names": ["-h", "--help"]}


@click.group(context_settings=_HELP)
def command() -> None:
    """Write positions, policies and values: .npz or .parquet."""


def _output_option(function: click.decorators.FC) -> click.decorators.FC:
    return click.option(
        "-o",
        "--output",
        type=click.Path(dir_okay=False, path_type=Path),
        required=True,
        help="The file to write: .npz or .parquet.",
    )(function)


def _planes_option(function: click.decorators.FC) -> click.decorators.FC:
    return click.option(
        "--planes/--no-planes", default=True, help="Whether to write the observation planes too."
    )(function)


@command.command("records", context_settings=_HELP)
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--game", type=GameName(), help="Only games of this edition.  [default: the first's]")
@_output_option
@_planes_option
def records(files: tuple[Path, ...], game: str | None, output: Path, planes: bool) -> None:
    """Write recorded games: replays, logs and stores.

    FILES are replays (.xml, .xml.gz), logs, and stores (.db) of contests, matches and arenas. The
    policy of a position is the move that was played; nobody was asked for a value.
    """
    found = (record for file in files for record in file_records(file))
    first = next(found, None)
    if first is None:
        raise UsageError("there is no game in these files")
    edition = games.load(game or first.opened.edition).under(first.opened.authority)
    count = write(output, edition, _samples((first, *found), edition), planes=planes)
    click.echo(f"wrote {count} positions of {edition.name} to {output}")


def _samples(found: tuple[GameRecord, ...], edition: Game) -> Iterator[Sample]:
    ours = [record for record in found if record.opened.edition == edition.name]
    for number, record in enumerate(ours):
        yield from from_record(record, edition.under(record.opened.authority), number)


@command.command("self-play", context_settings={**_HELP, **EXTRA})
@game_argument
@click.option("--games", "count", type=click.IntRange(min=1), default=100, show_default=True)
@click.option("--nodes", type=click.IntRange(min=1), default=1000, show_default=True)
@click.option("--method", type=click.Choice(["alphabeta", "mcts"]), help="Which engine.")
@click.option(
    "--lines",
    type=click.IntRange(min=1),
    default=8,
    show_default=True,
    help="How many moves of a position the policy covers.",
)
@click.option("--random-plies", type=click.IntRange(min=0), default=4, show_default=True)
@click.option(
    "--temperature",
    type=click.FloatRange(min=0.01),
    default=0.25,
    show_default=True,
    help="How even the policy is: the higher, the more often worse moves are played.",
)
@_output_option
@_planes_option
@seed_option
@authority_option
@click.pass_context
def self_play(
    ctx: click.Context,
    game: str,
    count: int,
    nodes: int,
    method: str | None,
    lines: int,
    random_plies: int,
    temperature: float,
    output: Path,
    planes: bool,
    seed: int,
    authority: Authority,
) -> None:
    """Write games of an engine against itself, with its values."""
    edition = games.load(game, authority)
    playing = SelfPlayGames(
        game=edition,
        options=set_up(edition, ctx.args),
        method=method,
        nodes=nodes,
        lines=lines,
        random_plies=random_plies,
        temperature=temperature,
        seed=seed,
    )
    written = write(output, edition, playing.play(count), planes=planes)
    click.echo(f"wrote {written} positions of {count} games to {output}")
