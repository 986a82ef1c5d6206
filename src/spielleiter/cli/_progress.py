"""The progress display that all commands share."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

_PLAIN_EVERY, _LIVE_EVERY = 10.0, 0.1
_BAR = 24
_STOPPED = 130


class Progress:
    """A line that is redrawn on a terminal; elsewhere an occasional plain line."""

    def __init__(self, *, silent: bool = False, now: Callable[[], float] = time.monotonic) -> None:
        self._silent, self._now = silent, now
        self._live = sys.stderr.isatty()
        self._next = now() + (0.0 if self._live else _PLAIN_EVERY)

    def show(self, line: Callable[[], str]) -> None:
        """Show the progress if it is time to; the line is made only then."""
        if self._silent or self._now() < self._next:
            return
        text = line()
        click.echo(f"\r\x1b[K{text}" if self._live else text, err=True, nl=not self._live)
        self._next = self._now() + (_LIVE_EVERY if self._live else _PLAIN_EVERY)

    @contextmanager
    def until_stopped(self) -> Iterator[None]:
        """Leave a clean line at the end; Ctrl-C ends the command with a message and status 130."""
        try:
            yield
        except KeyboardInterrupt:
            self.end()
            click.echo("Stopped. The same command continues from here.", err=True)
            sys.exit(_STOPPED)
        self.end()

    def end(self) -> None:
        """Leave a clean line."""
        if self._live and not self._silent:
            click.echo("\r\x1b[K", err=True, nl=False)


def bar(share: float) -> str:
    """A share between 0 and 1, drawn."""
    full = round(_BAR * min(max(share, 0.0), 1.0))
    return f"[{'#' * full}{'.' * (_BAR - full)}]"
