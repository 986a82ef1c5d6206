"""The ladder with real processes: bots' files play, workers and the whole ladder are killed."""

from __future__ import annotations

import hashlib
import itertools
import json
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select

from spielleiter.errors import MachineError
from spielleiter.ladder.accounts_roster import AccountsRoster
from spielleiter.ladder.database import LadderDatabase
from spielleiter.ladder.execution import SeatedVersion, VersionMaker, ordered
from spielleiter.ladder.game_queue import QueuedGame
from spielleiter.ladder.ladder import Ladder, LadderSettings
from spielleiter.ladder.results import GAME, PlayedGame, played_game
from spielleiter.ladder.schema import due
from spielleiter.ladder.workers import LadderWorkers
from spielleiter.store import open_store
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.time_control import TimeControl
from tests.copied_workers import copied_workers
from tests.databases import PostgresServer, postgres_server
from tests.disturbed_process import disturbed_until_done, killed_and_started
from tests.ladder_process import PURPOSE, wanted
from tests.ladders import EDITION, KnownVersion, RosterInMemory, ladder_in, roster, simulated
from tests.people import accounts_in, add_released, add_team

BOT = """
import random
from spielleiter.game import Bot

class Player(Bot):
    def choose(self, position, clock):
        print("my turn")
        return random.Random(position.text()).choice(list(position.legal_moves()))
"""
BROKEN = """
from spielleiter.game import Bot

class AdaCannot(Exception):
    pass

class Player(Bot):
    def choose(self, position, clock):
        raise AdaCannot("I cannot")
"""
MAKE = VersionMaker(TimeControl(per_move=5.0))


def file_version(folder: Path, name: str, text: str) -> KnownVersion:
    """A version that is a file."""
    path = folder / f"{name}.py"
    path.write_text(text, "utf-8")
    return KnownVersion(
        name, f"team of {name}", path=path, hash=hashlib.sha256(text.encode()).hexdigest()
    )


@pytest.fixture(autouse=True)
def _quick_workers() -> Iterator[None]:
    with copied_workers():
        yield


def until(done: Callable[[], bool], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.02)


def test_files_play_a_ladder_and_one_that_fails_is_parked(tmp_path: Path) -> None:
    """One of the workers is killed in the middle: its game is played again."""
    players = RosterInMemory()
    players.add(
        file_version(tmp_path, "good", BOT),
        file_version(tmp_path, "other", BOT + "\n"),
        file_version(tmp_path, "bad", BROKEN),
    )
    settings = LadderSettings((EDITION,), failures=2, levels=())
    heard: list[PlayedGame] = []
    with ladder_in(tmp_path / "ladder.db", players, settings) as ladder:
        ladder.on_game = heard.append
        workers = LadderWorkers(ladder, MAKE, 1)
        workers.start()
        until(lambda: len(heard) >= 1)
        for child in children():
            os.kill(child, signal.SIGKILL)
        until(lambda: "bad" in players.parked and len(heard) >= 4)
        workers.stop()
        assert workers.failure is None
        table = ladder.results.players_named(EDITION, ["good", "bad", "other"])
        printed = [ladder.results.output(each.id) for each in heard]
    assert table["bad"].faults == table["bad"].games == 2
    assert table["good"].faults == table["other"].faults == 0
    assert any("my turn" in text for text in printed)
    assert any("it raised AdaCannot" in text for text in printed)
    with closing(open_store(tmp_path / "ladder.db")) as store:
        entries = [entry.data for entry in store.all()]
    assert any("CRASHED" in entry for entry in entries)
    assert not any("Ada" in entry for entry in entries), "what a bot says can be erased"


class ShortOfProcesses(VersionMaker):
    """The machine has no process left when the first worker is started."""

    failed = False

    def __reduce__(self) -> tuple[object, ...]:
        if not ShortOfProcesses.failed:
            ShortOfProcesses.failed = True
            raise BlockingIOError("Resource temporarily unavailable")
        return VersionMaker, (MAKE.limits,)


def test_a_game_that_we_failed_to_start_is_played_again_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It does not wait for the end of its lease."""
    monkeypatch.setattr("spielleiter.ladder.workers._AFTER_A_FAILURE", 0.01)
    players, heard = RosterInMemory(), list[PlayedGame]()
    players.add(file_version(tmp_path, "good", BOT), file_version(tmp_path, "other", BOT + "\n"))
    settings = LadderSettings((EDITION,), levels=(), lease=1e9)
    with ladder_in(tmp_path / "ladder.db", players, settings) as ladder:
        ladder.order([friendly("only")])
        ladder.on_game = heard.append
        workers = LadderWorkers(ladder, ShortOfProcesses(MAKE.limits), 1)
        workers.start()
        until(lambda: "only" in [each.id for each in heard])
        workers.stop()
        assert ladder.spoilt_games == 1


def friendly(name: str) -> QueuedGame:
    """A game of two files."""
    return QueuedGame(Pairing(name, ("good", "other"), Opening(1)), EDITION, PURPOSE, "team")


SLOW = """
import pathlib, time
from spielleiter.game import Bot

class Player(Bot):
    def choose(self, position, clock):
        while not pathlib.Path("FILE").exists():
            time.sleep(0.01)
        return next(iter(position.legal_moves()))
"""


def test_the_lease_of_a_game_that_is_played_is_renewed(tmp_path: Path) -> None:
    clock, goes_on = [1_000.0], tmp_path / "goes on"
    players, heard = RosterInMemory(), list[PlayedGame]()
    slow = SLOW.replace("FILE", str(goes_on))
    players.add(file_version(tmp_path, "good", slow), file_version(tmp_path, "other", BOT))
    make = VersionMaker(TimeControl(per_move=300.0))
    with (
        closing(open_store(tmp_path / "ladder.db")) as record,
        closing(LadderDatabase(tmp_path / "ladder.db")) as tables,
    ):
        settings = LadderSettings((EDITION,), levels=(), lease=10.0)
        ladder = Ladder(record, tables, players, settings, lambda: clock[0])
        ladder.on_game = heard.append
        ladder.order([friendly("only")])
        workers = LadderWorkers(ladder, make, 1, beat=0.01)
        workers.start()
        until(lambda: ladder.queue.counts() == (0, 1))
        for _ in range(3):
            clock[0] += 9.0
            until(lambda: lease_of(tables) == clock[0] + 10.0)
        assert ladder.queue.claim("another worker", lambda: None) is None
        goes_on.touch()
        until(lambda: bool(heard))
        workers.stop()
    assert heard[0].id == "only"


def lease_of(tables: LadderDatabase) -> float:
    """Until when the only game belongs to its worker."""
    return max((row.until for row in tables.rows(select(due.c.until))), default=0.0)


def children() -> list[int]:
    """The worker processes that are ours."""
    return [each.pid for each in multiprocessing.active_children() if each.pid is not None]


def test_a_file_that_is_not_what_was_uploaded_is_a_fault_of_the_machine(tmp_path: Path) -> None:
    version = file_version(tmp_path, "good", BOT)
    version.path.write_text(BROKEN, "utf-8")
    seat = SeatedVersion(version.id, str(version.path), version.hash, EDITION)
    pairing = ordered(Pairing("key", ("good", "good"), Opening(1)), [seat, seat])
    with pytest.raises(MachineError, match="not what was uploaded"):
        MAKE().play(pairing)


def test_the_versions_of_accounts_are_claimed_under_their_ids(tmp_path: Path) -> None:
    with accounts_in(tmp_path) as accounts:
        first, second = (
            add_released(accounts, add_team(accounts, name), name, edition=EDITION)
            for name in ("Kraken", "Nautilus")
        )
        settings = LadderSettings((EDITION,), levels=())
        known = AccountsRoster(accounts)
        with ladder_in(tmp_path / "ladder.db", known, settings) as ladder:
            game = ladder.claim("one")
            assert game is not None
            assert set(game.pairing.players) == {first.id, second.id}
            orders = ladder.orders(game)
            assert {each.hash for each in orders} == {first.file, second.file}
            known.park(first.id, "it failed")
            known.tell(first.team, first.id, 5, "illegal")
            assert [each.id for each in known.released_versions(EDITION)] == [second.id]
            (told,) = accounts.notices.of_team(first.team)
            assert "failed in 5 games in a row, the last time because: illegal" in told.notice.text
            assert told.notice.link == f"/ladder/version/{first.id}"
        assert known.version("nobody") is None


# ------------------------------------------------------------------------------------- kill -9


def results_in(where: Path | str) -> dict[str, tuple[int, ...]]:
    """The ranks of all games of a record, whose chain has to be whole."""
    with closing(open_store(where)) as store:
        assert list(store.check()) == []
        games = [played_game(number, entry.data) for number, entry in store.news(0, GAME)]
    assert len({each.id for each in games}) == len(games), "a game was counted twice"
    return {each.id: each.ranks for each in games if each.purpose == PURPOSE}


def disturb(
    where: str, games: int, moments: int, server: PostgresServer | None = None, seed: int = 0
) -> None:
    """Let a ladder play so many games, disturbed at so many moments."""
    disturbed_until_done(("tests.ladder_process", where, str(games)), moments, server, seed)


def tables_of(where: Path | str) -> tuple[dict[str, tuple[int, ...]], int]:
    """What the record says, and how many games the tables know."""
    with ladder_in(where, roster(7), LadderSettings((EDITION,), levels=())) as ladder:
        known = len(ladder.results.games_for(PURPOSE))
        assert ladder.queue.waiting(PURPOSE) == 0
    return results_in(where), known


def expected(games: int) -> dict[str, tuple[int, ...]]:
    """What comes of all games if nobody is killed."""
    players = roster(7)
    return {each.id: tuple(json.loads(simulated(players, each))["ranks"]) for each in wanted(games)}


def test_a_ladder_that_is_killed_loses_no_game_and_counts_none_twice(tmp_path: Path) -> None:
    disturb(str(tmp_path / "ladder.db"), 60, 2)
    assert tables_of(tmp_path / "ladder.db") == (expected(60), 60)


@pytest.mark.deep  # below is a ladder whose database dies between two steps
def test_a_ladder_whose_database_dies_loses_no_game_and_counts_none_twice() -> None:
    with postgres_server() as server:
        disturb(server.url, 60, 2, server)
        assert tables_of(server.url) == (expected(60), 60)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(2))
def test_a_ladder_is_killed_at_fifty_moments(tmp_path: Path, seed: int) -> None:
    disturb(str(tmp_path / "ladder.db"), 1_500, 50, seed=seed)
    assert tables_of(tmp_path / "ladder.db") == (expected(1_500), 1_500)


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(4))
def test_a_ladder_and_its_database_are_killed_and_cut_at_fifty_moments(seed: int) -> None:
    """Two hundred moments in all."""
    with postgres_server() as server:
        disturb(server.url, 800, 50, server, seed)
        assert tables_of(server.url) == (expected(800), 800)


def test_a_ladder_waits_for_its_database_and_goes_on_when_it_was_cut_off_or_killed() -> None:
    """At every step of a game: before it is claimed, and before it is finished."""
    games, players = 8, roster(7)
    with postgres_server() as server:
        server.stop()
        with (
            later(server.start),
            ladder_in(server.url, players, LadderSettings((EDITION,), levels=())) as ladder,
        ):
            ladder.order(wanted(games))
            for number in itertools.count():
                if not ladder.queue.waiting(PURPOSE):
                    break
                disturb_between(server, number)
                game = ladder.claim(f"request {number}")
                assert game is not None
                disturb_between(server, number - 1)
                ladder.finish(game, simulated(players, game))
        assert tables_of(server.url) == (expected(games), games)


def disturb_between(server: PostgresServer, number: int) -> None:
    """In one step connections are cut, in another the server is killed; most are left alone."""
    if number == 1:
        server.cut()
    elif number == 4:
        killed_and_started(server)


@contextmanager
def later(deed: Callable[[], None]) -> Iterator[None]:
    """Do something in half a second, whatever waits for it."""
    timer = threading.Timer(0.5, deed)
    timer.start()
    yield
    timer.join()
