"""The ladder with real processes: bots' files play, workers and the whole ladder are killed."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from spielleiter.errors import MachineError
from spielleiter.ladder.entered import AccountsRoster
from spielleiter.ladder.execution import SeatedVersion, VersionMaker, ordered
from spielleiter.ladder.ladder import LadderSettings
from spielleiter.ladder.results import GAME, PlayedGame, played_game
from spielleiter.ladder.workers import LadderWorkers
from spielleiter.store import open_store
from spielleiter.tournament.pairing import Opening, Pairing
from spielleiter.tournament.time_control import TimeControl
from tests.databases import postgres_server
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

class Player(Bot):
    def choose(self, position, clock):
        raise ValueError("I cannot")
"""
MAKE = VersionMaker(TimeControl(per_move=5.0))


def file_version(folder: Path, name: str, text: str) -> KnownVersion:
    """A version that is a file."""
    path = folder / f"{name}.py"
    path.write_text(text, "utf-8")
    return KnownVersion(
        name, f"team of {name}", path=path, hash=hashlib.sha256(text.encode()).hexdigest()
    )


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
            known.tell(first.team, "it is parked")
            assert [each.id for each in known.released_versions(EDITION)] == [second.id]
            assert accounts.notices.of_team(first.team)[0].notice.text == "it is parked"
        assert known.version("nobody") is None


# ------------------------------------------------------------------------------------- kill -9


def results_in(where: Path | str) -> dict[str, tuple[int, ...]]:
    """The ranks of all games of a record, whose chain has to be whole."""
    with closing(open_store(where)) as store:
        assert list(store.check()) == []
        games = [played_game(number, entry.data) for number, entry in store.news(0, GAME)]
    assert len({each.id for each in games}) == len(games), "a game was counted twice"
    return {each.id: each.ranks for each in games if each.purpose == PURPOSE}


def killed_until_done(where: str, games: int, kills: int) -> None:
    """Start the ladder again and again; kill it so many times at moments drawn by lot."""
    lot = random.Random(kills)
    command = [sys.executable, "-m", "tests.ladder_process", where, str(games)]
    for _ in range(kills):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            timer = threading.Timer(lot.uniform(0.3, 1.6), process.kill)
            timer.start()
            process.wait(300)
            timer.cancel()
    last = subprocess.run(command, capture_output=True, timeout=300, check=True)
    assert last.stdout == b"done\n"


def tables_of(where: Path | str) -> tuple[dict[str, tuple[int, ...]], int]:
    """What the record says, and how many games the tables know."""
    with ladder_in(where, roster(7), LadderSettings((EDITION,), levels=())) as ladder:
        known = len(ladder.results.games_for(PURPOSE))
        assert ladder.due.waiting(PURPOSE) == 0
    return results_in(where), known


def expected(games: int) -> dict[str, tuple[int, ...]]:
    """What comes of all games if nobody is killed."""
    players = roster(7)
    return {each.id: tuple(json.loads(simulated(players, each))["ranks"]) for each in wanted(games)}


def test_a_ladder_that_is_killed_loses_no_game_and_counts_none_twice(tmp_path: Path) -> None:
    killed_until_done(str(tmp_path / "ladder.db"), 200, kills=2)
    assert tables_of(tmp_path / "ladder.db") == (expected(200), 200)


@pytest.mark.deep
def test_a_ladder_is_killed_at_two_hundred_moments(tmp_path: Path) -> None:
    killed_until_done(str(tmp_path / "ladder.db"), 6_000, kills=200)
    assert tables_of(tmp_path / "ladder.db") == (expected(6_000), 6_000)


@pytest.mark.deep
def test_a_ladder_whose_database_goes_away_plays_on(tmp_path: Path) -> None:
    with postgres_server() as server:
        command = [sys.executable, "-m", "tests.ladder_process", server.url, "3000"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE)  # read to its end below
        lot = random.Random(1)
        for _ in range(10):
            time.sleep(lot.uniform(0.5, 2.0))  # any moment will do: that is the point
            server.stop()
            server.start()
        assert process.communicate(timeout=300)[0] == b"done\n"
        assert tables_of(server.url) == (expected(3_000), 3_000)
