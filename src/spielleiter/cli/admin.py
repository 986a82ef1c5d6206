"""`spielleiter admin …`: prepare, hold, end and watch games on a contest server."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import click

from spielleiter.cli._options import authority_option
from spielleiter.client.admin import PASSWORD, Administrator, Sight
from spielleiter.client.connection import HOST, PORT
from spielleiter.client.player import outcome_of
from spielleiter.game import Authority
from spielleiter.protocol.lobby import Error, Left, Memento, Paused, Result


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Administer games on a contest server."""


def _server(function: Callable[..., Any]) -> Callable[..., Any]:
    """Where the server is, and the password that makes us its administrator."""
    options = (
        click.option("--host", default=HOST, show_default=True, help="The server's address."),
        click.option("-p", "--port", default=PORT, show_default=True, help="Its port."),
        click.option(
            "--password",
            default=PASSWORD,
            envvar="SPIELLEITER_PASSWORD",
            show_default=True,
            show_envvar=True,
            help="The administrator's password.",
        ),
    )
    for option in reversed(options):
        function = option(function)
    return function


def _season(function: Callable[..., Any]) -> Callable[..., Any]:
    """--game, for official servers of old."""
    return click.option(
        "--game",
        metavar="GAME",
        help="The room's game; only official servers of 2019 and 2021 need to be told.",
    )(function)


room_argument = click.argument("room", metavar="ROOM")


@command.command()
@click.argument("game", metavar="GAME")
@click.option("--name", "names", multiple=True, help="A player's name. Once for each seat.")
@click.option("--pause", is_flag=True, help="The game waits for `pause --off` or `step`.")
@click.option("--no-timeout", is_flag=True, help="The players may think as long as they like.")
@click.option("--open", "unreserved", is_flag=True, help="Anybody may take the seats.")
@_server
@authority_option
def prepare(
    game: str,
    names: tuple[str, ...],
    pause: bool,
    no_timeout: bool,
    unreserved: bool,
    host: str,
    port: int,
    password: str,
    authority: Authority,
) -> None:
    """Open a room for GAME; prints its id and the players' codes, a line each."""
    names = (*names, *("player1", "player2")[len(names) :])
    with Administrator.open(host, port, password, game=game, authority=authority) as admin:
        prepared = admin.prepare(
            names, pause=pause, can_timeout=not no_timeout, reserved=not unreserved
        )
    click.echo(f"room {prepared.room}")
    for name, code in zip(names, prepared.reservations, strict=False):
        click.echo(f"reservation {code} {name}")


@command.command()
@room_argument
@click.option("--off", is_flag=True, help="Let the game go on.")
@_server
@_season
def pause(room: str, off: bool, host: str, port: int, password: str, game: str | None) -> None:
    """Hold the game in ROOM, or let it go on."""
    _tell(host, port, password, game, lambda admin: admin.pause(room, not off))


@command.command()
@room_argument
@click.option("--forced", is_flag=True, help="Even if players are missing.")
@_server
@_season
def step(room: str, forced: bool, host: str, port: int, password: str, game: str | None) -> None:
    """Let the player on turn in the held ROOM make one move."""
    _tell(host, port, password, game, lambda admin: admin.step(room, forced))


@command.command()
@room_argument
@_server
@_season
def cancel(room: str, host: str, port: int, password: str, game: str | None) -> None:
    """End the game in ROOM now."""
    _tell(host, port, password, game, lambda admin: admin.cancel(room))


@command.command()
@click.argument("room", metavar="[ROOM]", required=False)
@_server
@_season
@authority_option
def observe(
    room: str | None,
    host: str,
    port: int,
    password: str,
    game: str | None,
    authority: Authority,
) -> None:
    """Print what happens in ROOM, or in the next room that somebody joins, a line each."""
    with Administrator.open(host, port, password, game=game, authority=authority) as admin:
        for sight in admin.observe(room or admin.next_room()):
            click.echo(_line(sight))


@command.command()
@click.argument("room", metavar="[ROOM]", required=False)
@_server
@_season
@authority_option
@click.option("--delay", type=click.FloatRange(0), default=0.0, help="Seconds for each position.")
def watch(
    room: str | None,
    delay: float,
    host: str,
    port: int,
    password: str,
    game: str | None,
    authority: Authority,
) -> None:
    """Draw the game in ROOM, or in the next room that somebody joins, while it is played."""
    with Administrator.open(host, port, password, game=game, authority=authority) as admin:
        draw(admin.observe(room or admin.next_room()), delay)


def _tell(
    host: str,
    port: int,
    password: str,
    game: str | None,
    say: Callable[[Administrator], None],
) -> None:
    """Most requests have no answer but a refusal, so wait a moment for that."""
    with Administrator.open(host, port, password, game=game) as admin:
        say(admin)
        admin.settle()


def _line(sight: Sight) -> str:
    match sight.message:
        case Memento():
            moved = f" after {sight.last.text()}" if sight.last is not None else ""
            hints = "".join(f" [{hint}]" for hint in sight.hints)
            return f"position {_text(sight)}{moved}{hints}"
        case Paused(_, paused):
            return "paused" if paused else "goes on"
        case Error(_, message):
            return f"error {' '.join(message.split())}"
        case Result():
            return _result(sight.message)
    return "left"


def _text(sight: Sight) -> str:
    assert sight.position is not None, "a state always has a position"
    text: str = sight.position.text()
    return text


def _result(result: Result) -> str:
    outcome = outcome_of(result)
    won = "draw" if outcome.winner is None else f"seat {outcome.winner + 1} wins"
    scores = " : ".join(str(score) for score in outcome.scores)
    reason = " ".join(outcome.reason.split())
    return f"result {won}, {scores}" + (f" ({reason})" if reason else "")


def draw(sights: Iterable[Sight], delay: float = 0.0) -> None:
    """Redraws in place where somebody looks; a file or pipe gets one board after the other."""
    from spielleiter.draw import terminal  # only this command draws

    for sight in sights:
        if isinstance(sight.message, Memento):
            assert sight.season is not None
            assert sight.position is not None, "a state always has a position"
            if sys.stdout.isatty():
                click.clear()
            scene = sight.season.game.scene(sight.position, sight.last)
            click.echo(terminal.render(scene))
            time.sleep(delay)
        elif not isinstance(sight.message, Left):
            click.echo(_line(sight))
