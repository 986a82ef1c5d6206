"""What the ladder needs from the registry of teams, bots and versions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

LEVELS = range(1, 11)
_MARK = "level-"


class LadderVersion(Protocol):
    """A version of a bot that may play."""

    @property
    def id(self) -> str:
        """Its opaque id in the record."""
        ...

    @property
    def team(self) -> str:
        """The id of its team."""
        ...

    @property
    def edition(self) -> str:
        """The game that it plays."""
        ...

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def team_name(self) -> str:
        """The name of its team."""
        ...

    @property
    def hash(self) -> str:
        """The SHA-256 of its file."""
        ...

    @property
    def path(self) -> Path:
        """The path of its file."""
        ...


class Roster(Protocol):
    """Lists the versions and notifies their teams."""

    def released_versions(self, edition: str) -> Sequence[LadderVersion]:
        """The versions of an edition that may play."""
        ...

    def version(self, version: str, /) -> LadderVersion | None:
        """The version of an id in any state; None if there is none."""
        ...

    def versions(self, versions: Sequence[str], /) -> Sequence[LadderVersion]:
        """The versions of these ids, as far as there are any."""
        ...

    def park(self, version: str, reason: str, /) -> None:
        """Stop a version from playing until it is unparked."""
        ...

    def tell(self, team: str, version: str, failures: int, fault: str, /) -> None:
        """Tell a team that its version is parked, and why."""
        ...


def mark(level: int) -> str:
    """The id of a built-in level; levels never change, so they anchor the scale."""
    return f"{_MARK}{level}"


def marks() -> tuple[str, ...]:
    """The ids of all built-in levels."""
    return tuple(map(mark, LEVELS))


def is_mark(player: str) -> bool:
    """Whether an id is that of a built-in level."""
    return player.startswith(_MARK)


def level_of(player: str) -> int:
    """The level of such an id."""
    return int(player.removeprefix(_MARK))
