"""Queued output: everything that follows from an input is sent in one piece per connection."""

from __future__ import annotations

from typing import Protocol

from spielleiter.server.table import Table


class Writer(Protocol):
    """A connection that collects what it has to send."""

    def flush(self) -> None:
        """Write it."""
        ...


class Outbox:
    """The connections with something to write, and the tables whose requests are among it."""

    __slots__ = ("_asked", "_held", "_writers")

    def __init__(self) -> None:
        self._writers: list[Writer] = []
        self._asked: list[Table] = []
        self._held = False

    def add(self, writer: Writer) -> None:
        """Note that a connection has something to write."""
        self._writers.append(writer)

    def request(self, table: Table, writer: Writer | None) -> None:
        """Note a move request; its connection is written first."""
        self._asked.append(table)
        writers = self._writers
        if writer is not None and writers and writers[0] is not writer and writer in writers:
            writers.remove(writer)
            writers.insert(0, writer)

    def hold(self) -> None:
        """Write nothing until `release`: several inputs follow each other."""
        self._held = True

    def release(self) -> None:
        """Write what has been held."""
        self._held = False
        self.flush()

    def flush(self) -> None:
        """Write everything, then start the clocks of the players who were asked; not while held."""
        if self._held:
            return
        while self._writers:
            writers, self._writers = self._writers, []
            for writer in writers:
                writer.flush()
        if self._asked:
            asked, self._asked = self._asked, []
            for table in asked:
                table.asked()
