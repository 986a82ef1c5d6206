"""A season of uploaded bots: entries, match days, jury, kills; its table against the record."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.accounts.accounts import ArenaAccounts
from spielleiter.annotation import annotation
from spielleiter.errors import UsageError
from spielleiter.programs.contest_store import opened_for_reading, wrong_entries
from spielleiter.programs.entrants import players_of
from spielleiter.programs.settings import Setting
from spielleiter.season.definition_text import parsed, written
from spielleiter.season.season import ArenaSeason, NoSuchSeason, SeasonFolders
from spielleiter.season.season_player import FOLDER, SeasonPlayer, SeasonPlayerSettings
from spielleiter.season.seasons import SeasonPlan, Seasons
from spielleiter.store.private import private_folder
from spielleiter.text import catalogue, translate
from spielleiter.tournament.definition import Definition
from spielleiter.tournament.match_days import UpToDay
from spielleiter.tournament.pairing import GameResult
from spielleiter.tournament.player_output import headed, split_output
from spielleiter.tournament.record import ContestEntry, from_text, to_text
from spielleiter.tournament.runner import FinishedGame, Runner
from spielleiter.tournament.schedule import Schedule
from tests.contests import QUICK
from tests.copied_workers import copied_workers
from tests.databases import PostgresServer, postgres_server
from tests.disturbed_process import disturbed_until_done, killed_and_started
from tests.independent_table import table
from tests.peers import PATIENCE
from tests.people import accounts_in, add_released, add_team, add_version

MAPS = next(
    name for name in games.names() if "map" in {option.name for option in games.load(name).options}
)
BOT = """
import os, time
from spielleiter.game import Bot

class Player(Bot):
    def choose(self, position, clock):
        time.sleep(float(os.environ.get("BOT_SLEEPS", "0")))
        moves = list(position.legal_moves())
        return moves[{number} * 7 % len(moves)]
"""
BROKEN = BOT.replace("moves = list", "moves = int")
TRUSTED = SeasonPlayerSettings(1, Setting(trust_files=True))
"""Bots of these tests run in our own workers: the sandbox has tests of its own."""
TOML = f"""
[contest]
name = "School league"
game = "{QUICK}"
format = "league"
seed = 5
games = 2
[limits]
time = "2s"
[entries]
late_until = 4
"""


class RunnerHere(Runner):
    """Plays in this process: starting workers takes a second."""

    def run(
        self,
        schedule: Schedule,
        played: dict[str, GameResult],
        keep: Callable[[list[FinishedGame]], None],
    ) -> Iterator[int]:
        executor = self._make()
        while waiting := list(schedule.waiting(played)):
            entries = [with_output(executor.play(each)) for each in waiting]
            keep([FinishedGame(each.result(), to_text(each)) for each in entries])
            played.update({each.pairing.key: each.result() for each in entries})
            yield len(played)


def with_output(entry: ContestEntry) -> ContestEntry:
    """Every bot says who it is: once aloud, once beside its first move."""
    players = entry.pairing.players
    log = "worker\n" + "".join(headed(each, f"I am {each}") for each in players)
    shown = {(seat, 1): annotation(text=f"{each} thinks") for seat, each in enumerate(players)}
    return entry.with_log(log, "none", shown)


class QuickPlayer(SeasonPlayer):
    """Plays in this process, and trusts all players."""

    def runner(self, season: ArenaSeason, definition: Definition, setting: Setting) -> Runner:
        found = super().runner(season, definition, setting)
        return RunnerHere(found._make, 1, 1.0, time.monotonic)

    def problems(self, season: ArenaSeason) -> dict[str, str]:
        return {}


class Clock:
    """The time, as the test says."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def __call__(self) -> float:
        return self.at


class Site:
    """Seasons with teams that have a bot each."""

    def __init__(self, folder: Path, accounts: ArenaAccounts, *, quick: bool) -> None:
        self.folder, self.accounts, self.clock = folder, accounts, Clock()
        self.seasons = Seasons(SeasonFolders(folder / FOLDER), accounts, self.clock)
        self.player = (QuickPlayer if quick else SeasonPlayer)(self.seasons, TRUSTED)

    def team(self, number: int, text: str = BOT) -> tuple[str, str]:
        """A new team and its version."""
        team = add_team(self.accounts, f"Team {number}")
        content = text.replace("{number}", str(number)).encode()
        made = add_released(self.accounts, team, f"Bot {number}", edition=QUICK, content=content)
        return team, made.id

    def opened(self, teams: int, toml: str = TOML) -> tuple[ArenaSeason, list[str]]:
        """A season that teams have entered."""
        season = self.seasons.imported(toml)
        self.seasons.open(season.id)
        found = [self.team(number) for number in range(1, teams + 1)]
        for team, version in found:
            self.seasons.enter(season.id, team, version)
        return self.seasons.find(season.id), [team for team, _ in found]

    def started(self, teams: int, toml: str = TOML) -> tuple[str, list[str]]:
        season, found = self.opened(teams, toml)
        self.seasons.start(season.id)
        self.work(season.id)
        assert self.seasons.find(season.id).state == "running"
        return season.id, found

    def work(self, season: str) -> None:
        """Do all there is to do now."""
        while self.player.step(self.seasons.find(season)):
            pass

    def played(self, season: str, days: int = 1) -> None:
        for _ in range(days):
            self.seasons.release(season)
            self.work(season)

    def file(self, season: str) -> Path:
        return self.seasons.folders.path(season, "contest.toml")

    def order(self, season: str) -> list[str]:
        """Our own table, best first."""
        with self.seasons.contests.opened(self.seasons.find(season)) as contest:
            schedule = contest.definition.schedule(contest.state)
            (found,) = schedule.standings(contest.state.results)
            return list(found.order)

    def entries(self, season: str) -> list[str]:
        """The games of the record."""
        with self.seasons.contests.opened(self.seasons.find(season)) as contest:
            return [each.data for each in contest.store.read("game")]

    def results(self, season: str) -> dict[str, tuple[int, ...]]:
        """How every game ended."""
        with self.seasons.contests.opened(self.seasons.find(season)) as contest:
            return {key: each.ranks for key, each in contest.state.results.items()}

    def games(self, season: str) -> int:
        with self.seasons.contests.opened(self.seasons.find(season)) as contest:
            return sum(contest.state.times_played.values())


@contextmanager
def site_in(folder: Path, *, quick: bool = True, database: str | None = None) -> Iterator[Site]:
    with accounts_in(folder, database) as accounts:
        yield Site(folder, accounts, quick=quick)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with site_in(tmp_path) as found:
        yield found


def verified(file: Path) -> list[str]:
    definition, store = opened_for_reading(file)
    try:
        return list(wrong_entries(store, definition, players_of(definition, file).start))
    finally:
        store.close()


# ------------------------------------------------------------------------------------- definition


def test_a_contests_file_becomes_a_season_and_a_season_a_contests_file(site: Site) -> None:
    teams = '[[team]]\nname = "Red"\nplayer = "random"\n[[set_up]]\n'
    season = site.seasons.imported(TOML.replace("seed = 5", 'seed = 5\nstore = "x.db"') + teams)
    again = site.seasons.exported(season.id)
    assert "Red" not in again
    assert "x.db" not in again
    assert parsed(again) == season.definition
    assert season.definition["entries"] == {"late_until": 4}


def test_a_definition_is_written_as_it_is_read() -> None:
    data = parsed(TOML.replace("School league", 'Ä \\"quoted\\" \\\\ name – 2'))
    assert parsed(written(data)) == data


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("games = 2", "games = 3", "an even number of games"),
        ("seed = 5", "sede = 5", "did you mean 'seed'"),
        ('"league"', '"legaue"', "legaue"),
        ("late_until = 4", 'withdrawn = "maybe"', "withdrawn"),
        ("[limits]", "[limits", "no TOML"),
    ],
)
def test_a_definition_that_makes_no_sense_is_refused(
    site: Site, old: str, new: str, problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        site.seasons.imported(TOML.replace(old, new))
    assert site.seasons.all() == []


def test_a_season_is_edited_until_it_begins(site: Site) -> None:
    season, _ = site.opened(2)
    changed = {**season.definition, "contest": {**season.definition["contest"], "games": 4}}
    site.seasons.edit(season.id, SeasonPlan(changed, enter_until=5_000.0, times={1: 10.0, 2: 20.0}))
    found = site.seasons.find(season.id)
    assert (found.definition["contest"]["games"], found.times) == (4, {1: 10.0, 2: 20.0})
    with pytest.raises(UsageError, match="cannot begin before"):
        site.seasons.edit(season.id, SeasonPlan(changed, times={1: 20.0, 2: 10.0}))
    site.seasons.start(season.id)
    site.work(season.id)
    with pytest.raises(UsageError, match="has to be draft or open"):
        site.seasons.edit(season.id, SeasonPlan(season.definition))
    site.seasons.edit(season.id, SeasonPlan(changed, times={3: 30.0}))
    assert site.seasons.find(season.id).times == {3: 30.0}


def test_a_season_that_nobody_played_can_be_removed(site: Site) -> None:
    season, _ = site.opened(2)
    site.seasons.remove(season.id)
    with pytest.raises(NoSuchSeason):
        site.seasons.find(season.id)
    with pytest.raises(NoSuchSeason):
        site.seasons.find("../accounts")


# ------------------------------------------------------------------------------------------- teams


def test_only_a_released_version_of_the_team_and_the_game_can_enter(site: Site) -> None:
    season, (one, _) = site.opened(2)
    other, version = site.team(9)
    with pytest.raises(UsageError, match="belongs to another team"):
        site.seasons.enter(season.id, one, version)
    waiting = add_version(site.accounts, other, "Other", edition=QUICK)
    with pytest.raises(UsageError, match="is waiting"):
        site.seasons.enter(season.id, other, waiting.id)
    site.seasons.edit(season.id, replace(SeasonPlan(season.definition), enter_until=500.0))
    with pytest.raises(UsageError, match="cannot enter any more"):
        site.seasons.enter(season.id, other, version)


def test_a_draft_takes_no_entries(site: Site) -> None:
    season = site.seasons.imported(TOML)
    team, version = site.team(1)
    with pytest.raises(UsageError, match="the season is draft"):
        site.seasons.enter(season.id, team, version)


def test_versions_are_frozen_at_the_start_and_their_hash_is_in_the_record(site: Site) -> None:
    season, (one, other) = site.started(2)
    newer = add_released(site.accounts, one, "Bot 1", edition=QUICK, content=b"# new\n")
    with pytest.raises(UsageError, match="were frozen when it started"):
        site.seasons.enter(season, one, newer.id)
    entry = site.seasons.find(season).entries[one]
    with site.seasons.contests.opened(site.seasons.find(season)) as contest:
        (noted,) = [json.loads(each.data) for each in contest.store.read("players")]
    assert noted[one] == f"{entry.frozen} sha256={entry.file}"
    assert noted.keys() == {one, other}


def test_versions_can_be_frozen_before_each_match_day(site: Site) -> None:
    season, (one, *_) = site.started(3, TOML + 'freeze = "match day"\n')
    site.played(season)
    content = BOT.replace("{number}", "12").encode()
    newer = add_released(site.accounts, one, "Bot 1", edition=QUICK, content=content)
    site.seasons.enter(season, one, newer.id)
    assert site.seasons.find(season).entries[one].frozen != newer.id
    site.played(season)
    assert site.seasons.find(season).entries[one].frozen == newer.id
    with site.seasons.contests.opened(site.seasons.find(season)) as contest:
        assert len(list(contest.store.read("players"))) == 2


def test_the_record_knows_teams_by_their_ids_only(site: Site) -> None:
    season, _ = site.started(2)
    site.played(season)
    folder = site.file(season).parent
    for path in folder.rglob("*"):
        assert not path.is_file() or b"Team 1" not in path.read_bytes(), path.name


# ------------------------------------------------------------------------------------ running


def test_a_player_that_fails_keeps_the_season_from_starting(tmp_path: Path) -> None:
    with copied_workers(), site_in(tmp_path, quick=False) as site:
        season, _ = site.opened(1)
        broken, version = site.team(3, BROKEN)
        site.seasons.enter(season.id, broken, version)
        site.seasons.start(season.id)
        site.work(season.id)
        found = site.seasons.find(season.id)
        assert found.state == "open"
        assert found.check is not None
        assert found.check.problems.keys() == {broken}


def test_organisers_may_insist_on_a_start_despite_a_player_that_fails(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    season, (one, _) = site.opened(2)
    monkeypatch.setattr(QuickPlayer, "problems", lambda self, season: {one: "crashed"})
    site.seasons.start(season.id)
    site.work(season.id)
    assert site.seasons.find(season.id).state == "open"
    site.seasons.start(season.id, despite_problems=True)
    site.work(season.id)
    assert site.seasons.find(season.id).state == "running"


def test_match_days_are_played_by_button_or_when_their_time_comes(site: Site) -> None:
    season, _ = site.started(3)
    assert site.games(season) == 0
    site.played(season)
    assert site.games(season) == 2
    definition = site.seasons.find(season).definition
    site.seasons.edit(season, SeasonPlan(definition, times={2: 2_000.0, 3: 3_000.0}))
    site.work(season)
    assert site.games(season) == 2
    site.clock.at = 2_500.0
    site.work(season)
    assert site.games(season) == 4
    site.clock.at = 3_000.0
    site.work(season)
    assert site.games(season) == 6
    assert site.order(season) == [
        team for team, _ in table(str(site.file(season).with_suffix(".db")))
    ]


def test_a_season_is_paused_resumed_and_finished(site: Site) -> None:
    season, _ = site.started(2)
    site.seasons.release(season)
    site.seasons.pause(season)
    site.work(season)
    assert site.games(season) == 0
    site.seasons.resume(season)
    site.work(season)
    assert site.games(season) == 2
    site.seasons.finish(season)
    with pytest.raises(UsageError, match="the season is finished"):
        site.seasons.release(season)


def test_a_rehearsal_leaves_no_trace_in_the_season(site: Site) -> None:
    season, teams = site.opened(3)
    site.seasons.rehearse(season.id)
    site.work(season.id)
    found = site.seasons.find(season.id)
    assert found.rehearsal is not None
    assert (found.rehearsal.state, found.rehearsal.games) == ("done", 6)
    assert set(found.rehearsal.table) == set(teams)
    assert found.rehearsal.longest is not None
    assert not site.file(season.id).with_suffix(".db").exists()
    assert found.state == "open"


def test_what_bots_print_lies_outside_the_record_and_is_there_when_it_is_asked_for(
    site: Site,
) -> None:
    season, (one, other) = site.started(2)
    site.played(season)
    (entry, *_), printed = site.entries(season), site.seasons.with_output
    assert "I am" not in entry
    assert "thinks" not in entry
    whole = from_text(printed(season, entry))
    assert split_output(whole.log, (one, other)) == {
        "": "worker\n",
        one: f"I am {one}\n",
        other: f"I am {other}\n",
    }
    assert {each.text for each in whole.record.shown().values()} == {
        f"{one} thinks",
        f"{other} thinks",
    }
    assert verified(site.file(season)) == []


def test_what_was_printed_can_be_erased_but_not_changed(site: Site) -> None:
    season, (one, other) = site.started(2)
    site.played(season)
    files = site.seasons.folders.output(season)
    files.erase(one)
    assert verified(site.file(season)) == []
    (entry, *_) = site.entries(season)
    assert from_text(site.seasons.with_output(season, entry)).log == f"--- {other}\nI am {other}\n"
    for path in site.file(season).parent.glob("output/*/*.json"):
        path.write_text(path.read_text().replace("I am", "I was"))
    assert [line.rpartition(": ")[2] for line in verified(site.file(season))] == [
        f"what {other} printed was changed"
    ] * 2
    assert "I was" not in site.seasons.with_output(season, entry)


def test_a_record_that_holds_what_was_printed_is_read_without_erased_teams(site: Site) -> None:
    """As records did before 18 November 2026."""
    season, (one, other) = site.started(2)
    site.played(season)
    old = site.seasons.with_output(season, site.entries(season)[0])
    assert "outside" in old
    old = json.dumps({name: each for name, each in json.loads(old).items() if name != "outside"})
    assert json.loads(site.seasons.with_output(season, old)) == json.loads(old)
    (bot,) = site.accounts.bots.of_team(one)
    site.accounts.privacy.erase_bot(bot.id)
    found = from_text(site.seasons.with_output(season, old))
    assert found.log == f"--- {other}\nI am {other}\n"
    assert [each.text for each in found.record.shown().values()] == [f"{other} thinks"]


def test_what_an_erased_bot_printed_goes_even_if_we_were_killed_meanwhile(site: Site) -> None:
    season, (one, _) = site.started(2)
    site.played(season)
    (bot,) = site.accounts.bots.of_team(one)
    site.accounts.privacy.erase_bot(bot.id)
    folder = site.file(season).parent / "output"
    assert any(one in path.name for path in folder.iterdir()), "nobody listens here"
    site.seasons.recover()
    assert not any(one in path.name for path in folder.iterdir())


def test_who_erases_its_bot_has_withdrawn(site: Site) -> None:
    season, (one, *_) = site.started(3)
    site.played(season)
    (bot,) = site.accounts.bots.of_team(one)
    site.accounts.privacy.erase_bot(bot.id)
    site.played(season, 2)
    with site.seasons.contests.opened(site.seasons.find(season)) as contest:
        assert contest.state.withdrawn == {one}
        assert contest.definition.schedule(contest.state).finished(contest.state.results)


def test_what_was_cut_off_is_put_right_when_the_arena_opens_again(site: Site) -> None:
    season, _ = site.opened(2)
    site.seasons.start(season.id)
    site.seasons.recover()
    found = site.seasons.find(season.id)
    assert found.state == "open"
    assert found.check is not None
    assert found.check.problems == {"": "cut off"}


def test_teams_are_told_what_concerns_them(site: Site) -> None:
    season, (one, other) = site.started(2)
    site.played(season)
    site.seasons.annul(season, "day 1", "power cut")
    told = [each.notice.text for each in site.accounts.notices.of_team(one)]
    assert told[0] == "School league: the jury has decided about your games: power cut"
    german = translate(told[0], catalogue("spielleiter", "de"))
    assert german == "School league: die Jury hat über eure Spiele entschieden: power cut"
    assert len(site.accounts.notices.of_team(other)) == 3


def test_what_teams_do_waits_for_the_end_of_games_and_ends_none(site: Site) -> None:
    """Otherwise whoever is about to lose could have the game played again."""
    season, (one, *_) = site.started(3)
    other, second = site.team(8)
    begun, over = threading.Event(), threading.Event()

    def playing() -> None:
        with site.seasons.playing():
            begun.set()
            over.wait(PATIENCE)

    with ThreadPoolExecutor() as threads:
        threads.submit(playing)
        assert begun.wait(PATIENCE)
        version = site.seasons.find(season).entries[one].version
        again = threads.submit(site.seasons.enter, season, one, version)
        with pytest.raises(UsageError, match="were frozen"):
            again.result(PATIENCE)
        threads.submit(site.seasons.enter, season, other, second).result(PATIENCE)
        threads.submit(site.seasons.withdraw, season, one, "no time").result(PATIENCE)
        assert not site.seasons.is_wanted, "games would be cut off"
        assert site.seasons.has_requests(season), "no more games begin"
        assert other not in site.seasons.find(season).entries
        over.set()
    site.played(season)
    with site.seasons.contests.opened(site.seasons.find(season)) as contest:
        assert contest.state.withdrawn == {one}
        assert contest.state.joined == {other: 1}


def test_who_cannot_join_when_the_games_are_over_is_told_why(site: Site) -> None:
    season, _ = site.started(3, TOML.replace("late_until = 4", "late_until = 0"))
    late, version = site.team(9)
    with pytest.raises(UsageError, match="at no time"):
        site.seasons.enter(season, late, version)
    assert "at no time" in site.accounts.notices.of_team(late)[0].notice.text


def test_games_that_are_not_wanted_do_not_begin(site: Site) -> None:
    season, _ = site.started(3)
    with site.seasons.contests.opened(site.seasons.find(season)) as contest:
        day = UpToDay(contest.definition.schedule(contest.state), 1)
        assert list(day.waiting({}))
        assert list(replace(day, wanted=lambda: False).waiting({})) == []


@pytest.mark.parametrize("name", ["/etc/passwd", "../../contest.toml"])
def test_a_contests_file_of_a_browser_reads_nothing_on_our_disk(site: Site, name: str) -> None:
    text = TOML.replace(QUICK, MAPS) + f'[[set_up]]\nmap = "{name}"\n'
    with pytest.raises(UsageError, match="there is no map"):
        site.seasons.imported(text)


# ------------------------------------------------------------- a whole season against its record


def whole_season(folder: Path, teams: int, kills: int) -> None:
    """A season with everything that can happen; the process that plays it is killed."""
    with site_in(folder) as site:
        season, there = site.started(teams)
        late, version = site.team(teams + 1)
        site.played(season)
        site.seasons.enter(season, late, version)
    play_and_kill(folder, season, kills)
    with site_in(folder) as site:
        path = str(site.file(season).with_suffix(".db"))
        site.seasons.annul(season, "day 2", "power cut")
        site.seasons.withdraw(season, there[0], "no time")
        replayed = f"School league/day 1/{there[0]} – {there[-1]}"
        site.seasons.replay(season, replayed, "the cable was out")
        site.seasons.release(season, 3 * teams)
        site.work(season)
        assert site.order(season) == [team for team, _ in table(path)]
        assert verified(site.file(season)) == []


def play_and_kill(folder: Path, season: str, kills: int) -> None:
    """Let another process play, and kill it at random moments."""
    lot = random.Random(kills)
    words = [sys.executable, "-m", "tests.season_process", str(folder), season, ""]
    for _ in range(kills):
        with site_in(folder) as site:
            site.seasons.release(season, site.seasons.find(season).released + 2)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()  # it has begun to play
        time.sleep(lot.uniform(0.0, 2.0))  # any moment will do: that is the point
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()


def test_the_final_table_is_the_one_that_the_record_says(tmp_path: Path) -> None:
    whole_season(tmp_path, teams=4, kills=1)


def disturbed_season(
    folder: Path, teams: int, moments: int, server: PostgresServer | None = None, seed: int = 0
) -> None:
    """A season ends as if nobody had been killed; with a server it has the people of the arena."""
    plain, killed = folder / "plain", private_folder(folder / "killed")
    database = None if server is None else server.url
    with site_in(killed, database=database) as site:
        season, _ = site.started(teams, TOML.replace("games = 2", "games = 12"))
        site.seasons.release(season, 2 * teams)
    shutil.copytree(killed, plain)
    words = ("tests.season_process", str(killed), season, database or "")
    disturbed_until_done(words, moments, server, seed)
    with site_in(plain, database=database) as site:
        site.work(season)
        expected = site.order(season), site.results(season)
    with site_in(killed, database=database) as site:
        assert (site.order(season), site.results(season)) == expected
        assert site.games(season) == len(expected[1]) == 12 * teams * (teams - 1) // 2
        assert verified(site.file(season)) == []
        path = str(site.file(season).with_suffix(".db"))
        assert site.order(season) == [team for team, _ in table(path)]


@pytest.mark.deep
def test_a_season_whose_database_and_workers_die_ends_as_if_they_had_not(tmp_path: Path) -> None:
    with postgres_server() as server:
        disturbed_season(tmp_path, 3, 4, server)


def test_a_season_whose_database_dies_between_match_days_ends_as_if_it_had_not(
    tmp_path: Path,
) -> None:
    """Workers and the process that plays are killed in other tests."""
    plain, killed = tmp_path / "plain", private_folder(tmp_path / "killed")
    with postgres_server() as server:
        with site_in(killed, database=server.url) as site:
            season, _ = site.started(3)
            shutil.copytree(killed, plain)
            for disturb in (server.cut, lambda: killed_and_started(server), lambda: None):
                site.seasons.release(season)
                disturb()
                site.work(season)
            found = site.order(season), site.results(season)
        with site_in(plain, database=server.url) as site:
            site.played(season, 3)
            assert (site.order(season), site.results(season)) == found
    assert len(found[1]) == 6


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(4))
def test_a_season_is_killed_and_cut_at_fifty_moments(tmp_path: Path, seed: int) -> None:
    """Two hundred moments in all."""
    with postgres_server() as server:
        disturbed_season(tmp_path, 14, 50, server, seed)


@pytest.mark.deep
def test_the_final_table_of_twenty_four_teams_is_the_one_that_the_record_says(
    tmp_path: Path,
) -> None:
    whole_season(tmp_path, teams=24, kills=4)
