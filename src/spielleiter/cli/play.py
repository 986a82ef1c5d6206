"""`spielleiter play GAME`: a game in the terminal, between people and built-in players."""

from __future__ import annotations

import sys
import time

import click

from spielleiter import bots, games
from spielleiter.cli._options import (
    EXTRA,
    PlayerName,
    authority_option,
    game_argument,
    seed_option,
    set_up,
)
from spielleiter.draw import terminal
from spielleiter.errors import IllegalMove, TextError, UsageError
from spielleiter.game import Authority, Bot, Clock, Game, Move, Position
from spielleiter.match.local_game import LocalGame

HUMAN = "human"


@click.command(context_settings={"help_option_names": ["-h", "--help"], **EXTRA})
@game_argument
@click.option(
    "--seat",
    "players",
    multiple=True,
    type=PlayerName(),
    help="Who plays the next seat: human, a built-in player, or your own file.",
)
@click.option("--position", metavar="TEXT", help="Begin here instead of at the start.")
@click.option("--delay", type=float, default=0.0, help="Seconds to look at each position.")
@click.option("--quiet", is_flag=True, help="Only the moves and the result.")
@seed_option
@authority_option
@click.pass_context
def command(
    ctx: click.Context,
    game: str,
    players: tuple[str, ...],
    position: str | None,
    delay: float,
    quiet: bool,
    seed: int,
    authority: Authority,
) -> None:
    """Play GAME here in the terminal. Seats that are not named are played by `random`.

    Options of the set-up, such as --map NAME, are listed by `spielleiter games`.
    """
    edition = games.load(game, authority)
    options = set_up(edition, ctx.args)
    start = edition.parse(position) if position else edition.start(seed, **options)
    table = LocalGame(edition, start, _seated(players, start.seats, seed))
    show = _Printer(edition, delay, quiet)
    show.position(start, None)
    for move in table.moves():
        show.move(table, move)
    show.result(table)


class Human(Bot):
    """A person at the keyboard."""

    name = HUMAN

    def choose(self, position: Position, clock: Clock) -> Move:
        """Ask until a legal move is typed."""
        while True:
            text = _ask()
            if text in ("?", "help"):
                _explain(position)
                continue
            try:
                return _legal(position, text)
            except (TextError, IllegalMove) as error:
                click.echo(f"{error}. Type ? for the legal moves.")


class _Printer:
    """Shows a game: redrawn in place on a terminal, else line by line."""

    def __init__(self, game: Game, delay: float, quiet: bool) -> None:
        self._game, self._delay, self._quiet = game, delay, quiet
        self._in_place = sys.stdout.isatty() and delay > 0

    def position(self, position: Position, last: Move | None) -> None:
        if self._quiet:
            return
        if self._in_place:
            click.clear()
        click.echo(terminal.render(self._game.scene(position, last)))
        time.sleep(self._delay)

    def move(self, table: LocalGame, move: Move) -> None:
        self.position(table.position, move)
        if self._quiet:
            click.echo(move.text())

    def result(self, table: LocalGame) -> None:
        click.echo()
        for line in table.summary():
            click.echo(line)


def _seated(players: tuple[str, ...], seats: int, seed: int) -> list[Bot]:
    if len(players) > seats:
        raise UsageError(f"this game has {seats} seats, not {len(players)}")
    chosen = [*players, *["random"] * (seats - len(players))]
    return [
        Human() if name == HUMAN else bots.load(name, seed=seed * 16 + seat)
        for seat, name in enumerate(chosen)
    ]


def _ask() -> str:
    try:
        text: str = click.prompt("Your move (? for help, Ctrl-C to stop)", prompt_suffix=": ")
    except click.Abort:
        click.echo("\nThe game was left.")
        raise SystemExit(1) from None
    return text.strip()


def _explain(position: Position) -> None:
    texts = sorted(move.text() for move in position.legal_moves())
    click.echo(f"{len(texts)} legal moves: {'  '.join(texts)}")


def _legal(position: Position, text: str) -> Move:
    move = position.move(text)
    mistake = position.why_illegal(move)
    if mistake is not None:
        raise IllegalMove(mistake.name, mistake.explanation, move.text())
    return move
