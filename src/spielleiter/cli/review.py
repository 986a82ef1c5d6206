"""`spielleiter review FILE`: why a game was lost, and which mistakes recur in many."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from spielleiter.cli._next_commands import next_commands
from spielleiter.cli._progress import Progress
from spielleiter.cli._reviews import different, reviewed, write_gym
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.review import GameReview
from spielleiter.review.summary import summarise, summary_json, summary_text
from spielleiter.review.views import messages, to_json, to_text, translator
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
@click.option("--html", type=click.Path(dir_okay=False, path_type=Path), help="Write a page.")
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
    recurring mistakes are listed.
    """
    found = [chosen_game(source, key)] if key else list(recorded_games(source))
    wanted = [each for each in found if player is None or player in each.players]
    if not wanted:
        raise UsageError(
            f"{StoreAddress.of(source)} holds no game" + (f" of {player}" if player else "")
        )
    if len(wanted) > 1 and html is not None:
        raise UsageError("a page shows one game: name its key")
    played, wanted = len(wanted), list(different(wanted))
    with Progress() as progress:
        reviews = [reviewed(each, nodes, wanted, progress) for each in wanted]
    if gym is not None:
        write_gym(gym, wanted, reviews, player)
    if played == 1:
        _print_one(wanted[0], *reviews[0], as_json, html, player, lang)
    else:
        _print_all(wanted, reviews, played, as_json, player, lang)
    if not as_json and html is None:
        named = [(game.key, review) for game, (_, review) in zip(wanted, reviews, strict=True)]
        if told := next_commands(source, named, player, nodes, several=played > 1):
            say = translator(reviews[0][0], lang)
            click.echo("\n  ".join([f"\n{say(messages('next'))}", *told]))


def _print_one(
    chosen: RecordedGame,
    edition: Game,
    review: GameReview,
    as_json: bool,
    html: Path | None,
    player: str | None,
    lang: str,
) -> None:
    if html is not None:
        from spielleiter.review.page import page  # the templates' library is needed only here

        html.write_text(page(review, chosen.record, edition, lang), "utf-8")
        click.echo(f"wrote {html}", err=as_json)
    if as_json:
        click.echo(json.dumps(to_json(review, translator(edition, lang)), ensure_ascii=False))
    elif html is None:
        colour = sys.stdout.isatty()
        told = to_text(review, chosen.record, edition, lang, colour=colour, player=player)
        click.echo(told)


def _print_all(
    games: list[RecordedGame],
    reviews: list[tuple[Game, GameReview]],
    played: int,
    as_json: bool,
    player: str | None,
    lang: str,
) -> None:
    say = translator(reviews[0][0], lang)
    named = [(game.key, review) for game, (_, review) in zip(games, reviews, strict=True)]
    summaries = [each for each in summarise(named, say) if player in (None, each.name)]
    if as_json:
        told = {**summary_json(summaries, len(named), say), "repeated": played - len(named)}
        click.echo(json.dumps(told, ensure_ascii=False))
    else:
        click.echo(summary_text(summaries, len(named), say, repeated=played - len(named)))
