"""The progress display that all commands share."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Self

import click

_PLAIN_EVERY, _LIVE_EVERY = 60.0, 0.1
"""Seconds between two lines in a file or pipe, where each stays, and on a terminal."""
_BAR = 24
STOPPED = 130
"""The exit status after Ctrl-C."""


class Progress:
    """A line that is redrawn on a terminal; elsewhere an occasional plain line."""

    def __init__(self, *, silent: bool = False, now: Callable[[], float] = time.monotonic) -> None:
        self._silent, self._now = silent, now
        self._live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        self._next = now() + (0.0 if self._live else _PLAIN_EVERY)

    def show(self, line: Callable[[], str]) -> None:
        """Show the progress if it is time to; the line is made only then."""
        if self._silent or self._now() < self._next:
            return
        text = line()
        if self._live:  # a longer line would wrap, and only its last part would be erased
            text = f"\r\x1b[K{text[: shutil.get_terminal_size().columns - 1]}"
        click.echo(text, err=True, nl=not self._live)
        self._next = self._now() + (_LIVE_EVERY if self._live else _PLAIN_EVERY)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    @contextmanager
    def until_stopped(self) -> Iterator[None]:
        """Leave a clean line at the end; Ctrl-C ends the command with a message and status 130."""
        try:
            with self:
                yield
        except KeyboardInterrupt:
            click.echo("Stopped. The same command continues from here.", err=True)
            sys.exit(STOPPED)

    def end(self) -> None:
        """Leave a clean line."""
        if self._live and not self._silent:
            click.echo("\r\x1b[K", err=True, nl=False)


def bar(share: float) -> str:
    """A share between 0 and 1, drawn."""
    full = round(_BAR * min(max(share, 0.0), 1.0))
    return f"[{'#' * full}{'.' * (_BAR - full)}]"
