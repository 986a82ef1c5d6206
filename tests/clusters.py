"""Plays on a Ray cluster of its own whose machines are lost; run as a program of its own: FOLDER.

All machines are this one: Ray's own test cluster. It is a program because Ray leaves threads and
open files behind that no test should be blamed for.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ray.cluster_utils import Cluster

from tests.contests import QUICK, program, start

BOT = """
import os, time
from pathlib import Path
from spielleiter import Bot

class Player(Bot):
    name = "waits"
    def begin(self, position, seat):
        Path(f"{os.getpid()}.began").touch()
    def choose(self, position, clock):
        while not Path("go").exists():
            time.sleep(0.01)
        return position.legal_moves()[0]
"""
NEEDY = """
import errno, os
from spielleiter import Bot

class Player(Bot):
    name = "needy"
    def __init__(self):
        if "NO_DISK" in os.environ:
            raise OSError(errno.ENOSPC, "No space left on device")
    def choose(self, position, clock):
        return position.legal_moves()[0]
"""
_PATIENCE = 300.0
MATCH = (
    *("match", "waits.py", "random", "--game", QUICK, "--games", "40", "--nodes", "1"),
    *(
        "--trust-files",
        "--patience",
        f"{_PATIENCE:g}s",
    ),  # the first player waits until the second has begun
)
CONTEST = f"""
[contest]
name = "Cup"
game = "{QUICK}"
format = "league"
games = 20
[limits]
nodes = 1
[[team]]
name = "A"
player = "greedy"
[[team]]
name = "B"
player = "random"
[[team]]
name = "C"
player = "waits.py"
"""
SMALL: dict[str, Any] = {"object_store_memory": 80 * 2**20}


def main(folder: Path) -> None:
    (folder / "waits.py").write_text(BOT)
    head: dict[str, Any] = {"num_cpus": 0, "include_dashboard": False, **SMALL}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    try:
        machines = [cluster.add_node(num_cpus=1, **SMALL) for _ in range(2)]
        there = ("--runner", "ray", "--address", cluster.address)
        _match(folder, there, lambda: cluster.remove_node(machines[0], allow_graceful=False))
        _contest(folder, there)
        cluster.add_node(num_cpus=1, env_vars={"NO_DISK": "1"}, **SMALL)
        _spoilt(folder, there)
    finally:
        cluster.shutdown()  # type: ignore[no-untyped-call, unused-ignore]


def _match(folder: Path, there: tuple[str, ...], lose_a_machine: Callable[[], Any]) -> None:
    """A machine is lost while each of the two is in the middle of a game."""
    process = start(folder, *MATCH, *there, "--store", "match.db")
    _await(lambda: len(list(folder.glob("*.began"))) == 2, process)
    lose_a_machine()
    _await(lambda: len(alive(folder)) == 1, process)
    (folder / "go").touch()
    out, err = process.communicate(timeout=_PATIENCE)
    assert process.returncode == 0, out + err
    assert "is played again: a machine of the cluster: the machine was lost" in err, err
    here, _ = start(folder, *MATCH, "--store", "match-here.db").communicate(timeout=_PATIENCE)
    assert _table(out) == _table(here), out + here


def _contest(folder: Path, there: tuple[str, ...]) -> None:
    """The machine that is left plays a whole contest."""
    for name in ("ray", "local"):
        (folder / f"{name}.toml").write_text(CONTEST)
    out, err = start(folder, "contest", "run", "ray.toml", "--trust-files", *there).communicate(
        timeout=_PATIENCE
    )
    here, _ = start(folder, "contest", "run", "local.toml", "--trust-files").communicate(
        timeout=_PATIENCE
    )
    assert "Winner" in here
    assert out == here, out + err + here
    subprocess.run(program("contest", "verify", "ray.toml"), cwd=folder, check=True)


def _spoilt(folder: Path, there: tuple[str, ...]) -> None:
    """A machine that can start no player is named and left out; the other one plays."""
    (folder / "needy.py").write_text(NEEDY)
    words = ("match", "needy.py", "random", "--game", QUICK, "--games", "20", "--nodes", "1")
    process = start(folder, *words, "--trust-files", *there, "--store", "needy.db")
    out, err = process.communicate(timeout=_PATIENCE)
    assert process.returncode == 0, out + err
    assert "gets no more games: " in err, err
    here, _ = start(folder, *words, "--trust-files", "--store", "here.db").communicate(
        timeout=_PATIENCE
    )
    assert _table(out) == _table(here), out + here


def alive(folder: Path) -> list[int]:
    """The processes of players that have not ended yet."""
    return [pid for pid in (int(file.stem) for file in folder.glob("*.began")) if _runs(pid)]


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _table(out: str) -> list[str]:
    """All but the time, which is never twice the same."""
    return [line for line in out.splitlines() if not line.startswith("thought")]


def _await(happened: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + _PATIENCE
    while not happened():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end, "nothing happens on the cluster"
        time.sleep(0.01)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
