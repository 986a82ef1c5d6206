"""The stored state of a season: its definition, entries and released match days."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from spielleiter.errors import StoreError, UsageError
from spielleiter.programs.output_files import OutputFiles
from spielleiter.season.definition_text import Data
from spielleiter.store.private import private_folder, write_private

SeasonState = Literal["draft", "open", "starting", "running", "paused", "finished"]
STATE, CONTEST, RECORD, REHEARSAL = "season.json", "contest.toml", "contest.db", "rehearsal.db"
_LONGEST_ID = 40


class NoSuchSeason(UsageError):
    """No season has that id."""


@dataclass(frozen=True, slots=True)
class SeasonEntry:
    """A team that takes part."""

    team: str
    version: str
    """The version that it chose."""
    entered: float
    frozen: str = ""
    """The version that plays, from the moment it is frozen."""
    file: str = ""
    """The SHA-256 of the frozen file."""
    began: bool = False
    """Whether it took part from the start."""


@dataclass(frozen=True, slots=True)
class SeasonTask:
    """State and result of a check of all players, or of a rehearsal."""

    state: Literal["running", "done", "failed"] = "running"
    at: float = 0.0
    problems: dict[str, str] = field(default_factory=dict)
    """Team → what is wrong with its player; the empty team has our own problems."""
    despite_problems: bool = False
    """Whether the season starts although players fail."""
    games: int = 0
    seconds: float = 0.0
    longest: float | None = None
    """Seconds that the season takes if every move takes all its time."""
    table: tuple[str, ...] = ()
    """A rehearsal's teams, best first."""


@dataclass(frozen=True, slots=True)
class SeasonRequest:
    """A pending request of a team to join late or withdraw, done when no game is running."""

    kind: Literal["enter", "withdraw"]
    version: str = ""
    """The version that joins."""
    reason: str = ""
    """The reason for withdrawing."""
    by: str = ""


@dataclass(slots=True)
class ArenaSeason:
    """A season. Callers save it after a change."""

    id: str
    definition: Data
    state: SeasonState = "draft"
    created: float = 0.0
    entries: dict[str, SeasonEntry] = field(default_factory=dict)
    """By the id of the team, in the order they entered."""
    enter_until: float | None = None
    """Deadline for entries, late ones excepted; None: the start."""
    released: int = 0
    """Match days that may be played."""
    times: dict[int, float] = field(default_factory=dict)
    """Match day → when it begins by itself."""
    check: SeasonTask | None = None
    rehearsal: SeasonTask | None = None
    wishes: dict[str, SeasonRequest] = field(default_factory=dict)
    """Pending requests by the id of the team."""

    @property
    def name(self) -> str:
        """The name of the season."""
        return str(self.definition["contest"]["name"])

    @property
    def game(self) -> str:
        """The edition that is played."""
        return str(self.definition["contest"]["game"])

    @property
    def begun(self) -> bool:
        """Whether its record has begun; from then on its definition is fixed."""
        return self.state in ("running", "paused", "finished")


class SeasonFolders:
    """Where seasons are kept: a folder for each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def all(self) -> Iterator[ArenaSeason]:
        """Every season, the newest first."""
        found = []
        for path in self._folder.glob(f"*/{STATE}"):
            with suppress(NoSuchSeason):  # it was removed at this moment
                found.append(self.load(path.parent.name))
        yield from sorted(found, key=lambda each: (-each.created, each.id))

    def path(self, season: str, file: str) -> Path:
        """A file of a season."""
        if not (season.isalnum() and season.isascii() and len(season) <= _LONGEST_ID):
            raise NoSuchSeason(f"there is no season {season[:80]!r}")
        return self._folder / season / file

    def output(self, season: str) -> OutputFiles:
        """The output of bots in the games of a season."""
        return OutputFiles.beside(self.path(season, RECORD))

    def load(self, season: str) -> ArenaSeason:
        """The season of that id; raises NoSuchSeason."""
        try:
            data = json.loads(self.path(season, STATE).read_bytes())
            return _read(data)
        except FileNotFoundError:
            raise NoSuchSeason(f"there is no season {season[:80]!r}") from None
        except (OSError, ValueError, TypeError, KeyError) as problem:
            raise StoreError(f"the season {season} cannot be read: {problem!r}") from problem

    def save(self, season: ArenaSeason) -> None:
        """Save it atomically."""
        path = self.path(season.id, STATE)
        private_folder(path.parent)
        write_private(path, json.dumps(asdict(season), ensure_ascii=False, indent=1).encode())

    def remove(self, season: str) -> None:
        """Remove a season that has not been played."""
        folder = self.path(season, STATE).parent
        for path in folder.glob("*"):
            path.unlink()
        folder.rmdir()


def _read(data: Any) -> ArenaSeason:
    data["entries"] = {team: SeasonEntry(**each) for team, each in data["entries"].items()}
    data["times"] = {int(day): at for day, at in data["times"].items()}
    data["wishes"] = {team: SeasonRequest(**each) for team, each in data.get("wishes", {}).items()}
    for name in ("check", "rehearsal"):
        data[name] = None if data[name] is None else _task(data[name])
    return ArenaSeason(**data)


def _task(data: Any) -> SeasonTask:
    return SeasonTask(**data | {"table": tuple(data["table"])})
