"""The contract of a contest format: one module in `formats/`, found by its file name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from spielleiter.tournament.encounters import Mode
from spielleiter.tournament.pairing import PlayerId
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.section import Section

LateEntries = tuple[tuple[PlayerId, int], ...]
"""Teams that entered late, each with the match day from which on it plays."""


class FormatSettings(Section):
    """The settings in `[format]` of a contest's file; each format has its own."""


class Team(Section):
    """A `[[team]]` of a contest's file; without a player it loses its games."""

    name: PlayerId
    player: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Entrants:
    """The teams of a contest."""

    contest: str
    teams: tuple[Team, ...]
    joined: Mapping[PlayerId, int] = field(default_factory=dict)
    """Team that entered late → the match day from which on it plays."""

    @property
    def names(self) -> tuple[PlayerId, ...]:
        """The names of the teams that were there from the start, in the order of the file."""
        return tuple(team.name for team in self.teams if team.name not in self.joined)

    @property
    def late(self) -> LateEntries:
        """The teams that entered late, in the order of the file."""
        found = (team.name for team in self.teams if team.name in self.joined)
        return tuple((name, self.joined[name]) for name in found)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContestFormat:
    """The description of a format, exported as `FORMAT` by its module."""

    title: str
    """The English title; translations are in `contest.format`."""
    settings: type[FormatSettings] = FormatSettings
    schedule: Callable[[Entrants, Mode, Any], Schedule]
    """(entrants, mode, settings) → the schedule; raises UsageError for invalid settings."""
    template: str = ""
    """The `[format]` section of a new contest's file, with comments."""
    ranks_teams: bool = True
    """Whether the contest chooses how teams are ranked (`ranking` in its file)."""
    least_games: int = 1
    """Games that an encounter of the official contest has at least."""
    takes_late_entries: bool = False
    """Whether a team can join while the contest runs."""

    def seats(self, settings: Any) -> int:
        """How many teams sit at a table."""
        return int(getattr(settings, "seats", 2))
