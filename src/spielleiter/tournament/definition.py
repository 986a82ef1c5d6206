"""The definition of a contest: a TOML file, read strictly."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic import Field, SecretStr

from spielleiter.errors import TextError, UsageError
from spielleiter.game import Authority, Game, WireForm
from spielleiter.text import Messages
from spielleiter.tournament import formats
from spielleiter.tournament.encounters import Mode
from spielleiter.tournament.format import ContestFormat, Entrants, FormatSettings, Team
from spielleiter.tournament.pairing import Options, PlayerId
from spielleiter.tournament.rulings import ContestState
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.section import Bytes, Seconds, Section, read_section
from spielleiter.tournament.standings import SITE, Ranking, document
from spielleiter.tournament.time_control import TimeControl, time_control
from spielleiter.tournament.walkovers import WithdrawalRule, WithWalkovers

_messages = Messages("spielleiter", "contest.")
Load = Callable[[str, Authority], Game]
"""Name of an edition and an authority → the game."""


class ContestSection(Section):
    """`[contest]`: what is played, and how."""

    name: str
    game: str
    format: str
    authority: Authority = "document"
    """The authority on the rules."""
    wire: WireForm = "real"
    """The form of the messages that programs get."""
    ranking: Literal["document", "site"] | None = None
    seed: int = 0
    games: int = Field(default=6, ge=1)
    unofficial: bool = False
    concurrency: int | None = Field(default=None, ge=1)
    store: SecretStr | None = None
    """Where its results are kept: a file, or the URL of a database, which may hold a password."""


class LimitsSection(Section):
    """`[limits]`: the time control, and the timeout of a silent player."""

    time: Seconds | None = None
    nodes: int | None = Field(default=None, ge=1)
    patience: Seconds | None = None


class SandboxSection(Section):
    """`[sandbox]`: the isolation level and resource limits of programs."""

    minimum: str | None = None
    memory: Bytes | None = None
    cpu: Seconds | None = None
    processes: int | None = None
    disk: Bytes | None = None
    output: Bytes | None = None
    cores: float | None = None
    freeze: bool | None = None

    def rules(self) -> dict[str, Any]:
        """The given settings by name; processor time in whole seconds."""
        said = self.model_dump(exclude_none=True)
        return said | ({"cpu": max(1, round(said["cpu"]))} if "cpu" in said else {})


class EntriesSection(Section):
    """`[entries]`: late entries, and the games of teams that withdraw."""

    late_until: int = Field(default=0, ge=0)
    """The last match day on which a team may join; 0: nobody joins late."""
    withdrawn: WithdrawalRule = "half"
    """What happens to the games of a team that withdraws."""
    freeze: Literal["start", "match day"] = "start"
    """When the version of a team is fixed."""


class ContestFile(Section):
    """A whole contest's file."""

    contest: ContestSection
    entries: EntriesSection = Field(default_factory=EntriesSection)
    limits: LimitsSection = Field(default_factory=LimitsSection)
    sandbox: SandboxSection = Field(default_factory=SandboxSection)
    format: dict[str, Any] = Field(default_factory=dict)
    team: list[Team] = Field(default_factory=list)
    set_up: list[dict[str, Any]] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Definition:
    """The content of a contest's file."""

    name: str
    game: str
    authority: Authority
    format: str
    seed: int
    games: int
    teams: tuple[Team, ...]
    limits: TimeControl
    settings: FormatSettings
    """Settings of the format."""
    set_ups: tuple[Options, ...]
    ranking: Ranking
    ranking_said: bool
    """Whether the file names its ranking; otherwise it is the document's."""
    unofficial: bool
    """Whether the contest may differ from what the documents demand."""
    wire: WireForm = "real"
    """The form of the messages that programs get: as real servers write them, or the document."""
    concurrency: int | None = None
    store: SecretStr | None = None
    sandbox: Mapping[str, Any] = field(default_factory=dict)
    """The isolation level and resource limits of programs."""
    entries: EntriesSection = field(default_factory=EntriesSection)

    @property
    def players(self) -> dict[PlayerId, str | None]:
        """Team → the text of its player."""
        return {team.name: team.player for team in self.teams}

    def without(self, teams: Collection[PlayerId]) -> Definition:
        """The contest before these teams joined."""
        return replace(self, teams=tuple(each for each in self.teams if each.name not in teams))

    @property
    def form(self) -> ContestFormat:
        """The format."""
        return formats.load(self.format)

    def schedule(self, state: ContestState | None = None) -> Schedule:
        """The schedule with these teams, some of which may have joined late or withdrawn."""
        state = state or ContestState()
        if state.joined and not self.form.takes_late_entries:
            raise UsageError(f"a {self.form.title} takes no late entries")
        mode = Mode(self.seed, self.games, self.set_ups, self.ranking)
        entrants = Entrants(self.name, self.teams, state.joined)
        plain = self.form.schedule(entrants, mode, self.settings)
        withdrawn = frozenset(state.withdrawn)
        return WithWalkovers(plain, withdrawn) if withdrawn else plain

    @property
    def departure(self) -> str:
        """What differs from the documents; empty if nothing does."""
        least = self.form.least_games
        if self.games < least:
            return _messages("too-few-games", games=self.games, least=least)
        if self.games % 2:
            return _messages("odd-games", games=self.games)
        return ""

    @property
    def notice(self) -> str:
        """A notice to show with the results of an unofficial contest; empty if official."""
        if not self.unofficial:
            return ""
        if self.departure:
            return _messages("unofficial-because", departure=self.departure)
        return _messages("unofficial")

    def check_official(self) -> None:
        """Raise UsageError for a difference from the documents, unless `unofficial`."""
        if self.departure and not self.unofficial:
            raise UsageError(f"[contest] {self.departure} (or say: unofficial = true)")

    def fixed(self) -> dict[str, Any]:
        """The settings that must not change while a contest runs."""
        return {
            "name": self.name,
            "game": self.game,
            "authority": self.authority,
            "format": self.format,
            "seed": self.seed,
            "games": self.games,
            "teams": [[team.name, team.group] for team in self.teams],
            "limits": [self.limits.per_move, self.limits.nodes],
            "details": self.settings.model_dump(exclude_unset=True),
            "set_ups": [list(map(list, set_up)) for set_up in self.set_ups],
            "ranking": [self.ranking.name, *self.ranking.criteria],
            "unofficial": self.unofficial,
            "entries": self.entries.model_dump(exclude_defaults=True),
        }

    def as_begun(self, kept: Mapping[str, Any]) -> Definition:
        """This contest with the ranking that its store began with, if the file names none.

        Stores without a ranking are older than the choice: theirs is the site's.
        """
        name, *criteria = kept.get("ranking", [SITE.name, *SITE.criteria])
        ranking = self.ranking if self.ranking_said else Ranking(name, tuple(criteria))
        unofficial = self.unofficial if "unofficial" in kept else bool(self.departure)
        return replace(self, ranking=ranking, unofficial=unofficial)


def changes(kept: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """What changed since a contest began; what an old store does not say counts as unchanged."""
    as_it_was: dict[str, Any] = {"ranking": [SITE.name, *SITE.criteria], "entries": {}}
    old = as_it_was | {"unofficial": now.get("unofficial")} | dict(kept)
    return sorted(name for name in old | dict(now) if old.get(name) != now.get(name))


def read(text: str, load: Load) -> Definition:
    """The contest that a TOML text defines."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise TextError(f"this is no TOML: {error}") from error
    file = read_section(ContestFile, data)
    contest, form = file.contest, formats.load(file.contest.format)
    game = load(contest.game, contest.authority)
    definition = Definition(
        name=contest.name,
        game=contest.game,
        authority=contest.authority,
        format=contest.format,
        seed=contest.seed,
        games=contest.games,
        teams=_teams(file.team),
        limits=time_control(file.limits.time, file.limits.nodes, file.limits.patience),
        settings=read_section(form.settings, file.format, "format"),
        set_ups=_set_ups(file.set_up),
        ranking=_ranking(contest, form, game),
        ranking_said=contest.ranking is not None,
        unofficial=contest.unofficial,
        wire=contest.wire,
        concurrency=contest.concurrency,
        store=contest.store,
        sandbox=file.sandbox.rules(),
        entries=file.entries,
    )
    definition.schedule()  # the format may still refuse
    _check_seats(definition, game)
    return definition


def _ranking(contest: ContestSection, form: ContestFormat, game: Game) -> Ranking:
    if contest.ranking is not None and not form.ranks_teams:
        raise UsageError(f"[contest] ranking: a {contest.format} has one of its own")
    return SITE if contest.ranking == SITE.name else document(game.ranking)


def _teams(teams: list[Team]) -> tuple[Team, ...]:
    for name, count in Counter(team.name for team in teams).items():
        if count > 1:
            raise UsageError(f"two teams are called {name!r}")
    if len(teams) < 2:
        raise UsageError("a contest needs at least two teams")
    return tuple(teams)


def _set_ups(sections: list[dict[str, Any]]) -> tuple[Options, ...]:
    set_ups = [
        tuple(sorted((name, str(value)) for name, value in section.items())) for section in sections
    ]
    return tuple(set_ups) or ((),)


def _check_seats(definition: Definition, game: Game) -> None:
    """Raise UsageError if the game has too few seats."""
    seats = definition.form.seats(definition.settings)
    for set_up in definition.set_ups:
        found = game.start(definition.seed, **dict(set_up)).seats
        if found != seats:
            raise UsageError(f"{dict(set_up) or game.name}: {found} seats, but tables of {seats}")
