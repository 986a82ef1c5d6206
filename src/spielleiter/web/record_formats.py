"""Functions that other packages provide to read, write and draw records of games."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spielleiter.errors import UsageError
from spielleiter.game import Scene
from spielleiter.match import GameRecord


@dataclass(frozen=True, slots=True)
class File:
    """A record of a game as programs exchange it."""

    suffix: str
    content: bytes
    media_type: str = "application/xml"


def _no_reader(content: bytes) -> GameRecord:
    raise UsageError("this arena reads no files")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordFormats:
    """Functions for reading, writing and drawing records."""

    read: Callable[[bytes], GameRecord] = _no_reader
    """The record in an unpacked file; raises TextError with what is wrong and where."""
    write: Callable[[GameRecord], File | None] = lambda record: None
    """The record of a game, if its kind of game has one."""
    suffix: Callable[[GameRecord], str | None] = lambda record: None
    """The suffix of that file; cheaper than writing it."""
    svg: Callable[[Scene], str] | None = None
    png: Callable[[Scene], bytes] | None = None
