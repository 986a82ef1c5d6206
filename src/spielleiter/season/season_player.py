"""A thread that plays the games of seasons, checks their players and rehearses them.

It pauses while somebody changes a season. Games that were running when the process was killed are
played again.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from spielleiter import games
from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.errors import SpielleiterError, UsageError
from spielleiter.ladder.arena_ladder import Cluster
from spielleiter.ladder.execution import VersionMaker, wanted_files
from spielleiter.programs.contest_store import add_ruling, record_lots
from spielleiter.programs.entrants import failing_players
from spielleiter.programs.players import Players
from spielleiter.programs.rehearsal import rehearsal_report, rehearse
from spielleiter.programs.result_store import play_rest
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import Level, probe
from spielleiter.season.definition_text import defined, tried
from spielleiter.season.season import CONTEST, REHEARSAL, ArenaSeason, SeasonFolders, SeasonTask
from spielleiter.season.season_contest import OpenContest
from spielleiter.season.season_executor import SeasonMaker
from spielleiter.season.seasons import Seasons, days_over
from spielleiter.tournament.cluster import RayRunner
from spielleiter.tournament.definition import Definition
from spielleiter.tournament.jury import Jury
from spielleiter.tournament.live_games import LiveGamesWriter, live_file_of
from spielleiter.tournament.match_days import UpToDay
from spielleiter.tournament.runner import Runner

FOLDER = "seasons"
"""Where seasons lie, in the data folder of an arena."""
_GRACE = 15.0
"""Extra seconds for a worker to stop a player before it is killed itself."""
_IDLE, _AFTER_A_FAILURE = 1.0, 5.0
_log = logging.getLogger("spielleiter.season")


@dataclass(frozen=True, slots=True)
class SeasonPlayerSettings:
    """How seasons are played."""

    workers: int = 1
    setting: Setting | None = field(default_factory=Setting)
    """How uploads are sandboxed; None: impossible, so nothing is played."""
    cluster: Cluster | None = None
    """Plays the games; None: this machine does."""


class SeasonPlayer:
    """Plays the seasons of an arena until it is stopped."""

    def __init__(self, seasons: Seasons, settings: SeasonPlayerSettings) -> None:
        self._seasons, self._settings = seasons, settings
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def start(self) -> None:
        """Begin to play."""
        self._thread.start()

    def stop(self) -> None:
        """Stop at once: running games are played again later."""
        self._stop.set()
        self._seasons.changed.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stop.is_set():
            self._seasons.changed.clear()
            if self._seasons.is_wanted:
                time.sleep(0.01)  # whoever waits comes first
            elif not self._tried():
                self._seasons.changed.wait(_IDLE)

    def _tried(self) -> bool:
        """Do the pending work of all seasons; one that fails does not hold up the others."""
        try:
            found = [self._stepped(each) for each in self._seasons.all()]
        except SpielleiterError as problem:
            _log.warning("nothing was played: %s", problem)
            found = [None]
        if None in found:
            self._stop.wait(_AFTER_A_FAILURE)
        return any(found)

    def _stepped(self, season: ArenaSeason) -> bool | None:
        """Whether there was something to do; None after a failure, which is retried."""
        trouble = self._seasons.trouble
        try:
            done = self.step(season)
        except SpielleiterError as problem:
            _log.warning("%s: nothing was played: %s", season.id, problem)
            trouble[season.id] = str(problem)
            return None
        except Exception:
            _log.exception("%s: nothing was played", season.id)
            trouble[season.id] = "this is a mistake of ours: the log of the arena has more"
            return None
        trouble.pop(season.id, None)
        return done

    def step(self, season: ArenaSeason) -> bool:
        """Do the next piece of work; whether there was one."""
        if season.wishes:
            with self._seasons.playing():
                self._seasons.fulfil(season.id)
        elif season.rehearsal is not None and season.rehearsal.state == "running":
            self._rehearse(season, season.rehearsal)
        elif season.check is not None and season.check.state == "running":
            self._check(season, season.check)
        elif season.state == "running":
            with self._seasons.playing():
                found = self._seasons.find(season.id)
                return found.state == "running" and (self._release_due(found) or self._play(found))
        else:
            return False
        return True

    # ------------------------------------------------------------------------------------- playing

    def _release_due(self, season: ArenaSeason) -> bool:
        """Begin the next match day if its time has come and the one before is over."""
        at = season.times.get(season.released + 1)
        if at is None or at > self._seasons.now() or not days_over(season, self._seasons.contests):
            return False
        self._seasons.release_next(season.id)
        return True

    def _play(self, season: ArenaSeason) -> bool:
        """Play released games until somebody wants to change the season; whether any was played."""
        if self._settings.setting is None or not season.released:
            return False
        with self._seasons.contests.opened(season) as contest:
            self._drop_erased(season, contest)
            definition, state = contest.definition, contest.state
            released = UpToDay(definition.schedule(state), season.released)
            if released.finished(state.results):
                return False
            schedule = replace(released, wanted=lambda: not self._seasons.has_requests(season.id))
            with self._live(season, definition) as live:
                playing = play_rest(
                    schedule,
                    self.runner(season, definition, self._settings.setting),
                    contest.store,
                    state.results,
                    state.times_played,
                    live,
                    self._seasons.folders.output(season.id).take_out,
                )
                for _ in playing:
                    if self._stop.is_set() or self._seasons.is_wanted:
                        playing.close()  # type: ignore[attr-defined]  # a generator
                        return True
            if not released.finished(state.results):  # a team waits
                return True
            record_lots(contest.store, definition.schedule(state).standings(state.results))
        return True

    def runner(
        self, season: ArenaSeason, definition: Definition, setting: Setting
    ) -> Runner | RayRunner:
        """The runner for the frozen versions: processes on this machine or a cluster."""
        setting = replace(setting, wire=definition.wire)
        versions = VersionMaker(definition.limits, setting, definition.authority)
        seats = self._seasons.contests.seats(season)
        make, patience = SeasonMaker(versions, seats), definition.limits.patience + _GRACE
        if self._settings.cluster is not None:
            address, files = self._settings.cluster.address, wanted_files(seats.values())
            return RayRunner(make, patience, address, say=_log.info, files=files)
        runner = Runner(make, self._settings.workers, patience, time.monotonic)
        runner.say = _log.info
        return runner

    def _live(self, season: ArenaSeason, definition: Definition) -> LiveGamesWriter:
        """Writes the running games for the pages."""
        game = games.load(definition.game, definition.authority)
        file = live_file_of(self._seasons.folders.path(season.id, CONTEST))
        return LiveGamesWriter(
            file,
            game,
            lambda opening: game.start(opening.seed, **dict(opening.options)),
            time.monotonic,
        )

    def _drop_erased(self, season: ArenaSeason, contest: OpenContest) -> None:
        """Withdraw teams that erased their frozen version."""
        bots = self._seasons.accounts.bots
        for team, entry in season.entries.items():
            gone = team not in contest.state.withdrawn and entry.frozen
            if gone and bots.version(entry.frozen).state == "erased":
                jury = Jury(contest.definition, contest.state, now=self._seasons.now)
                ruling = jury.withdraw(team, "what played for it was erased")
                add_ruling(contest.store, ruling)
                contest.state.add_ruling(ruling)

    # ---------------------------------------------------------------------- before the first game

    def _check(self, season: ArenaSeason, task: SeasonTask) -> None:
        """Try out every player; a starting season begins if none fails."""
        try:
            problems = self.problems(season)
        except SpielleiterError as problem:
            problems = {"": str(problem)}
        state: Literal["done", "failed"] = "failed" if problems else "done"
        with self._seasons.changing(season.id) as found:
            found.check = replace(task, state=state, problems=problems, at=self._seasons.now())
            if found.state == "starting":
                found.state = "open"
                if not problems or (task.despite_problems and "" not in problems):
                    self._seasons.begin(found)

    def problems(self, season: ArenaSeason) -> dict[str, str]:
        """Team → why its player cannot play."""
        if self._settings.setting is None:
            raise UsageError("uploads cannot be held in a sandbox here: nothing is played")
        definition = defined(season.definition, [{"name": team} for team in season.entries])
        bots = self._seasons.accounts.bots
        paths = {team: bots.version(each.version).path for team, each in season.entries.items()}
        texts: dict[str, str | None] = {team: str(path) for team, path in paths.items()}
        players = Players(
            definition.game, definition.authority, texts, definition.limits, self._settings.setting
        )
        return failing_players(players, definition, self._settings.workers)

    def _rehearse(self, season: ArenaSeason, task: SeasonTask) -> None:
        """Rehearse with stand-ins, without blocking pages and teams."""
        try:
            done = self._rehearsed(season)
        except SpielleiterError as problem:
            done = replace(task, state="failed", problems={"": str(problem)})
        if not self._stop.is_set():
            with self._seasons.changing(season.id) as found:
                found.rehearsal = replace(done, at=self._seasons.now())

    def _rehearsed(self, season: ArenaSeason) -> SeasonTask:
        began, definition = time.monotonic(), _definition(season)
        store = self._seasons.folders.path(season.id, REHEARSAL)
        workers = self._settings.workers
        for _ in rehearse(definition, store, workers):
            if self._stop.is_set():
                break
        report = rehearsal_report(definition, store, time.monotonic() - began, workers)
        table = definition.schedule().standings(report.results)[-1].order
        return SeasonTask(
            "done",
            games=len(report.results),
            seconds=report.seconds,
            longest=report.longest,
            table=table,
        )


def _definition(season: ArenaSeason) -> Definition:
    """The contest with the entered teams, and stand-ins if they are too few."""
    if len(season.entries) < 2:
        return tried(season.definition)
    return defined(season.definition, [{"name": team} for team in season.entries])


@contextmanager
def open_seasons(
    data: Path,
    accounts: ArenaAccounts,
    workers: int,
    *,
    trusted: bool = False,
    cluster: Cluster | None = None,
) -> Iterator[Seasons]:
    """The seasons in a data folder; they are played while this is open.

    Without a sandbox nothing is played, unless uploads are `trusted`.
    """
    seasons = Seasons(SeasonFolders(data / FOLDER), accounts)
    seasons.recover()
    accounts.privacy.listen(seasons.forget)
    player = SeasonPlayer(seasons, SeasonPlayerSettings(workers, _setting(trusted), cluster))
    player.start()
    try:
        yield seasons
    finally:
        player.stop()


def _setting(trusted: bool) -> Setting | None:
    """How uploads are sandboxed; None if that is impossible."""
    found = probe()
    if found.best >= Level.ISOLATED:
        return Setting(found.box(Level.ISOLATED))
    return Setting(found.box(found.best)) if trusted else None
