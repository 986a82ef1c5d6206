"""What an observer sees of a room, printed: a line for each message, or the board redrawn."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable

import click

from spielleiter.client.admin import Sight
from spielleiter.client.player import outcome_of
from spielleiter.protocol.lobby import Error, Left, Memento, Paused, Result


def print_lines(sights: Iterable[Sight]) -> None:
    """Print one line for each message."""
    for sight in sights:
        click.echo(_line(sight))


def draw_boards(sights: Iterable[Sight], delay: float = 0.0) -> None:
    """Redraw the board in place on a terminal; a file or pipe gets one board after the other."""
    from spielleiter.draw import terminal  # most commands do not draw

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
