"""API models of seasons."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from spielleiter.season.season import SeasonState
from spielleiter.tournament.walkovers import WithdrawalRule
from spielleiter.web.models import Model

_LONGEST = 2_000
Reason = Annotated[str, Field(min_length=1, max_length=_LONGEST)]
Moment = Annotated[float, Field(ge=0, le=1e11)]


class SeasonForm(Model):
    """What organisers choose; everything else of a definition comes from a contest's file."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    game: str
    format: str
    games: Annotated[int, Field(ge=1, le=100)] = 6
    """Per encounter."""
    seconds: Annotated[float, Field(gt=0, le=3_600)] = 2.0
    """Per move."""
    seed: Annotated[int, Field(ge=0, lt=2**53)] | None = None
    """The random seed; None: a new one, or hidden until the end."""
    ranking: Literal["document", "site"] = "document"
    unofficial: bool = False
    late_until: Annotated[int, Field(ge=0, le=1_000)] = 0
    withdrawn: WithdrawalRule = "half"
    freeze: Literal["start", "match day"] = "start"
    settings: dict[str, int | bool] = Field(default_factory=dict)
    """Those of the format."""


class SeasonOrder(Model):
    """A season as organisers want it."""

    form: SeasonForm
    enter_until: Moment | None = None
    """The deadline for entries in seconds since 1970; None: the start."""
    times: dict[int, Moment] = Field(default_factory=dict)
    """Match day → when it begins by itself."""


class SeasonText(Model):
    """A contest's file."""

    toml: Annotated[str, Field(max_length=60_000)]


class SeasonCommand(Model):
    """A command for a season."""

    action: Literal["open", "check", "rehearse", "start", "pause", "resume", "finish"]
    despite_problems: bool = False
    """`start`: although players fail."""


class DayOrder(Model):
    """The match day to release; None: the next one."""

    day: Annotated[int, Field(ge=1, le=1_000)] | None = None


class EntryOrder(Model):
    """The version that a team enters."""

    version: str


class WithdrawalOrder(Model):
    """The reason of a withdrawal."""

    reason: Reason


class RulingOrder(Model):
    """A ruling of the jury."""

    action: Literal["annul", "replay", "decide"]
    scope: Annotated[str, Field(min_length=1, max_length=400)]
    """`day 3`, the key of a set, or of a game."""
    winner: str = ""
    """`decide`: the id of the team that wins; empty: a draw."""
    reason: Reason


class SettingView(Model):
    """A setting of a format."""

    name: str
    is_switch: bool
    default: int | bool | None


class FormatView(Model):
    """A format that a season can have."""

    name: str
    title: str
    least_games: int
    takes_late_entries: bool
    settings: tuple[SettingView, ...]


class SeasonEditionView(Model):
    """A game that a season can be about."""

    edition: str
    title: str


class SeasonChoices(Model):
    """What organisers can choose from."""

    formats: tuple[FormatView, ...]
    editions: tuple[SeasonEditionView, ...]


class SeasonSummary(Model):
    """A season in the list of all."""

    id: str
    name: str
    edition: str
    edition_title: str
    state: SeasonState
    teams: int
    enter_until: float | None


class SeasonEntryView(Model):
    """A team that takes part."""

    team: str
    name: str
    """Empty: it was erased."""
    withdrawn: bool
    late: int | None
    """The match day on which it joined, if that was late."""
    version: str | None
    """The title of its version, for itself and the organisers."""
    hash: str
    """The beginning of the SHA-256 of what plays, once it is frozen."""


class SeasonDayView(Model):
    """A match day."""

    number: int
    title: str
    phases: tuple[str, ...]
    games: int
    played: int
    released: bool
    over: bool
    annulled: bool
    """Whether none of its games counts."""
    begins: float | None
    """When it begins by itself."""


class SeasonTaskView(Model):
    """A check of all players, or a rehearsal."""

    state: Literal["running", "done", "failed"]
    at: float
    problems: dict[str, str]
    """Name of a team → what is wrong; the empty name: what is wrong with us."""
    games: int
    seconds: float
    longest: float | None
    table: tuple[str, ...]


class SeasonChoiceView(Model):
    """A version with which a team can enter."""

    id: str
    title: str
    active: bool


class MySeasonTeam(Model):
    """A team for which the caller can act."""

    team: str
    name: str
    entered: bool
    version: str | None
    choices: tuple[SeasonChoiceView, ...]


class SpoiltGameView(Model):
    """A game that was spoilt by a machine."""

    game: str
    machine: str
    reason: str


class SeasonView(Model):
    """A season with everything that its page shows."""

    id: str
    name: str
    edition: str
    edition_title: str
    format_title: str
    state: SeasonState
    form: SeasonForm
    enter_until: float | None
    released: int
    contest: str | None
    """Its contest, once it has begun."""
    entries: tuple[SeasonEntryView, ...]
    days: tuple[SeasonDayView, ...]
    is_over: bool
    """Whether nothing is left to play."""
    mine: tuple[MySeasonTeam, ...]
    trouble: str
    """Why nothing can be played at the moment, for organisers; empty: it can."""
    spoilt: tuple[SpoiltGameView, ...]
    """The newest games that a machine spoilt, for organisers: they are played again."""
    spoilt_games: int
    check: SeasonTaskView | None
    rehearsal: SeasonTaskView | None
    may_run: bool
    may_judge: bool
