"""`spielleiter review FILE`: why a game was lost, and which mistakes recur in many."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from spielleiter.cli._next_commands import next_commands
from spielleiter.cli._progress import STOPPED
from spielleiter.cli._review_output import ReviewOutput
from spielleiter.cli._reviews import different, edition_of, review_games, write_gym
from spielleiter.errors import UsageError
from spielleiter.review.views import messages, translator
from spielleiter.service.recorded_games import chosen_game, recorded_games
from spielleiter.store import StoreAddress
from spielleiter.text import languages
from spielleiter.tournament.recorded_game import RecordedGame


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("source", metavar="FILE|STORE")
@click.argument("key", required=False, metavar="[GAME]")
@click.option(
    "--nodes",
    type=click.IntRange(1),
    help="Nodes for each position.  [default: 20000, for three or four seats 80000, for a tree "
    "search 1000]",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write a page of the game, or of what recurs in all.",
)
@click.option(
    "--gym",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the mistakes there, as positions for the gym.",
)
@click.option("--player", help="Only games of this player, and only its mistakes.")
@click.option(
    "--lang",
    type=click.Choice(languages("spielleiter")),
    default="en",
    show_default=True,
    help="The language of the review.",
)
def command(
    source: str,
    key: str | None,
    nodes: int | None,
    as_json: bool,
    html: Path | None,
    gym: Path | None,
    player: str | None,
    lang: str,
) -> None:
    """Explain which moves lost a game, and what recurs in many.

    FILE is a replay (.xml, .xml.gz) or a log of the course's server. In a STORE of a match or a
    contest, GAME is the key of a game, such as match/3; without it all games are reviewed, and the
    recurring mistakes are listed. Ctrl-C prints what was reviewed until then.
    """
    found = _found(source, key, player)
    is_one, games = len(found) == 1, list(different(found))
    reviews = review_games(games, nodes, is_one=is_one)
    if gym is not None and reviews.done:
        write_gym(gym, reviews.done, player)
    output = ReviewOutput(translator(edition_of(found[0]), lang), lang, as_json, html, player)
    if is_one:
        output.one(reviews)
    else:
        output.many(reviews, len(found) - len(games))
    told = next_commands(source, reviews.named, player, nodes, several=not is_one)
    if told and not as_json and html is None:
        click.echo("\n  ".join([f"\n{output.say(messages('next'))}", *told]))
    if reviews.is_interrupted:
        click.echo(output.say(reviews.interruption), err=True)
        sys.exit(STOPPED)


def _found(source: str, key: str | None, player: str | None) -> list[RecordedGame]:
    try:
        found = [chosen_game(source, key)] if key else list(recorded_games(source))
    except KeyboardInterrupt:
        sys.exit(STOPPED)
    wanted = [each for each in found if player is None or player in each.players]
    if not wanted:
        raise UsageError(
            f"{StoreAddress.of(source)} holds no game" + (f" of {player}" if player else "")
        )
    return wanted
