"""Games on several machines end as on one, whatever becomes of the machines."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from spielleiter.errors import UsageError
from spielleiter.programs.players import Players, RemotePlayers
from spielleiter.tournament import cluster
from spielleiter.tournament.head_to_head import HeadToHead
from spielleiter.tournament.pairing import Encounter
from spielleiter.tournament.runner import Runner
from spielleiter.tournament.time_control import TimeControl
from tests.contests import QUICK, environment, said

ROOT = Path(__file__).parents[1]


@pytest.mark.deep
@pytest.mark.skipif(os.name != "posix", reason="Ray's test cluster needs a POSIX system")
def test_a_machine_is_lost_and_the_tables_are_those_of_one_machine(tmp_path: Path) -> None:
    run_there("tests.clusters", tmp_path)
    late = time.monotonic() + 60
    while _alive(tmp_path):
        assert time.monotonic() < late, "a player outlives its machine"
        time.sleep(0.05)


@pytest.mark.deep
@pytest.mark.skipif(os.name != "posix", reason="Ray's test cluster needs a POSIX system")
def test_a_ladder_plays_on_a_cluster_and_loses_a_machine_but_no_game(tmp_path: Path) -> None:
    run_there("tests.ladder_clusters", tmp_path)


@pytest.mark.deep
@pytest.mark.usefixtures("box")
@pytest.mark.skipif(os.name != "posix", reason="Ray's test cluster needs a POSIX system")
def test_an_arena_plays_on_a_cluster_and_neither_machine_nor_arena_takes_a_game_along(
    tmp_path: Path,
) -> None:
    run_there("tests.arena_clusters", tmp_path)


def run_there(module: str, folder: Path) -> None:
    """Run a program that has a cluster of its own."""
    words = [sys.executable, "-m", module, str(folder)]
    with (folder / "said").open("w+") as log:  # no pipe: what Ray leaves behind would hold it
        done = subprocess.run(
            words, cwd=ROOT, env=environment(), stdout=log, stderr=log, timeout=1200
        )
        log.seek(0)
        assert done.returncode == 0, log.read()


def _alive(folder: Path) -> list[int]:
    """The players that have not ended with the machine they played on."""
    return [pid for pid in (int(file.stem) for file in folder.glob("*.began")) if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_a_runner_plays_just_what_it_is_given_and_keeps_its_workers() -> None:
    players = Players(
        QUICK, "document", {"greedy": "greedy", "random": "random"}, TimeControl(nodes=1)
    )
    runner = Runner(players, 1, 60.0, time.monotonic)
    games = [Encounter("match", ("greedy", "random"), 0).game(number) for number in range(6)]
    first, again = runner.play(games[:4]), runner.play(games[4:])
    runner._stop_workers()
    played = {each.result.pairing.key: each.result for each in (*first, *again)}
    assert sorted(played) == sorted(game.key for game in games)
    assert HeadToHead(("greedy", "random"), 0, games=6).finished(played)


def test_a_worker_that_was_killed_between_two_games_is_replaced() -> None:
    players = Players(
        QUICK, "document", {"greedy": "greedy", "random": "random"}, TimeControl(nodes=1)
    )
    runner = Runner(players, 1, 60.0, time.monotonic)
    games = [Encounter("match", ("greedy", "random"), 0).game(number) for number in range(2)]
    (first,) = runner.play(games[:1])
    (worker,) = multiprocessing.active_children()
    worker.kill()
    worker.join()
    (second,) = runner.play(games[1:])
    runner.close()
    assert [each.result.pairing.key for each in (first, second)] == [game.key for game in games]


def test_players_that_are_not_there_or_are_others_do_not_play(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot.py").write_text("from spielleiter.bots.random import Player\n")
    players = Players(QUICK, "document", {"A": "bot.py", "B": "greedy", "C": None}, TimeControl())
    there = RemotePlayers.of(players)
    there()
    (tmp_path / "bot.py").write_text("from spielleiter.bots.greedy import Player\n")
    with pytest.raises(UsageError, match="files of A"):
        there()
    with pytest.raises(UsageError, match="no folder"):
        RemotePlayers(players, str(tmp_path / "nowhere"), {})()


def test_a_machine_on_which_failures_pile_up_gets_no_more_games() -> None:
    machines = cluster.ClusterMachines()
    nodes = [
        {"NodeID": name, "Alive": name != "gone", "Resources": {"CPU": float(processors)}}
        for name, processors in (("head", 0), ("bad", 2), ("good", 2), ("small", 1), ("gone", 8))
    ]
    machines.look(nodes)
    assert machines.processors == {"bad": 2, "good": 2, "small": 1}
    assert machines.choose(Counter()) is None, "any machine will do"
    assert machines.blame("bad")
    assert not machines.blame("bad"), "it is named once"
    machines.look(nodes)
    assert machines.processors == {"good": 2, "small": 1}
    assert machines.choose(Counter({"good": 1, "small": 1})) == "good"
    assert machines.choose(Counter({"good": 2})) == "small"


def test_without_ray_the_program_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "find_spec", lambda _: None)
    runner = cluster.RayRunner(lambda: None, 1.0)  # type: ignore[arg-type, return-value]
    with pytest.raises(UsageError, match=r"pip install 'spielleiter\[ray\]'"):
        next(runner.run(HeadToHead(("A", "B"), 0, games=2), {}, lambda _: None))


MATCH = ("match", "greedy", "random", "--game", QUICK, "--games", "2", "--address")


def test_an_address_is_refused_where_games_are_not_played_on_a_cluster(tmp_path: Path) -> None:
    assert "--runner ray" in said(tmp_path, *MATCH, "here:1", status=2)


@pytest.mark.deep
def test_an_address_without_a_cluster_is_refused(tmp_path: Path) -> None:
    nobody = said(tmp_path, *MATCH, "127.0.0.1:1", "--runner", "ray", status=2)
    assert "no Ray cluster answers at 127.0.0.1:1" in nobody
