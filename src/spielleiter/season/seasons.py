"""All seasons of an arena, and everything that teams, organisers and jury do with them.

Actions of organisers and jury interrupt running games, which are played again. Actions of teams do
not: a late entry or withdrawal waits until no game is running.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.accounts.bots import Version
from spielleiter.accounts.database import new_id
from spielleiter.accounts.notices import TeamNotice, messages, team_named, version_named
from spielleiter.accounts.teams import NoSuchTeam
from spielleiter.errors import UsageError
from spielleiter.programs.contest_store import add_ruling
from spielleiter.season.definition_text import Data, defined, parsed, tried, written
from spielleiter.season.season import (
    ArenaSeason,
    SeasonEntry,
    SeasonFolders,
    SeasonRequest,
    SeasonState,
    SeasonTask,
)
from spielleiter.season.season_contest import SeasonContests
from spielleiter.text import Text
from spielleiter.tournament.jury import Jury
from spielleiter.tournament.match_days import contest_days
from spielleiter.tournament.player_output import without_player
from spielleiter.tournament.rulings import Ruling

MOST_SEASONS, MOST_DAYS, MOST_TEAMS = 200, 1_000, 200
"""Seasons of an arena; match days and teams of a season."""


@dataclass(frozen=True, slots=True)
class SeasonPlan:
    """What organisers can change before the start; the times also later."""

    definition: Data
    enter_until: float | None = None
    times: dict[int, float] | None = None


class Seasons:
    """The seasons of an arena."""

    def __init__(
        self,
        folders: SeasonFolders,
        accounts: ArenaAccounts,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.folders, self.accounts, self.now = folders, accounts, now
        self.contests = SeasonContests(folders, accounts.bots)
        self.changed = threading.Event()
        """Set whenever there may be something to do."""
        self.trouble: dict[str, str] = {}
        """Season → why nothing of it can be played at the moment; organisers read it."""
        self._lock, self._files = threading.RLock(), threading.RLock()
        """Held while games are played, and while a season's file is changed."""
        self._waiting = 0
        self._requested: set[str] = set()
        """Seasons in which a team waits until no game is being played."""

    # ---------------------------------------------------------------------------------- reading

    def all(self) -> list[ArenaSeason]:
        """Every season, the newest first."""
        return list(self.folders.all())

    def find(self, season: str) -> ArenaSeason:
        """The season of that id; raises NoSuchSeason."""
        return self.folders.load(season)

    def names(self, season: ArenaSeason) -> dict[str, str]:
        """Team → its name; an erased team has none."""
        return {team: self.team_name(team) for team in season.entries}

    def exported(self, season: str) -> str:
        """The season as a contest's file, with team names instead of ids."""
        found = self.find(season)
        teams = [self._exported_team(each) for each in found.entries.values()]
        return written(found.definition, teams)

    @property
    def is_wanted(self) -> bool:
        """Whether somebody waits to change a season, so that the player must pause."""
        return self._waiting > 0

    def has_requests(self, season: str) -> bool:
        """Whether a team's request is pending, so that no further games must begin."""
        return season in self._requested

    # ----------------------------------------------------------------------- created and edited

    def create(self, definition: Data) -> ArenaSeason:
        """Create a season, which only organisers see at first."""
        tried(definition)
        if len(self.all()) >= MOST_SEASONS:
            raise UsageError(f"an arena has at most {MOST_SEASONS} seasons")
        season = ArenaSeason(new_id(), definition, created=self.now())
        self.folders.save(season)
        return season

    def imported(self, text: str) -> ArenaSeason:
        """Create a season from a contest's file, without its teams and store."""
        return self.create(parsed(text))

    def edit(self, season: str, plan: SeasonPlan) -> ArenaSeason:
        """Change a season; after its start only the times of match days."""
        with self.changing(season) as found:
            if plan.definition != found.definition:
                _need(found, "draft", "open")
                tried(plan.definition)
                if found.entries and plan.definition["contest"]["game"] != found.game:
                    raise UsageError("teams have entered: the game cannot change any more")
                found.definition, found.rehearsal = plan.definition, None
            found.enter_until = plan.enter_until
            found.times = _checked_times(plan.times or {})
        return found

    def open(self, season: str) -> None:
        """Let teams enter."""
        self._move(season, ("draft",), "open")

    def remove(self, season: str) -> None:
        """Remove a season that has not begun."""
        with self.halted():
            _need(self.find(season), "draft", "open")
            self.folders.remove(season)

    # ------------------------------------------------------------------------------------- teams

    def enter(self, season: str, team: str, version: str, by: str = "") -> None:
        """Enter a team with one of its released versions, or choose another one.

        After the start a team joins late, if the rules allow it.
        """
        with self._noting(season) as found:
            chosen = self._checked_version(found, team, version)
            if team in found.entries:
                self._choose(found, team, chosen)
                return
            if len(found.entries) >= MOST_TEAMS:
                raise UsageError(f"a season has at most {MOST_TEAMS} teams")
            if found.begun:
                _need(found, "running", "paused")
                self._request(found, team, SeasonRequest("enter", chosen.id, by=by))
            else:
                self._enter(found, team, chosen)
        self._fulfil_now(season, team)

    def withdraw(self, season: str, team: str, reason: str, by: str = "") -> None:
        """Withdraw a team; after the start the rules say what happens to its games."""
        with self._noting(season) as found:
            if team not in found.entries:
                raise UsageError("this team does not take part")
            if found.state in ("draft", "open"):
                del found.entries[team]
                return
            _need(found, "running", "paused")
            self._request(found, team, SeasonRequest("withdraw", reason=reason, by=by))
        self._fulfil_now(season, team)

    def fulfil(self, season: str) -> dict[str, UsageError]:
        """Execute pending requests; returns the refused ones with reasons.

        The caller must not be playing games.
        """
        refused: dict[str, UsageError] = {}
        with self._noting(season) as found:
            requests, found.wishes = found.wishes, {}
            for team, request in requests.items():
                try:
                    self._fulfil(found, team, request)
                except UsageError as problem:
                    refused[team] = problem
                    self._tell(found, [team], messages("season.refused", reason=str(problem)))
            self._requested.discard(season)
        return refused

    def _enter(self, season: ArenaSeason, team: str, chosen: Version) -> None:
        _need(season, "open")
        if season.enter_until is not None and self.now() > season.enter_until:
            raise UsageError("teams cannot enter any more")
        season.entries[team] = SeasonEntry(team, chosen.id, self.now())
        self._tell_entered(season, team, chosen)

    def _request(self, season: ArenaSeason, team: str, request: SeasonRequest) -> None:
        season.wishes[team] = request
        self._requested.add(season.id)

    def _fulfil_now(self, season: str, team: str) -> None:
        """Execute requests at once if no game is running; raises UsageError if refused."""
        if self._lock.acquire(blocking=False):
            try:
                refused = self.fulfil(season)
            finally:
                self._lock.release()
            if team in refused:
                raise refused[team]
        self.changed.set()

    def _fulfil(self, season: ArenaSeason, team: str, request: SeasonRequest) -> None:
        _need(season, "running", "paused")
        if request.kind == "enter":
            chosen = self._checked_version(season, team, request.version)
            self._join_late(season, team, chosen, request.by)
            self._tell_entered(season, team, chosen)
        else:
            self._rule(season, lambda jury: jury.withdraw(team, request.reason), request.by)
            self._tell(season, [team], messages("season.withdrawn"))

    def _tell_entered(self, season: ArenaSeason, team: str, chosen: Version) -> None:
        name = team_named(team, chosen.team_name)
        version = version_named(chosen.id, chosen.title)
        self._tell(season, [team], messages("season.entered", team=name, version=version))

    def _choose(self, season: ArenaSeason, team: str, chosen: Version) -> None:
        """Choose another version, until it is frozen or between separately frozen match days."""
        if season.begun:
            _need(season, "running", "paused")
            if defined_freeze(season) == "start":
                raise UsageError("the versions of this season were frozen when it started")
        entry = season.entries[team]
        season.entries[team] = replace(entry, version=chosen.id)

    def _join_late(self, season: ArenaSeason, team: str, chosen: Version, by: str) -> None:
        season.entries[team] = SeasonEntry(team, chosen.id, self.now(), chosen.id, chosen.file)
        with self.contests.entering(season, team) as contest:
            jury = Jury(contest.definition, contest.state, by=by, now=self.now)
            ruling = jury.enter(team, "late entry")
            self.folders.save(season)  # first: a ruling about nobody could not be taken back
            add_ruling(contest.store, ruling)

    def _checked_version(self, season: ArenaSeason, team: str, version: str) -> Version:
        found = self.accounts.bots.version(version)
        if found.team != team:
            raise UsageError("this version belongs to another team")
        if found.state != "released":
            raise UsageError(f"{found.title} is {found.state}: only a released version can play")
        if found.edition != season.game:
            raise UsageError(f"{found.title} plays {found.edition}, the season {season.game}")
        return found

    # --------------------------------------------------------------------------------- running

    def start(self, season: str, *, despite_problems: bool = False) -> None:
        """Begin: every player is tried out, versions are frozen, and the record begins."""
        with self.changing(season) as found:
            _need(found, "open")
            self._ready(found)
            found.state = "starting"
            found.check = SeasonTask(at=self.now(), despite_problems=despite_problems)

    def begin(self, season: ArenaSeason) -> None:
        """Freeze what plays, and begin the record."""
        self.freeze(season)
        season.entries = {team: replace(each, began=True) for team, each in season.entries.items()}
        season.state = "running"
        with self.contests.opened(season):
            self._tell(season, season.entries, messages("season.started"))

    def freeze(self, season: ArenaSeason) -> None:
        """Fix the chosen versions by their hashes."""
        for team, each in season.entries.items():
            version = self.accounts.bots.version(each.version)
            if version.state != "erased":
                season.entries[team] = replace(each, frozen=version.id, file=version.file)

    def release(self, season: str, day: int | None = None) -> int:
        """Release the next match day, or all up to a given one; returns the last released."""
        with self.changing(season) as found:
            _need(found, "running")
            self.release_in(found, found.released + 1 if day is None else day)
            return found.released

    def release_in(self, season: ArenaSeason, day: int) -> None:
        """Release everything up to a match day; versions may be frozen anew."""
        if not season.released < day <= MOST_DAYS:
            raise UsageError(f"match day {day} was released already")
        if defined_freeze(season) == "match day":
            self.freeze(season)
        season.released = day

    def release_next(self, season: str) -> None:
        """Release the next match day at its time."""
        with self._noting(season) as found:
            self.release_in(found, found.released + 1)

    def pause(self, season: str) -> None:
        """Pause; running games are played again later."""
        self._move(season, ("running",), "paused")

    def recover(self) -> None:
        """Restore a consistent state after a crash."""
        for season in self.all():
            self._forget(season, self._erased(season))
            if season.state == "starting":
                season.state = "open"
            for name in ("check", "rehearsal"):
                task: SeasonTask | None = getattr(season, name)
                if task is not None and task.state == "running":
                    setattr(season, name, replace(task, state="failed", problems={"": "cut off"}))
            if season.begun:
                there = self.contests.joined(season)
                found = season.entries.items()
                season.entries = {key: each for key, each in found if each.began or key in there}
            self.folders.save(season)

    def resume(self, season: str) -> None:
        """Resume, also after the end."""
        self._move(season, ("paused", "finished"), "running")

    def finish(self, season: str) -> None:
        """End the season: nothing more is played."""
        self._move(season, ("running", "paused"), "finished")

    def rehearse(self, season: str) -> None:
        """Request a rehearsal with stand-ins, in a separate store."""
        with self.changing(season) as found:
            if found.rehearsal is not None and found.rehearsal.state == "running":
                raise UsageError("a rehearsal is going on")
            found.rehearsal = SeasonTask(at=self.now())

    def check(self, season: str) -> None:
        """Try out every player that entered."""
        with self.changing(season) as found:
            _need(found, "open")
            found.check = SeasonTask(at=self.now())

    # ----------------------------------------------------------------------------------- erasing

    def forget(self, versions: Iterable[str]) -> None:
        """Erase the output of versions in all seasons; records contain only ids."""
        gone = set(versions)
        for season in self.all():
            played = self.contests.versions(season)
            if teams := [team for team, each in played.items() if each & gone]:
                with self.changing(season.id) as found:  # a game that ends now could print more
                    self._forget(found, teams)

    def with_output(self, season: str, text: str) -> str:
        """The entry of a game with the output and annotations that were not erased.

        Records that began before 18 November 2026 contain the output themselves.
        """
        data = json.loads(text)
        if not data["log"] and "annotations" not in data:
            return self.folders.output(season).put_back(text)
        for team in self._erased(self.find(season)):
            data["log"] = without_player(data["log"], data["players"], team)
            shown, players = data.get("annotations", []), data["players"]
            data["annotations"] = [each for each in shown if players[each[0]] != team]
        return json.dumps(data, ensure_ascii=False)

    def _erased(self, season: ArenaSeason) -> list[str]:
        """Teams of which a version that they chose or played with was erased."""
        played = self.contests.versions(season)
        known = self.accounts.bots.versions_named(sorted(set().union(*played.values())))
        gone = {each.id for each in known if each.state == "erased"}
        return [team for team, each in played.items() if each & gone]

    def _forget(self, season: ArenaSeason, teams: Collection[str]) -> None:
        """Erase the output of teams in games and in the check of all players."""
        for team in teams:
            self.folders.output(season.id).erase(team)
        for name in ("check", "rehearsal"):
            task: SeasonTask | None = getattr(season, name)
            if task is not None:
                left = {team: each for team, each in task.problems.items() if team not in teams}
                setattr(season, name, replace(task, problems=left))

    # -------------------------------------------------------------------------------------- jury

    def annul(self, season: str, scope: str, reason: str, by: str = "") -> Ruling:
        """Annul a match day, a set or a game."""
        return self._ruled(season, lambda jury: jury.annul(scope, reason), by)

    def replay(self, season: str, scope: str, reason: str, by: str = "") -> Ruling:
        """Replay a match day, a set or a game."""
        return self._ruled(season, lambda jury: jury.replay(scope, reason), by)

    def decide(self, season: str, scope: str, winner: str, reason: str, by: str = "") -> Ruling:
        """Decide who won a match day, a set or a game; without a winner it is a draw."""
        return self._ruled(season, lambda jury: jury.decide(scope, winner, reason), by)

    def _ruled(self, season: str, make: Callable[[Jury], Ruling], by: str) -> Ruling:
        with self.changing(season) as found:
            _need(found, "running", "paused", "finished")
            ruling = self._rule(found, make, by)
            teams = {player for pairing in ruling.games for player in pairing.players}
            self._tell(found, teams, messages("season.ruled", reason=ruling.reason))
            return ruling

    def _rule(self, season: ArenaSeason, make: Callable[[Jury], Ruling], by: str) -> Ruling:
        with self.contests.opened(season) as contest:
            ruling = make(Jury(contest.definition, contest.state, by=by, now=self.now))
            add_ruling(contest.store, ruling)
        return ruling

    # ------------------------------------------------------------------------------------ inside

    @contextmanager
    def halted(self) -> Iterator[None]:
        """A context in which nothing is played."""
        self._waiting += 1
        try:
            with self._lock:
                yield
        finally:
            self._waiting -= 1
            self.changed.set()

    @contextmanager
    def playing(self) -> Iterator[None]:
        """A context in which nobody changes a season; leave it soon if `is_wanted`."""
        with self._lock:
            yield

    @contextmanager
    def changing(self, season: str) -> Iterator[ArenaSeason]:
        """A season to change while nothing is played; saved at the end."""
        with self.halted(), self._noting(season) as found:
            yield found

    @contextmanager
    def _noting(self, season: str) -> Iterator[ArenaSeason]:
        """A season to change while games go on; saved unless something fails."""
        with self._files:
            found = self.find(season)
            yield found
            self.folders.save(found)

    def _move(self, season: str, old: tuple[SeasonState, ...], new: SeasonState) -> None:
        with self.changing(season) as found:
            _need(found, *old)
            found.state = new

    def _ready(self, season: ArenaSeason) -> None:
        """Raise unless the entered teams can play this contest."""
        if len(season.entries) < 2:
            raise UsageError("a season needs at least two teams")
        defined(season.definition, [{"name": team} for team in season.entries])

    def team_name(self, team: str) -> str:
        """The name of a team; empty if it was erased."""
        try:
            return self.accounts.teams.find(team).name
        except NoSuchTeam:
            return ""

    def _exported_team(self, entry: SeasonEntry) -> dict[str, str]:
        version = self.accounts.bots.version(entry.frozen or entry.version)
        return {"name": self.team_name(entry.team) or entry.team, "player": version.file_name}

    def _tell(self, season: ArenaSeason, teams: Iterable[str], text: Text) -> None:
        said = messages("season.news", season=season.name, text=text)
        for team in teams:
            if self.team_name(team):
                notice = TeamNotice("contest", said, f"/seasons/{season.id}")
                self.accounts.notices.tell(team, notice)


def defined_freeze(season: ArenaSeason) -> str:
    """When versions are frozen: at the `start`, or before each `match day`."""
    return str(season.definition.get("entries", {}).get("freeze", "start"))


def days_over(season: ArenaSeason, contests: SeasonContests) -> bool:
    """Whether all match days that may be played are over."""
    with contests.opened(season) as contest:
        schedule = contest.definition.schedule(contest.state)
        days = contest_days(schedule, contest.state.results)[: season.released]
        return all(day.over for day in days)


def _need(season: ArenaSeason, *states: SeasonState) -> None:
    if season.state not in states:
        raise UsageError(f"the season is {season.state}: it has to be {' or '.join(states)}")


def _checked_times(times: dict[int, float]) -> dict[int, float]:
    ordered = dict(sorted(times.items()))
    if any(not 1 <= day <= MOST_DAYS for day in ordered):
        raise UsageError("match days are counted from 1")
    if list(ordered.values()) != sorted(ordered.values()):
        raise UsageError("a match day cannot begin before the one before it")
    return ordered
