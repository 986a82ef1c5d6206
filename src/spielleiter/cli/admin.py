"""`spielleiter admin …`: prepare, pause, end and watch games on a contest server."""

from __future__ import annotations

import click

from spielleiter.cli._login import Login, login_options
from spielleiter.cli._observed import draw_boards, print_lines
from spielleiter.cli._options import authority_option
from spielleiter.game import Authority


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def command() -> None:
    """Administer games on a contest server."""


game_option = click.option(
    "--game",
    metavar="GAME",
    help="The room's game; only official servers of 2019 and 2021 need it.",
)
room_argument = click.argument("room", metavar="ROOM")
any_room_argument = click.argument("room", metavar="[ROOM]", required=False)


@command.command()
@click.argument("game", metavar="GAME")
@click.option("--name", "names", multiple=True, help="A player's name. Once for each seat.")
@click.option("--pause", is_flag=True, help="The game waits for `pause --off` or `step`.")
@click.option("--no-timeout", is_flag=True, help="The players may think as long as they like.")
@click.option("--open", "unreserved", is_flag=True, help="Anybody may take the seats.")
@login_options
@authority_option
def prepare(
    server: Login,
    game: str,
    names: tuple[str, ...],
    pause: bool,
    no_timeout: bool,
    unreserved: bool,
    authority: Authority,
) -> None:
    """Open a room for GAME; print its id and the players' codes."""
    names = (*names, *("player1", "player2")[len(names) :])
    with server.open(game, authority) as admin:
        prepared = admin.prepare(
            names, pause=pause, can_timeout=not no_timeout, reserved=not unreserved
        )
    click.echo(f"room {prepared.room}")
    for name, code in zip(names, prepared.reservations, strict=False):
        click.echo(f"reservation {code} {name}")


@command.command()
@room_argument
@click.option("--off", is_flag=True, help="Let the game go on.")
@login_options
@game_option
def pause(server: Login, room: str, off: bool, game: str | None) -> None:
    """Pause the game in ROOM, or resume it."""
    server.tell(game, lambda admin: admin.pause(room, not off))


@command.command()
@room_argument
@click.option("--forced", is_flag=True, help="Even if players are missing.")
@login_options
@game_option
def step(server: Login, room: str, forced: bool, game: str | None) -> None:
    """Let the player to move in the paused ROOM make one move."""
    server.tell(game, lambda admin: admin.step(room, forced))


@command.command()
@room_argument
@login_options
@game_option
def cancel(server: Login, room: str, game: str | None) -> None:
    """End the game in ROOM now."""
    server.tell(game, lambda admin: admin.cancel(room))


@command.command()
@any_room_argument
@login_options
@game_option
@authority_option
def observe(server: Login, room: str | None, game: str | None, authority: Authority) -> None:
    """Print every event in ROOM, or in the next one, one per line."""
    with server.open(game, authority) as admin:
        print_lines(admin.observe(room or admin.next_room()))


@command.command()
@any_room_argument
@login_options
@game_option
@authority_option
@click.option("--delay", type=click.FloatRange(0), default=0.0, help="Seconds for each position.")
def watch(
    server: Login, room: str | None, delay: float, game: str | None, authority: Authority
) -> None:
    """Draw the game in ROOM, or in the next one, while it is played."""
    with server.open(game, authority) as admin:
        draw_boards(admin.observe(room or admin.next_room()), delay)
