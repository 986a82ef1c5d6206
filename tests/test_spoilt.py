"""What our own machine spoils is played again, and nobody loses by it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from socket import gethostname

import pytest

from spielleiter import games
from spielleiter.errors import MachineError
from spielleiter.game import Bot
from spielleiter.programs.result_store import SPOILT, play_rest, results_in
from spielleiter.sandbox.box import SandboxFailed
from spielleiter.store import open_store
from spielleiter.tournament.executor import lack_of
from spielleiter.tournament.head_to_head import HeadToHead
from spielleiter.tournament.in_process import InProcessExecutor
from spielleiter.tournament.pairing import GameResult, Opening, Pairing
from spielleiter.tournament.runner import Job, Runner, SpoiltGame
from spielleiter.tournament.time_control import TimeControl
from tests.contests import QUICK, environment, program
from tests.copied_workers import copied_workers
from tests.failing_games import Failing, Fine, First, full_disk

MATCH = HeadToHead(("A", "B"), seed=1, games=4)


@pytest.fixture(autouse=True)
def _quick_workers() -> Iterator[None]:
    with copied_workers():
        yield


def failing(folder: Path, how: str, times: int) -> Runner:
    """A runner with one worker whose first games fail."""
    folder.mkdir()
    for number in range(times):
        (folder / f"{number:02}").touch()
    return Runner(Failing(QUICK, folder, how), 1, 60.0, time.monotonic)


def played(runner: Runner) -> tuple[dict[str, GameResult], list[SpoiltGame]]:
    known, spoilt = dict[str, GameResult](), list[SpoiltGame]()
    runner.spoilt = spoilt.append
    for _ in runner.run(MATCH, known, lambda done: None):
        pass
    return known, spoilt


@pytest.mark.parametrize(
    ("how", "reason"), [("disk", "no disk"), ("killed", "the worker was killed")]
)
def test_a_game_that_the_machine_spoils_is_played_again_and_nobody_loses_it(
    tmp_path: Path, how: str, reason: str
) -> None:
    known, spoilt = played(failing(tmp_path / "left", how, 2))
    assert len(known) == 4
    assert all(result.faults == (None, None) for result in known.values())
    assert [(game.machine, game.reason) for game in spoilt] == [(gethostname(), reason)] * 2


def test_spoilt_games_are_noted_in_the_store_and_count_once(tmp_path: Path) -> None:
    runner, told = failing(tmp_path / "left", "disk", 3), list[str]()
    runner.say = told.append
    with closing(open_store(tmp_path / "kept.db")) as store:
        list(play_rest(MATCH, runner, store, {}))
        assert len(results_in(store)) == 4
        assert [entry.key for entry in store.read(SPOILT)] == ["1", "2", "3"]
        assert not list(store.check())
    assert all("is played again" in line and gethostname() in line for line in told)


def test_a_machine_that_spoils_one_game_after_the_other_is_named_and_given_up(
    tmp_path: Path,
) -> None:
    with pytest.raises(MachineError, match=f"{gethostname()} spoilt 10 games in a row .no disk."):
        played(failing(tmp_path / "left", "disk", 50))


def test_a_machine_that_cannot_even_load_the_players_is_named() -> None:
    with pytest.raises(MachineError, match=f"{gethostname()} cannot load the players, no disk"):
        played(Runner(full_disk, 1, 60.0, time.monotonic))


@pytest.mark.parametrize(
    "problem",
    [MachineError("no player can be started: x\ny"), SandboxFailed("no namespaces"), MemoryError()],
)
def test_a_player_that_our_machine_could_not_start_has_not_crashed(problem: Exception) -> None:
    def made(_: int) -> Bot:
        raise problem

    players: dict[str, Callable[[int], Bot] | None] = {"A": made, "B": lambda _: First()}
    game = games.load(QUICK)
    executor = InProcessExecutor(
        lambda opening: game.start(opening.seed), players, TimeControl(nodes=1), time.monotonic
    )
    with pytest.raises(type(problem)):
        executor.play(Pairing("key", ("A", "B"), Opening(1)))
    reason = lack_of(problem)
    assert reason
    assert "\n" not in reason


def test_a_player_whose_worker_is_killed_every_time_is_to_blame(tmp_path: Path) -> None:
    known, spoilt = played(failing(tmp_path / "left", "killed", 3))
    assert len(spoilt) == 2
    assert len(known) == 4
    assert sorted(fault for result in known.values() for fault in result.faults if fault) == [
        "crashed"
    ]


# ------------------------------------------------------------------------------------- standstills


class Jumping:
    """A clock that jumps as often as it is looked at."""

    def __init__(self, by: float) -> None:
        self.by, self.moment = by, 100.0

    def __call__(self) -> float:
        self.moment += self.by
        return self.moment


@pytest.mark.parametrize(("by", "stalled"), [(1.0, False), (20.0, True)])
def test_a_runner_that_comes_round_much_too_late_knows_that_all_stood_still(
    by: float, stalled: bool
) -> None:
    runner = Runner(Fine(QUICK), 1, 60.0, Jumping(by))
    runner._collect()
    assert (runner._stalled > 0) is stalled


@pytest.mark.parametrize("fault", ["late", "silent", "illegal"])
@pytest.mark.parametrize("stalled", [False, True])
def test_who_is_late_in_a_standstill_plays_again_and_who_breaks_the_rules_does_not(
    fault: str, stalled: bool
) -> None:
    runner, spoilt = Runner(Fine(QUICK), 1, 60.0, time.monotonic), list[SpoiltGame]()
    runner.spoilt = spoilt.append
    job = Job(Pairing("match/0", ("A", "B"), Opening(1)))
    done = runner._judged(job, ((2, 1), (0, 0), (fault, None)), "text", stalled=stalled)
    again = stalled and fault != "illegal"
    assert (done is None) is again
    assert list(runner._queue) == ([job] if again else [])
    assert [game.reason for game in spoilt] == (["a standstill"] if again else [])


@pytest.mark.deep
@pytest.mark.skipif(os.name == "nt", reason="no such signals there")
@pytest.mark.parametrize("seconds", [3.0, 8.0], ids=["short", "long"])
def test_a_match_that_is_stopped_with_all_its_players_loses_no_game(
    tmp_path: Path, seconds: float
) -> None:
    (tmp_path / "slow.py").write_text(SLOW)
    words = program("match", "slow.py", "slow.py", "--game", QUICK, "--games", "6", "--time", "2s")
    process = subprocess.Popen(
        [*words, "--json"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    time.sleep(4.0)
    for number in (signal.SIGSTOP, signal.SIGCONT) * 2:
        os.killpg(process.pid, number)
        time.sleep(seconds if number == signal.SIGSTOP else 1.0)
    out, _ = process.communicate(timeout=300)
    assert process.returncode == 0, out
    assert all(not player["faults"] for player in json.loads(out)["players"]), out


SLOW = """
import time
from spielleiter import Bot

class Player(Bot):
    name = "slow"
    def choose(self, position, clock):
        time.sleep(0.3)
        return position.legal_moves()[0]
"""
