"""Presentation of a contest by a host: results are hidden until each game was shown.

Its state is in a file beside the contest's, so that a restart of the arena reveals nothing. It is
not part of the record: games count as soon as they are in the store.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from spielleiter.errors import StoreError
from spielleiter.store.private import write_private


@dataclass(frozen=True, slots=True)
class Presentation:
    """The games that wait for a host."""

    since: int | None = None
    """The last number of the store before a host took over; None: there is no host."""
    shown: frozenset[str] = frozenset()
    """Keys of games that were shown since."""

    @property
    def hosted(self) -> bool:
        """Whether a host starts the games that are shown."""
        return self.since is not None

    def waits(self, key: str, number: int) -> bool:
        """Whether a game, by its key and its number in the store, is still to be shown."""
        return self.since is not None and number > self.since and key not in self.shown

    def with_shown(self, key: str) -> Presentation:
        """The same after one more game was shown."""
        return Presentation(self.since, self.shown | {key})

    def write(self, file: Path) -> None:
        """Save it; raises StoreError."""
        told = {"since": self.since, "shown": sorted(self.shown)}
        try:
            write_private(file, json.dumps(told).encode())
        except OSError as problem:
            raise StoreError(f"{file} cannot be written: {problem}") from problem


def read_presentation(file: Path) -> Presentation:
    """Read the saved state; without a file there is no host."""
    try:
        told = json.loads(file.read_text("utf-8"))
        since = told["since"]
        return Presentation(None if since is None else int(since), frozenset(told["shown"]))
    except FileNotFoundError:
        return Presentation()
    except (OSError, ValueError, TypeError, KeyError) as problem:
        raise StoreError(f"{file} is damaged: {problem}") from problem


def presentation_file_of(contest: Path) -> Path:
    """The path of the state for a contest's file."""
    return contest.with_suffix(".stage")
