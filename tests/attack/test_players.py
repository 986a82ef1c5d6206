"""Players that try to win by other means: each loses its own games, and nothing else happens.

The attackers are the files in `bots/`. An attack that reaches what it must not prints HURT.
"""

from __future__ import annotations

import json
import platform
import shutil
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from spielleiter import games
from spielleiter.handin.project import is_binary
from spielleiter.sandbox import Level, probe
from spielleiter.store import open_store
from spielleiter.tournament.record import ContestEntry, from_text
from tests.attack.ports import listening_ports
from tests.contests import BOTS, QUICK, SPOKEN, said, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems isolate nobody")

ATTACKERS = sorted(path.stem for path in (Path(__file__).parent / "bots").glob("*.py"))
BINARY = [name for name in games.names() if is_binary(games.load(name))]
QUICKLY = [name for name in ATTACKERS if name not in ("hangs", "forks", "fills")]
"""Those that do not take long; the others are for the long run."""
CONTEST = """
[contest]
name = "Attacked"
game = "{game}"
format = "gauntlet"
games = 2
concurrency = 2
[limits]
time = "60s"
patience = "60s"
[format]
challengers = ["Good"]
[[team]]
name = "Good"
player = "good/bot.py:Fine"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A contest's folder with the attackers, their victim and a secret."""
    if probe().best < Level.ISOLATED:
        pytest.skip(f"sandbox level isolated: {dict(probe().missing)[Level.ISOLATED]}")
    if platform.machine() != "x86_64":
        pytest.skip("the attack by system calls knows the numbers of x86-64 only")
    shutil.copytree(Path(__file__).parent / "bots", tmp_path / "bots")
    (tmp_path / "good").mkdir()
    (tmp_path / "good" / "bot.py").write_text(BOTS)
    (tmp_path / "secret.txt").write_text("the others' weights")
    before = contents(tmp_path)
    yield tmp_path
    after = contents(tmp_path)
    assert {path: after.get(path) for path in before} == before, "somebody's files were changed"
    assert left_behind(tmp_path) == []


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def left_behind(folder: Path) -> list[str]:
    """Command lines of processes that still work in a folder."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if (entry / "cwd").readlink() == folder:
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def attacked(folder: Path, attackers: list[str]) -> list[ContestEntry]:
    """The games of a contest against attackers, with default options."""
    text = CONTEST.format(game=QUICK)
    for name in attackers:
        text += f'[[team]]\nname = "{name}"\nplayer = "bots/{name}.py"\n'
    (folder / "contest.toml").write_text(text)
    with socket.create_server(("127.0.0.1", 0)) as ours:
        (folder / "bots" / "connects.port").write_text(str(ours.getsockname()[1]))
        process = start(folder, "contest", "run", "contest.toml")
        out, err = process.communicate(timeout=900)
        assert process.returncode == 0, out + err
        ours.setblocking(False)
        with pytest.raises(BlockingIOError):
            ours.accept()
    with closing(open_store(folder / "contest.db")) as store:
        return [from_text(entry.data) for entry in store.read("game")]


def assert_unhurt(records: list[ContestEntry], attackers: list[str]) -> None:
    assert len(records) == 2 * len(attackers)
    for record in records:
        good = record.pairing.players.index("Good")
        attacker = record.pairing.players[1 - good]
        assert record.failures[good] is None, (attacker, record.log)
        assert record.failures[1 - good] is not None, (attacker, record.log)
        assert record.result().ranks[good] == 1
        assert "HURT" not in record.log, (attacker, record.log)
        assert record.sandbox == probe().best.text


def test_in_a_contest_each_attacker_loses_its_own_games_only(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://us:SECRET@host/db")
    assert_unhurt(attacked(folder, QUICKLY), QUICKLY)
    said(folder, "contest", "verify", "contest.toml")


@pytest.mark.deep
def test_in_a_contest_those_who_take_their_time_lose_their_own_games_only(folder: Path) -> None:
    slow = sorted(set(ATTACKERS) - set(QUICKLY))
    assert_unhurt(attacked(folder, slow), slow)


@pytest.mark.parametrize(
    "attacker",
    [name if name == "kills" else pytest.param(name, marks=pytest.mark.deep) for name in ATTACKERS],
)  # fmt: skip
def test_in_a_match_an_attacker_loses_and_its_opponent_is_not_blamed(
    folder: Path, attacker: str
) -> None:
    (folder / "own").mkdir()  # a player sees its whole folder, if nobody else's file is in it
    shutil.copy(folder / "bots" / f"{attacker}.py", folder / "own")
    words = (f"own/{attacker}.py", "good/bot.py:Fine", "--game", QUICK, "--games", "2")
    process = start(folder, "match", *words, "--time", "30s", "--json", "--store", "kept.db")
    out, err = process.communicate(timeout=600)
    bad, good = json.loads(out)["players"]
    assert (bad["losses"], good["wins"], good["faults"]) == (2, 2, []), err
    with closing(open_store(folder / "kept.db")) as store:
        assert not [entry.key for entry in store.read("game") if "HURT" in entry.data]


KILLER = """
import os, signal, sys
from pathlib import Path
from spielleiter import Bot, run

class Player(Bot):
    name = "killer"
    def choose(self, position, clock):
        for entry in Path("/proc").glob("[0-9]*"):
            try:
                mine = os.getpgid(int(entry.name)) == os.getpgid(0)
                if not mine and b"victim.py" in (entry / "cmdline").read_bytes():
                    os.kill(int(entry.name), signal.SIGKILL)
                    print("HURT")
            except OSError as problem:
                print("could not kill it:", problem)
        raise SystemExit("I am off")

run(Player())
"""
VICTIM = """
from spielleiter import Bot, run

class Player(Bot):
    name = "victim"
    def choose(self, position, clock):
        return position.legal_moves()[0]

run(Player())
"""


def test_where_limits_were_chosen_a_program_cannot_kill_its_opponent(tmp_path: Path) -> None:
    from spielleiter.sandbox import linux

    if linux.landlock_version() < 6:
        pytest.skip("signals to others can be forbidden since Linux 6.12")
    for name, text in (("killer", KILLER), ("victim", VICTIM)):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.py").write_text(text)
    places = "-h {host} -p {port} -r {reservation}"
    commands = [f"{sys.executable} {name}/{name}.py {places}" for name in ("killer", "victim")]
    words = (*commands, "--game", SPOKEN, "--games", "2", "--sandbox", "limits", "--time", "60s")
    process = start(tmp_path, "match", *words, "--json", "--store", "kept.db")
    out, err = process.communicate(timeout=600)
    killer, victim = json.loads(out)["players"]
    assert (killer["losses"], victim["faults"]) == (2, []), err
    with closing(open_store(tmp_path / "kept.db")) as store:
        logs = [from_text(entry.data).log for entry in store.read("game")]
    assert all("could not kill it" in log and "HURT" not in log for log in logs), logs


THIEF = """
import socket, struct, sys, threading, time
from pathlib import Path
from spielleiter.cli import main

def listening():
    return map(int, Path("PORTS").read_text().split())

def steal(mine, kept=[]):
    tried = set()
    for _ in range(3000):
        for port in set(listening()) - tried - {mine}:
            tried.add(port)
            link = socket.create_connection(("127.0.0.1", port))
            link.sendall(struct.pack(">BIB", 1, 1, 9))
            kept.append(link)
        time.sleep(0.01)

port = sys.argv[sys.argv.index("-p") + 1]
threading.Thread(target=steal, args=(int(port),), daemon=True).start()
time.sleep(1.0)  # it is in no hurry: the others' seats come first
main(["join", "GAME", "--bot", "random", "--port", port])
"""
LATE = """
import sys, time
from spielleiter.cli import main

time.sleep(2.0)
main(["join", "GAME", "--bot", "random", "--port", sys.argv[sys.argv.index("-p") + 1]])
"""


@pytest.mark.skipif(not BINARY, reason="no game speaks the course's protocol")
def test_where_limits_were_chosen_a_program_cannot_take_the_seat_of_another(tmp_path: Path) -> None:
    """The course's protocol has no codes: the system says whose connection it is."""
    ports = tmp_path / "ports"
    ports.touch()
    for name, text in (("thief", THIEF), ("late", LATE)):
        code = text.replace("GAME", BINARY[0]).replace("PORTS", str(ports))
        (tmp_path / f"{name}.py").write_text(code)
    commands = [f"{sys.executable} {name}.py -p {{port}}" for name in ("thief", "late")]
    words = (*commands, "--game", BINARY[0], "--games", "2", "--sandbox", "limits")
    process = start(tmp_path, "match", *words, "--time", "60s", "--json", "--store", "kept.db")
    while process.poll() is None:  # other tests on this machine have ports as well
        known = tmp_path / "known"
        known.write_text(" ".join(map(str, listening_ports(process.pid))))
        known.replace(ports)
        time.sleep(0.02)
    out, err = process.communicate(timeout=600)
    thief, late = json.loads(out)["players"]
    assert late["faults"] == [], err
    assert thief["faults"] == [], err
    with closing(open_store(tmp_path / "kept.db")) as store:
        assert len(list(store.read("game"))) == 2
