"""`spielleiter reversi-join`: a built-in player takes a seat on a course server."""

from __future__ import annotations

import contextlib
import sys

import click

from spielleiter import bots
from spielleiter.cli._options import PlayerName
from spielleiter.client import binary
from spielleiter.errors import UnknownName
from spielleiter.game import Bot
from spielleiter.games.reversi import EDITIONS


@click.command(context_settings={"help_option_names": ["-h", "-help", "--help"]})
@click.option(
    "-i", "--ip", metavar="IP", default=binary.HOST, show_default=True, help="The server."
)
@click.option("-p", "--port", default=binary.PORT, show_default=True, help="Its port.")
@click.option(
    "-g",
    "--group",
    type=click.IntRange(0, 99),
    default=0,
    show_default=True,
    help="The group to play for; 99 is for people, who have no time limit.",
)
@click.option(
    "--bot", metavar="NAME", type=PlayerName(), required=True, help="The player, as in `play`."
)
@click.option("--games", type=click.IntRange(1), default=1, show_default=True, help="How many.")
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
@click.option("-q", "quiet", is_flag=True, help="Print only warnings.")
@click.option("-n", "unsorted", is_flag=True, help="No move sorting, for measurements.")
def command(
    ip: str, port: int, group: int, bot: str, games: int, seed: int, quiet: bool, unsorted: bool
) -> None:
    """Play Reversi on a server of the course, ours or theirs.

    -n sets the option `sorting=off` of players that have it. The exit status is 1 if the server
    disqualified us.
    """
    status = 0
    for number in range(games):
        player = _player(bot, seed + number, unsorted)
        report = binary.join(player, EDITIONS[0], ip, port, group)
        status = max(status, report.disqualified)
        if not quiet:
            click.echo(binary.summary(report))
    sys.exit(status)


def _player(name: str, seed: int, unsorted: bool) -> Bot:
    if unsorted:
        with contextlib.suppress(UnknownName):  # a player that does not sort has no such option
            has_options = ":" in name.rpartition(".py")[2]
            return bots.load(f"{name}{',' if has_options else ':'}sorting=off", seed=seed)
    return bots.load(name, seed=seed)
