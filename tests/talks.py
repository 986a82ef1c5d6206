"""The recorded conversations of all games, found in their `facts/talks/<year>/` folders."""

from __future__ import annotations

import functools
import gzip
from dataclasses import dataclass
from pathlib import Path

import spielleiter
from spielleiter.protocol import conversation
from spielleiter.protocol.dialect import Y2019, Y2021, Y2026, Dialect

_GAMES = Path(spielleiter.__file__).parent / "games"
_DIALECTS = {"2019": Y2019, "2021": Y2021, "2026": Y2026, "2027": Y2026}


@dataclass(frozen=True, slots=True)
class Stream:
    """All bytes of one direction of one connection."""

    name: str
    dialect: Dialect
    data: bytes


@functools.cache
def streams(*, by_client: bool) -> tuple[Stream, ...]:
    """Every recorded stream of that direction."""
    return tuple(
        Stream(f"{path.parent.name}/{path.name.split('.')[0]} {name}", _dialect(path), data)
        for path in sorted(_GAMES.glob("*/facts/talks/*/*.txt.gz"))
        for name, data in conversation.streams(_read(path), by_client=by_client).items()
    )


@functools.cache
def replays() -> tuple[bytes, ...]:
    """Every recorded replay file."""
    paths = sorted(_GAMES.glob("*/facts/talks/*/*.xml.gz"))
    return tuple(gzip.decompress(path.read_bytes()) for path in paths)


def _dialect(path: Path) -> Dialect:
    return _DIALECTS[path.parent.name]


@functools.cache
def _read(path: Path) -> tuple[conversation.RecordedChunk, ...]:
    return conversation.read(gzip.decompress(path.read_bytes()))
