"""`spielleiter contest annul|replay|decide|withdraw|enter|rulings FILE`: rulings of the jury."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from contextlib import closing
from pathlib import Path

import click

from spielleiter.errors import UsageError
from spielleiter.programs import contest_store
from spielleiter.tournament.jury import DRAW, Jury
from spielleiter.tournament.rulings import Ruling
from spielleiter.tournament.text_tables import ruling_lines, ruling_words

_file = click.argument("file", type=click.Path(dir_okay=False, path_type=Path), metavar="FILE")
_games = click.argument("games", metavar="GAMES")
_team = click.argument("team", metavar="TEAM")
_reason = click.option("--reason", required=True, help="The reason, kept with the ruling.")


@click.command()
@_file
@_games
@_reason
def annul(file: Path, games: str, reason: str) -> None:
    """Annul GAMES of the contest in FILE: they do not count.

    GAMES is a match day (`day 3`, or `group A/day 3`), a set (`group A/day 3/Red – Blue`) or one
    game (`group A/day 3/Red – Blue/0`).
    """
    _rule(file, lambda jury: jury.annul(games, reason))


@click.command()
@_file
@_games
@_reason
def replay(file: Path, games: str, reason: str) -> None:
    """Let GAMES be played again by the next `contest run`.

    FILE is the contest. GAMES is a match day, a set or one game, as for `contest annul`.
    """
    _rule(file, lambda jury: jury.replay(games, reason))


@click.command()
@_file
@_games
@_reason
@click.option("--winner", metavar="TEAM", help="Who wins each of them.")
@click.option("--draw", is_flag=True, help="They are draws.")
def decide(file: Path, games: str, reason: str, winner: str | None, draw: bool) -> None:
    """Decide how GAMES of the contest in FILE ended.

    GAMES is a match day, a set or one game, as for `contest annul`.
    """
    if draw == (winner is not None):
        raise UsageError("give either --winner TEAM or --draw")
    _rule(file, lambda jury: jury.decide(games, winner or DRAW, reason))


@click.command()
@_file
@_team
@_reason
def withdraw(file: Path, team: str, reason: str) -> None:
    """Withdraw TEAM from the contest in FILE.

    `withdrawn` in the section [entries] of FILE says what happens to its games.
    """
    _rule(file, lambda jury: jury.withdraw(team, reason))


@click.command()
@_file
@_team
@_reason
def enter(file: Path, team: str, reason: str) -> None:
    """Let TEAM, which was added to FILE, join its contest late.

    `late_until` in the section [entries] of FILE says until which match day.
    """
    _rule(file, lambda jury: jury.enter(team, reason), entering=[team])


@click.command()
@_file
def rulings(file: Path) -> None:
    """List all decisions in the contest in FILE."""
    _, state = contest_store.contest_state(file)
    for line in ruling_lines(state.rulings):
        click.echo(line)


COMMANDS = (annul, replay, decide, withdraw, enter, rulings)


def _rule(file: Path, make: Callable[[Jury], Ruling], entering: Collection[str] = ()) -> None:
    definition, opened = contest_store.opened_for_reading(file, entering)
    with closing(opened) as store:
        ruling = make(Jury(definition, contest_store.state_in(store), now=time.time))
        contest_store.add_ruling(store, ruling)
    click.echo(ruling_words(ruling))
