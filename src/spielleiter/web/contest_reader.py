"""Reads contests for the pages: standings, match days, brackets and games, also live.

A contest is a file and the store beside it. `contest run` writes the store; this module reads it.
"""

from __future__ import annotations

import logging
import math
import re
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from spielleiter import games
from spielleiter.errors import SpielleiterError, StoreError, UsageError
from spielleiter.game import Outcome
from spielleiter.match import GameRecord
from spielleiter.match.record import described
from spielleiter.store import Entry, Store
from spielleiter.text import ENGLISH, Text
from spielleiter.tournament.crosstable import crosstable
from spielleiter.tournament.definition import Definition
from spielleiter.tournament.estimate import estimate
from spielleiter.tournament.live_games import LiveContestGame, live_file_of, read_live_games
from spielleiter.tournament.match_days import UpToDay
from spielleiter.tournament.pairing import WIN, GameResult, Pairing, PlayerId, RuledBy
from spielleiter.tournament.phases import ContestPhase, EncounterView, MatchDay
from spielleiter.tournament.ratings import rate
from spielleiter.tournament.record import ContestEntry, from_text
from spielleiter.tournament.recorded_game import opening_text
from spielleiter.tournament.rulings import (
    ContestState,
    Ruling,
    RulingAction,
    played_only,
    read_ruling,
)
from spielleiter.tournament.schedule import Schedule
from spielleiter.tournament.standings import Standings, Value
from spielleiter.web.language import Translate, messages, translator
from spielleiter.web.match_stores import StoredGame
from spielleiter.web.models import Language, Model
from spielleiter.web.presentation import (
    Presentation,
    presentation_file_of,
    read_presentation,
)

GAME, RULING = "game", "ruling"
_log = logging.getLogger("spielleiter.web")
_MOST_RATED = 200_000
_FRESH = 0.5
"""Minimum seconds between two reads of the store; longer if reading is slow."""

Halt = Literal["paused", "ended"]
"""Organisers paused a contest, or ended it early."""
Open = Callable[[Path], tuple[Definition, Store | None]]
"""The contest of a file and its store; None: nothing has been played yet."""


# ----------------------------------------------------------------------------------------- models


class ContestSummary(Model):
    """A line of the list of contests."""

    id: str
    title: str
    edition: str
    format: str
    format_title: str
    """What people call the format."""
    teams: int
    played: int
    waiting: int
    finished: bool
    halted: Halt | None
    winner: str | None
    problem: str | None
    """Why it cannot be shown."""


class StandingView(Model):
    """A place in a table."""

    rank: int
    team: str
    values: tuple[float, ...]
    decided: str
    """What separates the team from the one above if the first criterion does not."""


class Cell(Model):
    """The score of the row's team against the column's team."""

    won: int
    drawn: int
    lost: int


class MeetingView(Model):
    """An encounter of several games."""

    key: str | None
    """The key to request its games; None: it has none."""
    teams: tuple[str | None, ...]
    won: tuple[int, ...]
    winner: str | None
    games: int
    played: int
    over: bool
    by_lot: bool
    bye: bool


class DayView(Model):
    """A match day, or a round."""

    title: str
    meetings: tuple[MeetingView, ...]
    rests: tuple[str, ...]
    for_third_place: bool


class PhaseView(Model):
    """A part of a contest with a table of its own."""

    title: str
    begun: bool
    final: bool
    criteria: tuple[str, ...]
    """What ranks the teams, the most important first; the lot comes last."""
    ranking: str
    """Whose criteria they are: `document`, `site`, or nothing if the format has its own."""
    standings: tuple[StandingView, ...]
    teams: tuple[str, ...]
    """In the order of the crosstable."""
    crosstable: tuple[tuple[Cell | None, ...], ...]
    days: tuple[DayView, ...]
    bracket: tuple[DayView, ...]
    played: int


class Rated(Model):
    """How strong a team is, in Elo relative to the mean, with the 95 % interval."""

    team: str
    elo: float
    low: float
    high: float
    games: int


class Conduct(Model):
    """The conduct of a team over all its games."""

    team: str
    player: str | None
    group: str | None
    games: int
    share: float
    """Of the win points it could have had; with the 95 % interval."""
    low: float
    high: float
    seconds: float
    """Thought per game."""
    failures: dict[str, int]


class RulingView(Model):
    """One decision of the jury or the organisers."""

    action: RulingAction
    about: str
    """The match day, set or game."""
    games: int
    """How many games it is about."""
    winner: str | None
    team: str | None
    day: int
    reason: str
    at: float
    """Seconds since 1970; 0: not said."""


class Contest(Model):
    """A contest with everything that its page shows."""

    id: str
    title: str
    edition: str
    edition_title: str
    authority: str
    format: str
    format_title: str
    """What people call the format."""
    games: int
    """Per encounter."""
    unofficial: bool
    """Whether it may differ from what the documents demand."""
    least_games: int
    """Games per encounter that the documents demand of this format, at least."""
    limit: str
    phases: tuple[PhaseView, ...]
    ratings: tuple[Rated, ...]
    conduct: tuple[Conduct, ...]
    played: int
    waiting: int
    """Games that can be played now."""
    finished: bool
    halted: Halt | None
    """Why nothing is played although games are left."""
    winner: str | None
    latest: str | None
    """The id of the last game, to open its replay."""
    rulings: tuple[RulingView, ...]
    """What the jury and the organisers decided, the first one first."""
    version: int
    """Increases with every change."""


class ContestGame(Model):
    """One game of a meeting."""

    key: str
    id: str | None
    """To open the replay with; None: it has not been played."""
    teams: tuple[str, ...]
    ranks: tuple[int, ...] | None
    scores: tuple[int, ...] | None
    faults: tuple[str | None, ...]
    ruled: RuledBy | None
    """Why the result is not that of a game; None: it was played, or will be."""
    seed: str
    """Empty until the game was played, so that nobody can prepare for it."""
    options: dict[str, str]


class MeetingGames(Model):
    """The games of a meeting."""

    games: tuple[ContestGame, ...]


class GameLog(Model):
    """The log and faults of a game."""

    key: str
    reason: str
    faults: tuple[str, ...]
    log: str


class ContestProgress(Model):
    """The progress of a contest."""

    version: int
    played: int
    waiting: int
    finished: bool


# ---------------------------------------------------------------------------------------- reading


@dataclass(frozen=True, slots=True)
class NamedContest:
    """A contest whose record has ids instead of team names, such as a season's."""

    path: Path
    names: Callable[[], Mapping[str, str]]
    """Team id → current name."""
    completed: Callable[[str], str]
    """Adds to the entry of a game what is stored outside the record."""
    halted: Callable[[], Halt | None]
    """Whether its organisers let it rest."""
    released: Callable[[], int]
    """The last match day that may be played."""


def _never_halted() -> Halt | None:
    return None


def _all_days() -> None:
    return None


@dataclass(frozen=True, slots=True)
class _Ending:
    """What lists of games say and results do not."""

    edition: str
    reason: str


class ContestReader:
    """One contest; new entries of its store are read on demand."""

    def __init__(
        self,
        name: str,
        path: Path,
        opened: Open,
        named: NamedContest | None = None,
    ) -> None:
        self.name, self.path, self._open = name, path, opened
        self._names = dict if named is None else named.names
        self._completed = str if named is None else named.completed
        self._why_halted = _never_halted if named is None else named.halted
        self._last_released: Callable[[], int | None] = (
            _all_days if named is None else named.released
        )
        self.released: int | None = None
        """The last match day that may be played; None: all may."""
        self.halted: Halt | None = None
        """Why nothing is played although games may be left."""
        self._lock, self._asking = threading.Lock(), threading.Lock()
        self._definition: Definition | None = None
        self._store: Store | None = None
        self._written: float | None = None
        self.version = 0
        self.state = ContestState()
        self.numbers: dict[str, int] = {}
        """Key of a game → its number in the store."""
        self._endings: dict[str, _Ending] = {}
        self.presentation = Presentation()
        self._on_stage: str | None = None
        self._counted: dict[str, GameResult] | None = None
        self._revealed = 0
        """How often it changed which games count on pages."""
        self._views: dict[Language, Contest] = {}
        self._progress: ContestProgress | None = None
        self._now, self._again = time.monotonic, 0.0

    def view(self, language: Language = ENGLISH) -> Contest:
        """The current contest in a language."""
        with self._lock:
            definition = self._read_on()
            self._look_what_may_be_played()
            known = self._views.get(language)
            if known is None or known.version != self.seen:
                known = _contest(self, definition, language)
                self._views[language] = known
            return self._named(known)

    def _look_what_may_be_played(self) -> None:
        halted, released = self._why_halted(), self._last_released()
        if (halted, released) != (self.halted, self.released):
            self.halted, self.released = halted, released
            self._revealed += 1

    def standing(self) -> tuple[Definition, ContestState]:
        """The definition and current state of the contest."""
        with self._lock:
            return self._read_on(), self.state.copy()

    def progress(self) -> ContestProgress:
        """The progress; the store is read only once in a while, for all callers."""
        with self._asking:
            began = self._now()
            if self._progress is None or began >= self._again:
                view = self.view()
                self._progress = ContestProgress(
                    version=view.version,
                    played=view.played,
                    waiting=view.waiting,
                    finished=view.finished,
                )
                cost = self._now() - began
                self._again = self._now() + max(_FRESH, 10 * cost)
            return self._progress

    def meeting(self, key: str) -> MeetingGames | None:
        """The games of a meeting."""
        with self._lock:
            definition = self._read_on()
            for phase in definition.schedule(self.state).phases(self.counted):
                for day in (*phase.days, *phase.bracket):
                    for each in day.encounters:
                        if each.games and _key_of(each) == key:
                            found = MeetingGames(games=tuple(map(self._game, each.games)))
                            return self._named(found)
        return None

    def games(self) -> tuple[str, list[StoredGame]]:
        """The contest's name, and the games that were played and may be seen."""
        with self._lock:
            definition = self._read_on()
            counted, names = self.counted, self._names()
            played = [counted[key] for key in self.numbers if key in counted]
            return definition.name, [self._listed(each, names) for each in played]

    def _listed(self, result: GameResult, names: Mapping[str, str]) -> StoredGame:
        key = result.pairing.key
        ended = self._endings[key]
        return StoredGame(
            self.numbers[key],
            _about(key, names),
            tuple(names.get(each, each) for each in result.pairing.players),
            Outcome(result.ranks, result.scores, ended.reason),
            result.faults,
            opening_text(result.pairing.opening),
            ended.edition,
        )

    def entry(self, number: int) -> ContestEntry | None:
        """The game that the store has under a number, if it may be seen."""
        with self._lock:
            self._read_on()
            entry = self._stored(number)
            hidden = entry is None or self._waits(entry.pairing.key)
            return None if entry is None or hidden else self._named_entry(entry)

    def _stored(self, number: int) -> ContestEntry | None:
        if self._store is None:
            return None
        for found, entry in self._store.news(number - 1, GAME):
            return from_text(self._completed(entry.data)) if found == number else None
        return None

    # ----------------------------------------------------------------------------- what is shown

    @property
    def seen(self) -> int:
        """A version number that increases with every visible change."""
        return self.version + self._revealed

    @property
    def counted(self) -> dict[str, GameResult]:
        """The results that pages show: without the game on stage and those waiting for a host."""
        if self._counted is None:
            results = self.state.results
            self._counted = {key: results[key] for key in results if not self._waits(key)}
        return self._counted

    def _waits(self, key: str) -> bool:
        return key == self._on_stage or self.presentation.waits(key, self.numbers.get(key, 0))

    def put_on_stage(self, key: str | None) -> None:
        """Hide the result of a game while it is shown on stage."""
        with self._lock:
            if key != self._on_stage:
                self._on_stage = key
                self._reveal()

    def present(self, presentation: Presentation) -> None:
        """Store the host's presentation state."""
        with self._lock:
            presentation.write(presentation_file_of(self.path))
            self.presentation = presentation
            self._reveal()

    def _reveal(self) -> None:
        self._counted, self._again = None, 0.0
        self._revealed += 1

    def read_on(self) -> None:
        """Read new entries of the store, if the last time was long enough ago."""
        self.progress()

    def is_finished(self) -> bool:
        """Whether the contest is over, as far as pages show."""
        view = self.view()
        return view.finished or view.halted == "ended"

    def places(self) -> dict[str, int]:
        """Team → its place in the current table."""
        begun = [phase for phase in self.view().phases if phase.begun]
        return {row.team: row.rank for row in begun[-1].standings} if begun else {}

    def teams_of(self, key: str) -> tuple[str, ...]:
        """The teams of a game; none if it is to be replayed or was decided by the jury."""
        found = self.state.results.get(key)
        if found is None or found.ruled is not None:
            return ()
        return self._spoken(found.pairing.players)

    def _spoken(self, teams: tuple[str, ...]) -> tuple[str, ...]:
        names = self._names()
        return tuple(names.get(each, each) for each in teams)

    def live_games(self, now: float) -> tuple[LiveContestGame, ...] | None:
        """The running games; None: nothing is played. `now` is the Unix time."""
        found = read_live_games(live_file_of(self.path), now)
        if found is None:
            return None
        return tuple(replace(each, players=self._spoken(each.players)) for each in found)

    def record_of(self, key: str) -> GameRecord | None:
        """The record of a game for the stage, without a check of rights."""
        with self._lock:
            self._read_on()
            number = self.numbers.get(key)
            entry = self._stored(number) if number is not None and self.teams_of(key) else None
            return None if entry is None else self._named_entry(entry).record

    def close(self) -> None:
        """Close the store."""
        if self._store is not None:
            self._store.close()

    def _named(self, view: Named) -> Named:
        """The view with team names instead of ids."""
        names = self._names()
        return type(view).model_validate(_renamed(view.model_dump(), names)) if names else view

    def _named_entry(self, entry: ContestEntry) -> ContestEntry:
        names = self._names()
        players = tuple(names.get(each, each) for each in entry.pairing.players)
        opened = replace(entry.events.opened, names=players)
        pairing = replace(entry.pairing, players=players)
        return replace(entry, pairing=pairing, events=replace(entry.events, opened=opened))

    def _read_on(self) -> Definition:
        written = self.path.stat().st_mtime if self.path.exists() else None
        if self._definition is None or written != self._written or self._store is None:
            self._reopen()
            self._written = written
        assert self._definition is not None
        if self._store is not None:
            for number, entry in self._store.news(self.version, GAME, RULING):
                self.version, self._counted = number, None
                self._note(number, entry)
        return self._definition

    def _note(self, number: int, entry: Entry) -> None:
        """Add a game or ruling; a damaged entry is logged and skipped."""
        try:
            if entry.kind == RULING:
                self.state.add_ruling(read_ruling(entry.data))
                return
            game = from_text(entry.data)
            result = game.result()
        except (StoreError, ValueError) as problem:
            where = f"{self.name}: entry {number} ({ascii(entry.key)[:80]})"
            _log.warning("%s cannot be shown: %s", where, ascii(str(problem))[:200])
            return
        self.state.add_game(result)
        self.numbers[result.pairing.key] = number
        events = game.events
        self._endings[result.pairing.key] = _Ending(events.opened.edition, events.outcome.reason)

    def _reopen(self) -> None:
        """Open the contest again if its file has changed or it may have begun."""
        self.close()
        self._definition, self._store = self._open(self.path)
        self.presentation = read_presentation(presentation_file_of(self.path))
        self._counted = None
        self.version, self.state, self.numbers, self._views = 0, ContestState(), {}, {}
        self._endings = {}

    def _game(self, each: tuple[Pairing, GameResult | None]) -> ContestGame:
        pairing, result = each
        number = self.numbers.get(pairing.key)
        return ContestGame(
            key=pairing.key,
            id=None if number is None or result is None else game_name(self.name, number),
            teams=pairing.players,
            ranks=None if result is None else result.ranks,
            scores=None if result is None else result.scores,
            faults=() if result is None else result.faults,
            ruled=None if result is None else result.ruled,
            seed="" if result is None else str(pairing.opening.seed),
            options=dict(pairing.opening.options),
        )


Named = TypeVar("Named", bound=Model)
SHOWN_HASH = 12
"""Characters of an upload's hash that are shown."""


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A view with names instead of ids, and hashes instead of upload paths.

    Keys of games stay as they are.
    """
    if isinstance(value, dict):
        return {key: _field(key, each, names) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_renamed(each, names) for each in value]
    return names.get(value, value) if isinstance(value, str) else value


def _field(key: str, value: Any, names: Mapping[str, str]) -> Any:
    match key:
        case "key":
            return value
        case "about":
            return _about(value, names)
        case "player" if value:
            return Path(value).parent.name[:SHOWN_HASH]
    return _renamed(value, names)


def _about(text: str, names: Mapping[str, str]) -> str:
    for team, name in names.items():
        text = text.replace(team, name)
    return text


def game_name(contest: str, number: int) -> str:
    """The name of a contest's game in URLs."""
    return f"{contest}~{number}"


class Contests:
    """The contests of this arena: files that were named, and those of a folder."""

    def __init__(
        self, opened: Open | None = None, files: Sequence[Path] = (), folder: Path | None = None
    ) -> None:
        self._open, self._files, self._folder = opened or _unopened, tuple(files), folder
        self._known: dict[str, ContestReader] = {}
        self.named: Callable[[], Mapping[str, NamedContest]] = dict
        """Contests besides those of files, such as those of seasons, by their names here."""

    def all(self, language: Language) -> list[ContestSummary]:
        """Every contest, in the order of names."""
        self._look()
        return [_summary(each, language) for each in self._known.values()]

    def find(self, name: str) -> ContestReader | None:
        """The contest of that name."""
        self._look()
        return self._known.get(name)

    def record(self, name: str) -> GameRecord | None:
        """The record of a game of a contest, by its name in addresses."""
        entry = self.entry(name)
        return None if entry is None else entry.record

    def entry(self, name: str) -> ContestEntry | None:
        """The stored entry of a contest's game."""
        contest, _, number = name.rpartition("~")
        found = self.find(contest)
        fits = found is not None and number.isdigit() and len(number) <= 12
        return found.entry(int(number)) if found is not None and fits else None

    def close(self) -> None:
        """Close all stores."""
        for each in self._known.values():
            each.close()

    def _look(self) -> None:
        paths = [*self._files]
        if self._folder is not None and self._folder.is_dir():
            paths += sorted(self._folder.glob("*.toml"))
        wanted: dict[str, Path] = {}
        for path in paths:
            wanted.setdefault(_free(_slug(path.stem), wanted), path)
        named = self.named()
        wanted |= {name: each.path for name, each in named.items()}
        for name in self._known.keys() - wanted.keys():
            self._known.pop(name).close()
        for name, path in wanted.items():
            if name not in self._known:
                self._known[name] = ContestReader(name, path, self._open, named.get(name))


def _unopened(path: Path) -> tuple[Definition, Store | None]:
    raise UsageError(f"{path}: this arena opens no contests")


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "contest"


def _free(name: str, taken: Mapping[str, Path]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}-{number}"
    return found


# -------------------------------------------------------------------------------------------- views


def _summary(followed: ContestReader, language: Language) -> ContestSummary:
    try:
        view = followed.view(language)
    except SpielleiterError as problem:
        return ContestSummary(
            id=followed.name,
            title=followed.name,
            edition="",
            format="",
            format_title="",
            teams=0,
            played=0,
            waiting=0,
            finished=False,
            halted=None,
            winner=None,
            problem=str(problem),
        )
    return ContestSummary(
        id=view.id,
        title=view.title,
        edition=view.edition_title,
        format=view.format,
        format_title=view.format_title,
        teams=len(view.conduct),
        played=view.played,
        waiting=view.waiting,
        finished=view.finished,
        halted=view.halted,
        winner=view.winner,
        problem=None,
    )


def _contest(followed: ContestReader, definition: Definition, language: Language) -> Contest:
    translate = translator(None, language)
    schedule, played = definition.schedule(followed.state), followed.counted
    found = schedule.phases(played)
    left, waiting = (
        sum(1 for _ in each.waiting(played)) for each in (schedule, _playable(followed, schedule))
    )
    results = sorted(played_only(played.values()), key=lambda each: each.pairing.key)
    last = found[-1].standings
    finished = left == 0 and last is not None and last.final
    return Contest(
        id=followed.name,
        title=definition.name,
        edition=definition.game,
        edition_title=_title(definition, language),
        authority=definition.authority,
        format=definition.format,
        format_title=translate(Text(f"contest.format.{definition.format}", definition.form.title)),
        games=definition.games,
        unofficial=definition.unofficial,
        least_games=definition.form.least_games,
        limit=_limit(definition, translate),
        phases=tuple(_phase(each, translate) for each in found),
        ratings=tuple(_ratings(results)),
        conduct=tuple(_conduct(definition, results)),
        played=len(results),
        waiting=waiting,
        finished=finished,
        halted=None if finished else followed.halted,
        winner=last.rows[0].player if finished and last is not None and last.rows else None,
        latest=_latest(followed),
        rulings=tuple(_ruling(each, _titles(found, translate)) for each in followed.state.rulings),
        version=followed.seen,
    )


def _playable(followed: ContestReader, schedule: Schedule) -> Schedule:
    """The games of match days that were released."""
    return schedule if followed.released is None else UpToDay(schedule, followed.released)


def _titles(phases: Sequence[ContestPhase], translate: Translate) -> dict[str, str]:
    """Phase and day names in keys → translated titles."""
    days = [day.title for phase in phases for day in (*phase.days, *phase.bracket)]
    return {str(each): translate(each) for each in (*(phase.title for phase in phases), *days)}


def _ruling(ruling: Ruling, titles: Mapping[str, str]) -> RulingView:
    return RulingView(
        action=ruling.action,
        about="/".join(titles.get(each, each) for each in ruling.about.split("/")),
        games=len(ruling.games),
        winner=ruling.winner,
        team=ruling.team,
        day=ruling.day,
        reason=ruling.reason,
        at=ruling.at,
    )


def _latest(followed: ContestReader) -> str | None:
    numbers = [followed.numbers[key] for key in followed.counted if key in followed.numbers]
    return game_name(followed.name, max(numbers)) if numbers else None


def _title(definition: Definition, language: Language) -> str:
    try:
        game = games.load(definition.game)
        return translator(game, language)(game.title)
    except SpielleiterError:
        return definition.game


def _limit(definition: Definition, translate: Translate) -> str:
    limits = definition.limits
    parts = [] if limits.per_move is None else [f"{limits.per_move:g} s"]
    parts += (
        [] if limits.nodes is None else [translate(messages("limit.nodes", nodes=limits.nodes))]
    )
    return ", ".join(parts)


def _phase(phase: ContestPhase, translate: Translate) -> PhaseView:
    table = phase.standings
    teams = () if table is None else table.order
    results = phase.results
    return PhaseView(
        title=translate(phase.title),
        begun=bool(results),
        final=table is not None and table.final,
        criteria=() if table is None else table.criteria,
        ranking="" if table is None else table.ranking,
        standings=() if table is None else tuple(_standings(table, translate)),
        teams=teams,
        crosstable=_crosstable(teams, results) if phase.days else (),
        days=tuple(_day(each, translate) for each in phase.days),
        bracket=tuple(_day(each, translate) for each in phase.bracket),
        played=len(results),
    )


def _standings(table: Standings, translate: Translate) -> Iterable[StandingView]:
    for row in table.rows:
        values = tuple(map(_number, row.values))
        yield StandingView(
            rank=row.rank, team=row.player, values=values, decided=translate(row.decided)
        )


def _number(value: Value) -> float:
    return float(value) if isinstance(value, Fraction) else value


def _crosstable(
    teams: Sequence[PlayerId], results: Sequence[GameResult]
) -> tuple[tuple[Cell | None, ...], ...]:
    met = crosstable(results)
    return tuple(
        tuple(
            Cell(won=each.won, drawn=each.drawn, lost=each.lost)
            if (each := met.get((one, other))) is not None
            else None
            for other in teams
        )
        for one in teams
    )


def _day(day: MatchDay, translate: Translate) -> DayView:
    return DayView(
        title=translate(day.title),
        meetings=tuple(map(_meeting, day.encounters)),
        rests=day.rests,
        for_third_place=day.for_third_place,
    )


def _meeting(each: EncounterView) -> MeetingView:
    return MeetingView(
        key=_key_of(each) if each.games else None,
        teams=each.players,
        won=each.won or (0,) * len(each.players),
        winner=each.winner,
        games=len(each.games),
        played=sum(result is not None for _, result in each.games),
        over=each.over,
        by_lot=each.by_lot,
        bye=each.bye,
    )


def _key_of(each: EncounterView) -> str:
    return each.games[0][0].key.rpartition("/")[0]


def _ratings(results: Sequence[GameResult]) -> Iterable[Rated]:
    if len(results) > _MOST_RATED:
        return
    for each in rate(results):
        low, high = each.elo - each.margin, each.elo + each.margin
        yield Rated(
            team=each.player,
            elo=round(each.elo, 1),
            low=round(low, 1),
            high=round(high, 1),
            games=each.games,
        )


@dataclass(slots=True)
class _Tally:
    """What is counted for one team."""

    shares: list[float]
    seconds: float
    failures: Counter[str]


def _conduct(definition: Definition, results: Sequence[GameResult]) -> Iterable[Conduct]:
    tallies: defaultdict[str, _Tally] = defaultdict(lambda: _Tally([], 0.0, Counter()))
    for result in results:
        for seat, player in enumerate(result.pairing.players):
            tally = tallies[player]
            tally.shares.append(result.win_points(seat) / WIN)
            tally.seconds += result.spent[seat] if result.spent else 0.0
            if (fault := result.faults[seat]) is not None:
                tally.failures[fault] += 1
    for team in definition.teams:
        tally = tallies[team.name]
        found = estimate(np.array(tally.shares))
        yield Conduct(
            team=team.name,
            player=team.player,
            group=team.group,
            games=len(tally.shares),
            share=round(found.score, 4),
            low=round(_share(found.low), 4),
            high=round(_share(found.high), 4),
            seconds=round(tally.seconds / max(1, len(tally.shares)), 4),
            failures=dict(sorted(tally.failures.items())),
        )


def _share(elo: float) -> float:
    if math.isinf(elo):
        return 0.0 if elo < 0 else 1.0
    return float(1 / (1 + 10 ** (-elo / 400)))


def log_of(entry: ContestEntry, *, for_organiser: bool) -> GameLog:
    """The log of a game; player output only for organisers."""
    faults = ["" if each is None else described(each.fault) for each in entry.failures]
    return GameLog(
        key=entry.pairing.key,
        reason=entry.events.outcome.reason,
        faults=tuple(faults),
        log=entry.log if for_organiser else "",
    )
