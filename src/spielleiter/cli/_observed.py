"""Prints what an observer sees of a room: a line for each message, or the board."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable

import click

from spielleiter.client.admin import ObservedMessage
from spielleiter.client.player import outcome_of
from spielleiter.protocol.lobby import Error, Left, Memento, Paused, Result


def print_lines(messages: Iterable[ObservedMessage]) -> None:
    """Print one line for each message."""
    for observed in messages:
        click.echo(_line(observed))


def draw_boards(messages: Iterable[ObservedMessage], delay: float = 0.0) -> None:
    """Redraw the board in place on a terminal; a file or pipe gets one board after the other."""
    from spielleiter.draw import terminal  # most commands do not draw

    for observed in messages:
        if isinstance(observed.message, Memento):
            assert observed.season is not None
            assert observed.position is not None, "a state always has a position"
            if sys.stdout.isatty():
                click.clear()
            scene = observed.season.game.scene(observed.position, observed.last)
            click.echo(terminal.render(scene))
            time.sleep(delay)
        elif not isinstance(observed.message, Left):
            click.echo(_line(observed))


def _line(observed: ObservedMessage) -> str:
    match observed.message:
        case Memento():
            moved = f" after {observed.last.text()}" if observed.last is not None else ""
            hints = "".join(f" [{hint}]" for hint in observed.hints)
            return f"position {_text(observed)}{moved}{hints}"
        case Paused(_, paused):
            return "paused" if paused else "goes on"
        case Error(_, message):
            return f"error {' '.join(message.split())}"
        case Result():
            return _result(observed.message)
    return "left"


def _text(observed: ObservedMessage) -> str:
    assert observed.position is not None, "a state always has a position"
    text: str = observed.position.text()
    return text


def _result(result: Result) -> str:
    outcome = outcome_of(result)
    won = "draw" if outcome.winner is None else f"seat {outcome.winner + 1} wins"
    scores = " : ".join(str(score) for score in outcome.scores)
    reason = " ".join(outcome.reason.split())
    return f"result {won}, {scores}" + (f" ({reason})" if reason else "")
