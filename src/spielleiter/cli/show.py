"""`spielleiter show POSITION`: draw a position, or a recorded game."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import click

from spielleiter.cli._options import GameName, authority_option, position_of
from spielleiter.cli._pictures import write_png
from spielleiter.draw import svg, terminal
from spielleiter.errors import UsageError
from spielleiter.game import Authority, Game, Scene, Seat
from spielleiter.match import Frame, Opened
from spielleiter.match.record import described


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("position", metavar="POSITION|FILE|STORE")
@click.argument("key", required=False, metavar="[KEY]")
@click.option("--game", type=GameName(), help="Which edition; by default the newest that fits.")
@authority_option
@click.option("--svg", "picture", type=click.Path(path_type=Path), help="Write a picture instead.")
@click.option("--png", "pixels", type=click.Path(path_type=Path), help="The same as PNG.")
@click.option("--scale", type=float, default=1.0, help="How large the PNG is.  [default: 1]")
@click.option("--last", metavar="MOVE", help="Mark this move as the last one.")
@click.option(
    "--turn",
    type=int,
    help="Only the position after this turn of a FILE or KEY; 0: start, -1: end.",
)
@click.option("--step", type=int, hidden=True)  # what --turn was called
@click.option("--delay", type=float, default=0.0, help="Seconds to look at each turn of a FILE.")
def command(
    position: str,
    key: str | None,
    game: str | None,
    authority: Authority,
    picture: Path | None,
    pixels: Path | None,
    scale: float,
    last: str | None,
    turn: int | None,
    step: int | None,
    delay: float,
) -> None:
    """Draw POSITION in the terminal or as a picture.

    It is given as a text, or as `start` (or `start:SEED`): the beginning of the GAME.

    If it is the name of a FILE, its recorded game is shown, position by position: a
    replay of the Software-Challenge (.xml or .xml.gz, any season) or a log of the course's server.
    In the STORE of a match or contest, KEY says which game: see `spielleiter records`.
    """
    if key or _is_file(position):
        edition, frames = _recorded(position, key, game, authority)
        wanted = step if turn is None else turn
        if wanted is None and picture is None and pixels is None:
            _replay(edition, frames, delay)
            return
        shown = _chosen(frames, -1 if wanted is None else wanted)
        if picture is None and pixels is None:
            click.echo(_title(edition, frames, shown))
        scene = edition.scene(shown.position, shown.last)
    else:
        edition, parsed = position_of(position, game, authority)
        scene = edition.scene(parsed, parsed.move(last) if last else None)
    _draw(scene, picture, pixels, scale)


def _draw(scene: Scene, picture: Path | None, pixels: Path | None, scale: float) -> None:
    if picture is None and pixels is None:
        click.echo(terminal.render(scene))
    if picture is not None:
        picture.write_text(svg.render(scene), "utf-8")
        click.echo(f"wrote {picture}")
    if pixels is not None:
        write_png(pixels, svg.render(scene), scale)


# ----------------------------------------------------------------------------------- recorded games


def _is_file(name: str) -> bool:
    try:
        return Path(name).is_file()
    except (OSError, ValueError):  # a long position is no name of a file
        return False


def _recorded(
    source: str, key: str | None, game: str | None, authority: Authority
) -> tuple[Game, list[Frame]]:
    """The game in a file, or that of a key in a store, position by position."""
    from spielleiter.service import recorded_frames  # to draw a position takes less without it

    if key is not None:
        return recorded_frames.of_store(source, key)
    return recorded_frames.of_file(Path(source), game, authority)


def _chosen(frames: list[Frame], number: int) -> Frame:
    if not -len(frames) <= number < len(frames):
        raise UsageError(f"this game has the turns 0 to {len(frames) - 1}, not {number}")
    return frames[number]


def _replay(edition: Game, frames: list[Frame], delay: float) -> None:
    in_place = sys.stdout.isatty() and delay > 0
    for frame in frames:
        if in_place:
            click.clear()
        click.echo(_title(edition, frames, frame))
        click.echo(terminal.render(edition.scene(frame.position, frame.last)))
        time.sleep(delay)


def _title(edition: Game, frames: Sequence[Frame], frame: Frame) -> str:
    """What led to a position: `3: mybot.py (blue) played d3`."""
    turn = frame.turn
    players = [_player(edition, frames, seat) for seat in range(frame.position.seats)]
    if turn.seat is None:
        return f"start: {' – '.join(players)}"
    what = f"disqualified: {described(turn.fault)}" if turn.fault else f"played {turn.move}"
    return f"{turn.number}: {players[turn.seat]} {what}"


def _player(edition: Game, frames: Sequence[Frame], seat: Seat) -> str:
    """The name of a player with the seat; the seat alone if there is no name."""
    opened = frames[0].turn.event
    name = opened.names[seat] if isinstance(opened, Opened) else ""
    return f"{name} ({edition.seat_names[seat]})" if name else edition.seat_names[seat]
