"""Programs that mean harm, run for real: each harms only itself, and nothing is left of it.

All bounds are small, and every program bounds its own harm, so that a hole in the sandbox costs a
test and not the machine.
"""

from __future__ import annotations

import errno
import json
import os
import platform
import re
import signal
import socket
import struct
import subprocess
import sys
import time
import uuid
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from spielleiter.errors import UnknownName, UsageError
from spielleiter.programs.archive import unpacked
from spielleiter.programs.program import program, program_name
from spielleiter.sandbox import (
    Bounds,
    Box,
    Forkserver,
    LaunchRequest,
    Level,
    ProbeResult,
    RunningProgram,
    Unreachable,
    box,
    probe,
    scheduling,
    seccomp,
    supervisor,
)
from spielleiter.sandbox import environment as sandbox_environment
from spielleiter.sandbox.box import ENVIRONMENT, KEPT, SandboxFailed
from spielleiter.sandbox.cgroup import ControlGroup, mounted
from spielleiter.sandbox.connections import family, holds
from spielleiter.sandbox.forkserver import Forked
from spielleiter.store import open_store
from spielleiter.tournament.record import from_text
from tests.contests import SPOKEN, environment, ran, said, start

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc tells who is left")

SMALL = Bounds(memory=120_000_000, cpu=20, processes=30, disk=3_000_000, output=1_000_000)
HARM = {
    "forks": "for _ in range(7): os.fork()\ntime.sleep(6)",
    "shares": "for _ in range(3): os.fork()\nx = bytearray(b'x') * 40_000_000\ntime.sleep(30)",
    "eats": "x = []\nfor _ in range(60): x.append(bytearray(10_000_000))\ntime.sleep(30)",
    "fills": "for n in range(20): open(f'big{n}', 'wb').write(bytes(1_000_000))\ntime.sleep(30)",
    "prints": "for _ in range(2000): os.write(1, b'x' * 10_000)\ntime.sleep(30)",
    "leaves shared memory": "import mmap\nx = mmap.mmap(-1, 200_000_000)\n"
    "if os.fork() == 0: x.write(bytes(200_000_000)); os._exit(0)\nos.wait()\ntime.sleep(30)",
    "swaps its memory for shared memory": "import mmap\n"
    "own = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS\n"
    "x = mmap.mmap(-1, 200_000_000, flags=own, prot=mmap.PROT_READ)\n"
    "time.sleep(0.3)\nx.close()\nx = mmap.mmap(-1, 200_000_000)\n"
    "for n in range(200):\n"
    "    if os.fork() == 0: x.seek(n * 1_000_000); x.write(bytes(1_000_000)); os._exit(0)\n"
    "    os.wait()\ntime.sleep(30)",
    "works in turns": "for _ in range(30):\n"
    "    if os.fork() == 0:\n"
    "        until = time.process_time() + 0.4\n"
    "        while time.process_time() < until: pass\n"
    "        os._exit(0)\n"
    "    os.wait()",
    "stays": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "if os.fork() == 0: os.setsid(); os.fork()\ntime.sleep(30)",
}


def reached(level: Level, native: bool = True) -> Box:
    """A box of that level; where there is none, the test says which level was not tried."""
    for each, reason in probe().missing:
        if each <= level:
            pytest.skip(f"sandbox level {level.text}: {reason}")
    return replace(probe().box(level, SMALL), native=native)


@pytest.fixture(params=["native", "in Python"])
def native(request: pytest.FixtureRequest) -> bool:
    """Whether supervisors are native; those in Python do the same."""
    return bool(request.param == "native")


@pytest.fixture
def token() -> Iterator[str]:
    """A word in the command line of everything a test starts; at its end nobody carries it."""
    word = f"token-{uuid.uuid4().hex}"
    yield word
    assert carriers(word) == [], "somebody is still running"


def carriers(word: str) -> list[int]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            try:
                line = (entry / "cmdline").read_bytes()
                dead = (entry / "stat").read_text().rpartition(")")[2].split()[0] == "Z"
            except OSError:
                continue
            if word.encode() in line and not dead:
                found.append(int(entry.name))
    return found


def line(process: int) -> bytes:
    """The command line of a process; nothing if it has just gone."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def python(code: str, token: str) -> list[str]:
    header = "import os, signal, socket, sys, time\n"
    return [sys.executable, "-I", "-S", "-c", header + code, token]


def order(code: str, token: str, folder: Path, port: int | None = None) -> LaunchRequest:
    made = program(f"{sys.executable} -c pass {{port}}")
    return LaunchRequest(python(code, token), folder, made.readable, port)


def until(running: RunningProgram) -> str:
    """What it printed, when it has ended by itself or was ended by its supervisor."""
    late = time.monotonic() + 60
    while not running.is_gone:
        assert time.monotonic() < late, "it goes on and on"
        time.sleep(0.01)
    return running.end(0.0)


LEVELS = [Level.LIMITS, Level.ISOLATED]
FULL = "30 processes|Resource temporarily unavailable"
"""Ended by its supervisor, or refused by the system: whoever is faster."""


@pytest.mark.parametrize(
    ("level", "harm", "ending"),
    [
        (Level.LIMITS, "forks", FULL),
        (Level.LIMITS, "eats", "MemoryError"),
        (Level.LIMITS, "shares", "0.12 GB of memory"),
        (Level.LIMITS, "prints", "printed more than 1 MB"),
        (Level.LIMITS, "leaves shared memory", "0.12 GB of memory"),
        (Level.LIMITS, "swaps its memory for shared memory", "0.12 GB of memory"),
        (Level.ISOLATED, "forks", FULL),
        (Level.ISOLATED, "leaves shared memory", "0.12 GB of memory"),
        (Level.ISOLATED, "eats", "MemoryError"),
        (Level.ISOLATED, "shares", "0.12 GB of memory"),
        (Level.ISOLATED, "fills", "No space left"),
        (Level.ISOLATED, "prints", "printed more than 1 MB"),
    ],
)
def test_who_takes_too_much_is_ended(
    level: Level,
    harm: str,
    ending: str,
    tmp_path: Path,
    token: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    with reached(level).start(order(HARM[harm], token, tmp_path)) as running:
        text = until(running)
    assert re.search(ending, text)
    assert len(text) < KEPT + 1_000
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("harm", "ending"),
    [
        ("forks", FULL),
        ("prints", "printed more than 1 MB"),
        ("leaves shared memory", "0.12 GB of memory"),
        ("swaps its memory for shared memory", "0.12 GB of memory"),
    ],
)
def test_a_supervisor_in_python_ends_them_too(
    harm: str, ending: str, tmp_path: Path, token: str
) -> None:
    box = reached(Level.LIMITS, native=False)
    with box.start(order(HARM[harm], token, tmp_path)) as running:
        assert re.search(ending, until(running))


@pytest.mark.parametrize("level", LEVELS)
def test_a_forked_player_is_held_alike_by_either_supervisor(
    level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(Forkserver("tests.confined:prepare", (), sandbox_environment())) as server:
        told = [how_held(reached(level, native), server, tmp_path) for native in (True, False)]
    in_session = [each.pop("in the supervisor's session") for each in told]
    assert in_session == [True, level is Level.LIMITS], "or in that of a process outside"
    assert told[0] == told[1]
    assert told[0]["open"] == ["0", "1", "2", "3"]
    assert "NoNewPrivs:\t1" in told[0]["status"]
    assert told[0]["limits"]["RLIMIT_DATA"] == [SMALL.memory, SMALL.memory]


def how_held(box: Box, server: Forkserver, folder: Path) -> Any:
    """What a forked player tells of itself."""
    running, line = box.fork(LaunchRequest(["a", "b"], folder), server)
    with running, line, line.makefile() as told:
        found = json.loads(told.read())
        assert running.end(60.0) == "I am told a b\n"
    return found


def test_one_large_file_is_too_much_at_any_level(
    tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "f = open('big', 'wb', 0)\nfor _ in range(50): f.write(bytes(1_000_000))\ntime.sleep(30)"
    with reached(Level.LIMITS).start(order(code, token, tmp_path)) as running:
        until(running)
    assert (tmp_path / "big").stat().st_size == SMALL.disk


@pytest.mark.parametrize("level", LEVELS)
def test_who_does_not_want_to_go_is_gone(
    level: Level, native: bool, tmp_path: Path, token: str
) -> None:
    running = reached(level, native).start(order(HARM["stays"], token, tmp_path))
    while len(carriers(token)) < 4:  # the program, its two children, and their supervisor
        assert not running.is_gone
        time.sleep(0.01)
    running.end(0.0)
    assert carriers(token) == []


@pytest.mark.parametrize(
    ("said", "alone", "status"),
    [(b"", False, -1), (supervisor.FAILED, False, -1), (supervisor.GONE, False, 0), (b"", True, 0)],
)
def test_a_forked_supervisor_is_over_when_its_socket_is_closed_whatever_is_unheard(
    said: bytes, alone: bool, status: int
) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        forked = Forked(os.getpid(), ours, alone=alone)
        theirs.sendall(supervisor.DONE + said)
        assert forked.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            forked.wait(0.01)
        theirs.close()
        assert (forked.wait(5.0), forked.poll()) == (status, status)


def test_who_kills_his_supervisor_is_found_all_the_same(tmp_path: Path, token: str) -> None:
    code = "os.fork()\nos.kill(os.getsid(0), signal.SIGKILL)\ntime.sleep(30)"
    running = reached(Level.LIMITS).start(order(code, token, tmp_path))
    while not running.is_gone:
        time.sleep(0.01)
    running.end(0.0)


@pytest.mark.parametrize("generation", [0, 1], ids=["outside", "inside"])
def test_a_supervisor_that_others_kill_is_our_failure_where_its_program_cannot(
    generation: int, native: bool, tmp_path: Path, token: str
) -> None:
    """At this level it has a process outside the namespaces, and one inside."""
    code = "print('here', flush=True)\ntime.sleep(30)"
    running = reached(Level.ISOLATED, native=native).start(order(code, token, tmp_path))
    with running:
        while not running.printed:
            time.sleep(0.01)
        victim = running.pid
        for _ in range(generation):
            (victim,) = scheduling.children(victim or 0)
        os.kill(victim or 0, signal.SIGKILL)
        with pytest.raises(SandboxFailed, match="supervisor"):
            running.check_supervisor()


@pytest.mark.parametrize(
    "code",
    ["os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)", "while True: print('x' * 999)"],
    ids=["exits", "kills itself", "is ended by the sandbox"],
)
def test_a_program_that_ends_by_its_own_doing_is_no_failure_of_ours(
    code: str, native: bool, tmp_path: Path, token: str
) -> None:
    running = reached(Level.ISOLATED, native=native).start(order(code, token, tmp_path))
    with running:
        late = time.monotonic() + 60
        while not running.is_gone:
            assert time.monotonic() < late
            time.sleep(0.01)
        running.check_supervisor()


@pytest.mark.parametrize("level", LEVELS)
def test_nobody_is_left_if_we_are_killed(level: Level, tmp_path: Path, token: str) -> None:
    reached(level)
    code = (
        "import sys, time; from pathlib import Path; from spielleiter.sandbox import *\n"
        f"words = ['sh', '-c', 'sleep 30; : {token}']\n"
        f"running = Box(Level({int(level)})).start(LaunchRequest(words, Path({str(tmp_path)!r})))\n"
        "time.sleep(30)"
    )
    ours = subprocess.Popen([sys.executable, "-c", code], env=environment())
    while not any(line(process).startswith(b"sh\0") for process in carriers(token)):
        assert ours.poll() is None
        time.sleep(0.01)
    ours.kill()
    ours.communicate()
    late = time.monotonic() + 25  # by itself it would take longer
    while carriers(token) and time.monotonic() < late:
        time.sleep(0.01)


@pytest.mark.parametrize(
    "level",
    # A second of a processor each: the supervisor in Python counts it in make test-deep.
    [Level.ISOLATED, pytest.param(Level.LIMITS, marks=pytest.mark.deep)],
)
def test_the_processor_time_of_all_its_processes_is_bounded(
    level: Level, tmp_path: Path, token: str
) -> None:
    box = replace(reached(level, native=level is Level.ISOLATED), bounds=Bounds(cpu=1))
    with box.start(order(HARM["works in turns"], token, tmp_path)) as running:
        assert "more than 1 seconds of processor time" in until(running)


CALLED = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for word in sys.argv[2:]:
    number, *arguments = map(int, word.split(","))
    print(libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, arguments)), ctypes.get_errno())
    ctypes.set_errno(0)
"""


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the numbers are those of x86-64")
@pytest.mark.parametrize("level", LEVELS)
def test_system_calls_that_no_player_needs_are_refused(
    level: Level, tmp_path: Path, token: str
) -> None:
    refused, absent, family = errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT
    calls = {
        "101,0,0,0,0": refused,  # ptrace
        "272,268435456": refused,  # unshare: a new user namespace
        "56,268435473,0,0,0,0": refused,  # clone into one
        "250,0,-3,1": refused,  # keyctl
        "321,0,0,0": refused,  # bpf
        "302,1,7,0,0": refused,  # prlimit64 of somebody else
        "425,8,0": absent,  # io_uring_setup
        "319,0,0": absent,  # memfd_create
        "435,0,0": absent,  # clone3
        "41,40,1,0": family,  # socket: vsock
    }
    made = order(CALLED, token, tmp_path)
    with reached(level).start(replace(made, words=[*made.words, *calls])) as running:
        answers = until(running).splitlines()
    assert answers == [f"-1 {number}" for number in calls.values()]


def test_the_filter_names_every_call_on_every_machine_it_knows() -> None:
    for machine in seccomp.MACHINES:
        code = seccomp.program(machine)
        assert code is not None
        assert len(code) % 8 == 0
        assert len(code) // 8 < 4096, "more than the kernel takes"
    assert seccomp.program("pdp11") is None


@pytest.mark.parametrize("level", LEVELS)
def test_a_program_is_told_nothing_of_our_environment_but_what_it_needs(
    level: Level, tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://us:SECRET@host/db")
    monkeypatch.setenv("LC_TIME", "C")
    with reached(level).start(order("print(*os.environ)", token, tmp_path)) as running:
        names = set(until(running).split())
    allowed = {*ENVIRONMENT, "HOME", "TMPDIR", "LC_TIME", "LC_CTYPE", "LC_ALL"}
    assert {"PATH", "LC_TIME"} <= names <= allowed


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can do that")
def test_where_we_are_root_a_program_is_somebody_else_outside(tmp_path: Path, token: str) -> None:
    with reached(Level.ISOLATED).start(order("time.sleep(30)", token, tmp_path)) as running:
        while not (found := [each for each in carriers(token) if uid_of(each) != 0]):
            assert not running.is_gone
            time.sleep(0.01)
    assert found


def uid_of(process: int) -> int:
    try:
        return Path(f"/proc/{process}").stat().st_uid
    except OSError:
        return 0


def test_what_is_hidden_in_its_folder_is_not_seen_and_single_files_come_alone(
    tmp_path: Path, token: str
) -> None:
    box = reached(Level.ISOLATED)
    for name in ("own/bot.py", "own/kept.db", "own/matches/one.db", "other/bot.py", "other/seed"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(f"I am {name}")
    own, other = tmp_path / "own", tmp_path / "other"
    code = (
        "for place, _, files in os.walk(sys.argv[2]):\n"
        "    for file in files: print(file, len(open(os.path.join(place, file)).read()))"
    )
    made = order(code, token, own)
    hidden = replace(made, hidden=[own / "kept.db", own / "matches"])
    with box.start(replace(hidden, words=[*made.words, str(own)])) as running:
        assert sorted(until(running).splitlines()) == ["bot.py 15", "kept.db 0"]
    alone = replace(made, folder=None, files=[other / "bot.py"])
    with box.start(replace(alone, words=[*made.words, str(other)])) as running:
        assert until(running).splitlines() == ["bot.py 17"]


def test_processor_time_is_bounded(tmp_path: Path, token: str) -> None:
    box = probe().box(Level.LIMITS, Bounds(cpu=1))
    late = time.monotonic() + 60
    with box.start(order("while True: pass", token, tmp_path)) as running:
        while not running.is_gone and time.monotonic() < late:
            time.sleep(0.01)
        assert running.is_gone


@pytest.mark.parametrize("level", LEVELS)
def test_an_idle_program_can_be_frozen(
    level: Level, native: bool, tmp_path: Path, token: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "spielleiter.sandbox.box._THAWED", 60.0
    )  # the supervisor may be kept waiting
    with reached(level, native).start(order("while True: pass", token, tmp_path)) as running:
        frozen(running, token)
        running.thaw()
        assert "T" not in states(token)


@pytest.mark.parametrize("code", ["while True: pass", "os.fork()\nwhile True: pass"])
def test_a_frozen_program_resumes_while_its_supervisor_is_busy(
    code: str, tmp_path: Path, token: str
) -> None:
    """One that has a child resumes with it."""
    processes = 2 if "fork" in code else 1
    with reached(Level.LIMITS).start(order(f"import os; {code}", token, tmp_path)) as running:
        assert running.pid is not None
        while sorted(below(running.pid)) != ["R"] * processes:
            time.sleep(0.001)
        assert not scheduling.resume(running.pid)  # it is not frozen
        running.freeze()
        while sorted(below(running.pid)) != ["T"] * processes:
            time.sleep(0.001)
        os.kill(running.pid, signal.SIGSTOP)  # the supervisor does nothing now
        while state(running.pid) != "T":
            time.sleep(0.001)
        try:
            assert scheduling.resume(running.pid)
        finally:
            os.kill(running.pid, signal.SIGCONT)
        running.thaw()
        assert "T" not in below(running.pid)


def below(supervisor: int) -> list[str]:
    """The states of a program's processes at the level `limits`."""
    return [state(each) for each in family(supervisor) if each != supervisor]


def frozen(running: RunningProgram, token: str) -> None:
    """Freeze a busy program as soon as it runs."""
    while "R" not in states(token):
        time.sleep(0.01)
    running.freeze()
    while "T" not in states(token):
        time.sleep(0.001)


@pytest.mark.parametrize("level", LEVELS)
def test_a_program_whose_game_is_over_lets_others_run_first(
    level: Level, tmp_path: Path, token: str
) -> None:
    with reached(level).start(order("while True: pass", token, tmp_path)) as running:
        while "R" not in states(token):
            time.sleep(0.01)
        program, ours = running.program_pid(), os.getpriority(os.PRIO_PROCESS, 0)
        assert program is not None
        assert os.getpriority(os.PRIO_PROCESS, program) == ours
        running.step_back(program)
        assert os.getpriority(os.PRIO_PROCESS, program) == min(ours + 10, 19)
        assert os.sched_getscheduler(program) == os.SCHED_BATCH
        running.step_back(None)
    running.step_back(program)  # it is gone


def states(token: str) -> set[str]:
    """What the program, not its supervisor, is doing."""
    found = set()
    for process in carriers(token):
        if b"while True: pass" in b"".join(line(process).split(b"\0")[4:5]):
            with suppress(OSError):  # it has just gone
                found.add(state(process))
    return found


def state(process: int) -> str:
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]


def test_no_network_but_the_games_port(tmp_path: Path, token: str) -> None:
    box = reached(Level.ISOLATED)
    code = """
for port in map(int, sys.argv[2:]):
    try:
        with socket.create_connection(("127.0.0.1", port), 60) as line:
            line.sendall(b"hello"); print("answer", line.recv(9).decode())
    except OSError as problem:
        print(port, type(problem).__name__)
try:
    socket.create_connection(("192.0.2.1", 80), 60)
except OSError as problem:
    print("away", problem.errno)
"""
    with socket.create_server(("127.0.0.1", 0)) as forbidden:
        port = forbidden.getsockname()[1]
        made = order(code, token, tmp_path, port=7777)
        words = [*made.words, str(port), "7777"]
        with box.start(LaunchRequest(words, made.folder, made.readable, made.port)) as running:
            assert running.listener is not None
            connection, _ = running.listener.accept()
            with connection:
                assert connection.recv(9) == b"hello"
                connection.sendall(b"welcome")
            text = until(running)
        forbidden.setblocking(False)
        with pytest.raises(BlockingIOError):
            forbidden.accept()
    assert text.splitlines() == [f"{port} ConnectionRefusedError", "answer welcome", "away 101"]


def test_no_files_but_its_own_folder_and_what_it_writes_there_is_gone(
    tmp_path: Path, token: str
) -> None:
    box = reached(Level.ISOLATED)
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (own / "weights.txt").write_text("mine")
    (other / "secret.txt").write_text("not yours")
    secrets = (
        str(other / "secret.txt"),
        "/etc/shadow",
        str(Path.home() / ".profile"),
        "/proc/1/environ",
    )
    code = f"""
print(open({str(own / "weights.txt")!r}).read())
open({str(own / "notes.txt")!r}, "w").write("new")
print(open({str(own / "notes.txt")!r}).read())
open("/tmp/scratch", "w").write("x")
for path in {secrets!r}:
    try:
        print("READ", open(path).read())
    except OSError:
        pass
for path in ("/usr/evil", "/evil", "/proc/sys/kernel/hostname"):
    try:
        open(path, "w").write("x"); print("WROTE", path)
    except OSError:
        pass
"""
    with box.start(order(code, token, own)) as running:
        assert until(running).split() == ["mine", "new"]
    assert [path.name for path in own.iterdir()] == ["weights.txt"]


def test_a_level_that_is_out_of_reach_says_what_is_missing_and_how_to_get_it() -> None:
    reason = "unshare: Operation not permitted; allow user namespaces"
    found = ProbeResult(Level.LIMITS, ((Level.ISOLATED, reason),))
    assert found.box(Level.LIMITS).level is Level.LIMITS
    for level in (Level.ISOLATED, Level.CGROUP):
        with pytest.raises(Unreachable, match=rf"level {level.text} is out of reach.*allow user"):
            found.box(level)
    with pytest.raises(UnknownName, match="did you mean 'isolated'"):
        Level.named("isolate")


def test_every_level_is_named_with_what_it_means_or_lacks(tmp_path: Path) -> None:
    lines = said(tmp_path, "sandbox").splitlines()
    assert [line.split()[0] for line in lines] == ["none", "limits", "isolated", "cgroup"]
    assert [line.split()[1] for line in lines] == [
        "yes:" if level <= probe().best else "no:" for level in Level
    ]


# ----------------------------------------------------------------------------------- control groups


@pytest.fixture
def group() -> Iterator[ControlGroup]:
    try:
        made = ControlGroup.make(mounted(), None)
    except OSError as problem:
        pytest.skip(f"control groups of version 2: {problem}")
    yield made
    made.end()


def test_a_control_group_freezes_and_ends_all_that_is_in_it(
    group: ControlGroup, token: str
) -> None:
    join = f"open({str(group.folder / 'cgroup.procs')!r}, 'w').write('0')\n"
    words = python(join + "os.fork()\nprint('in', flush=True)\nwhile True: pass", token)
    process = subprocess.Popen(words, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"in\n"
    assert group.populated
    group.freeze(True)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(0.05)
    group.freeze(False)
    group.end()
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert not group.folder.exists()


def test_memory_and_processes_are_bounded_together(tmp_path: Path, token: str) -> None:
    box = reached(Level.CGROUP)
    code = (
        "for _ in range(2): os.fork()\nx = bytearray(50_000_000)\nx[::4096] = b'x' * len(x[::4096])"
    )
    with box.start(order(code + "\ntime.sleep(30)", token, tmp_path)) as running:
        until(running)


# -------------------------------------------------------------------------------- in a real contest

HOSTILE = """
import os, signal, socket, sys, time
kind, host, port, code = sys.argv[1:]
line = socket.create_connection((host, int(port)))
line.sendall(f'<protocol><joinPrepared reservationCode="{code}" />'.encode())
seen = b""
while b"moverequest" not in seen.lower():
    chunk = line.recv(65536)
    if not chunk:
        sys.exit("too late")
    seen = (seen + chunk)[-500_000:]
print("I am", kind, flush=True)
"""
DEEDS = {name: deed for name, deed in HARM.items() if name.isalpha()} | {
    "calls": "socket.create_connection(('127.0.0.1', PORT), 2).sendall(b'data')\nprint('CALLED')",
    "reads": "print('READ', open(SECRET).read())",
}
CONTEST = """
[contest]
name = "Hostile"
game = "{game}"
format = "gauntlet"
games = 2
concurrency = 2
[limits]
time = "12s"
patience = "12s"
[format]
challengers = ["Good"]
[sandbox]
minimum = "isolated"
memory = "300MB"
processes = 30
disk = "3MB"
output = "1MB"
freeze = true
[[team]]
name = "Good"
player = "random"
"""
TEAM = '[[team]]\nname = "{kind}"\nplayer = "{command}"\n'


@pytest.mark.deep  # tests/attack has a cut of it
def test_hostile_players_lose_their_games_and_nothing_else(tmp_path: Path, token: str) -> None:
    reached(Level.ISOLATED)
    (tmp_path / "secret.txt").write_text("the others' weights")
    with socket.create_server(("127.0.0.1", 0)) as forbidden:
        text = CONTEST.format(game=SPOKEN)
        for kind, deed in DEEDS.items():
            deed = deed.replace("PORT", str(forbidden.getsockname()[1]))
            deed = deed.replace("SECRET", repr(str(tmp_path / "secret.txt")))
            (tmp_path / kind).mkdir()
            (tmp_path / kind / "bot.py").write_text(f"# {token}\n{HOSTILE}{deed}\n")
            words = f"{sys.executable} -I -S {tmp_path / kind / 'bot.py'} {kind}"
            text += TEAM.format(kind=kind, command=f"{words} {{host}} {{port}} {{reservation}}")
        (tmp_path / "hostile.toml").write_text(text)
        spoken = said(tmp_path, "contest", "run", "hostile.toml", "--skip-check")
        forbidden.setblocking(False)
        with pytest.raises(BlockingIOError):
            forbidden.accept()
    assert "sandbox: " in spoken
    assert "the idle player is frozen" in spoken
    with closing(open_store(tmp_path / "hostile.db")) as store:
        records = [from_text(entry.data) for entry in store.read("game")]
    assert len(records) == 2 * len(DEEDS)
    for record in records:
        good = record.pairing.players.index("Good")
        kind = record.pairing.players[1 - good]
        assert record.failures[good] is None, (kind, record.log)
        assert record.failures[1 - good] is not None, (kind, record.log)
        assert record.events.outcome.ranks[good] == 1
        assert f"I am {kind}" in record.log
        assert "CALLED" not in record.log
        assert "others' weights" not in record.log
        assert record.sandbox == probe().best.text
    assert not [line for line in running_lines() if str(tmp_path) in line]


def running_lines() -> list[str]:
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ")
                found.append(words.decode(errors="replace"))
            except OSError:
                continue
    return found


def test_a_level_that_is_demanded_and_out_of_reach_stops_the_contest(tmp_path: Path) -> None:
    if probe().best is Level.CGROUP:
        pytest.skip("every level can be reached here")
    text = CONTEST.format(game=SPOKEN).replace('"isolated"', '"cgroup"')
    (tmp_path / "high.toml").write_text(text + '[[team]]\nname = "B"\nplayer = "random"\n')
    spoken = said(tmp_path, "contest", "run", "high.toml", status=2)
    assert "the sandbox level cgroup is out of reach here" in spoken
    assert "systemd-run" in spoken
    low = said(tmp_path, "contest", "run", "high.toml", "--sandbox", "limits", status=2)
    assert "demands the sandbox level cgroup" in low


# ------------------------------------------------------------------------------ players of any kind


def test_a_zip_is_unpacked_once_and_its_script_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = tmp_path / "bot.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("inner/start.sh", "#!/bin/sh\necho started $*\n")
        archive.writestr("inner/data/weights", "1 2 3")
    found = program(str(path))
    assert found.words[0].endswith("inner/start.sh")
    assert os.access(found.words[0], os.X_OK)
    assert found.own.folder == unpacked(path).folder
    assert program_name(str(path)) == "bot.zip"
    with Box(Level.LIMITS).start(found.order({"{port}": "7"})) as running:
        assert "started --host {host} --port 7" in until(running)
    assert program(f"{path}:inner/start.sh").words == found.words
    with pytest.raises(UsageError, match="no 'other"):
        program(f"{path}:other.sh")


@pytest.mark.parametrize("name", ["../evil", "/evil", "a/../../evil", "C:/evil", "..\\evil"])
def test_a_zip_that_reaches_out_of_its_folder_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with zipfile.ZipFile(tmp_path / "bot.zip", "w") as archive:
        archive.writestr(name, "x")
    with pytest.raises(UsageError, match="outside of its folder"):
        unpacked(tmp_path / "bot.zip")
    assert [path.name for path in tmp_path.rglob("*evil*")] == []


def test_a_zip_with_a_link_or_too_much_in_it_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    link = zipfile.ZipInfo("start.sh")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(tmp_path / "link.zip", "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(UsageError, match="neither a file nor a folder"):
        unpacked(tmp_path / "link.zip")
    monkeypatch.setattr("spielleiter.programs.archive.MOST_BYTES", 1_000_000)
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("start.sh", bytes(2_000_000))
    with pytest.raises(UsageError, match="larger than"):
        unpacked(tmp_path / "bomb.zip")
    (tmp_path / "no.zip").write_bytes(b"PK nonsense")
    with pytest.raises(UsageError, match="no ZIP"):
        unpacked(tmp_path / "no.zip")
    assert list((tmp_path / "cache" / "spielleiter" / "players").iterdir()) == []


FIRST_MOVE = """
from spielleiter import Bot, run

class Player(Bot):
    def choose(self, position, clock):
        return position.legal_moves()[0]

run(Player())
"""


def test_a_zip_plays_and_somebody_from_outside_is_waited_for(tmp_path: Path) -> None:
    script = f'#!/bin/sh\nexec {sys.executable} "${{0%/*}}/bot.py" -h "$2" -p "$4" -r "$6"\n'
    with zipfile.ZipFile(tmp_path / "bot.zip", "w") as archive:
        archive.writestr("start.sh", script)
        archive.writestr("bot.py", FIRST_MOVE)
    words = ("bot.zip", "outside:Guest", "--game", SPOKEN, "--games", "2", "--concurrency", "1")
    process = start(tmp_path, "match", *words, "--time", "60s", "--json", "--store", "kept.db")
    assert process.stderr is not None
    with ThreadPoolExecutor() as threads:
        guests = []
        for _ in range(2):
            line = process.stderr.readline()
            where, code = line.split(" at ")[1].split(", reservation ")
            assert "waiting for Guest" in line
            host, _, port = where.partition(":")
            join = ("join", "any", "--bot", "random", "-h", host, "-p", port, "-r", code.strip())
            guests.append(threads.submit(ran, tmp_path, *join, patience=120))
        out, _ = process.communicate(timeout=120)
        assert [guest.result().returncode for guest in guests] == [0, 0]
    zipped, outside = json.loads(out)["players"]
    assert (zipped["name"], outside["name"]) == ("bot.zip", "Guest")
    assert zipped["faults"] == outside["faults"] == []
    assert json.loads(out)["sandbox"] == [probe().best.text]


def test_a_forked_player_whose_folder_is_gone_is_not_started_and_the_log_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with closing(Forkserver("tests.confined:prepare", (), sandbox_environment())) as server:
        monkeypatch.setattr(os, "getcwd", lambda: str(tmp_path / "gone"))
        for native in (True, False):
            order = LaunchRequest(["a player"], tmp_path)
            running, line = reached(Level.LIMITS, native).fork(order, server)
            with running, line, line.makefile() as told:
                assert told.read() == ""
                text = running.end(60.0)
            assert text.startswith("a player cannot be started: ")
            assert "No such file or directory" in text


def test_a_native_supervisor_of_other_sources_is_left_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "spielleiter.sandbox._supervisor"
    monkeypatch.setitem(sys.modules, name, ModuleType(name))
    assert box._native.__wrapped__() == ()
    monkeypatch.setitem(sys.modules, name, None)  # as if it were missing
    assert box._native.__wrapped__() == ()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells whose connection it is")
def test_a_stranger_who_connected_and_has_gone_is_no_player() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        client = socket.create_connection(server.getsockname())
        connected, peer = server.accept()
        with connected:
            own = connected.getsockname()
            assert holds([os.getpid()], peer, own)
            leaves_nothing = struct.pack("ii", 1, 0)  # closed at once, without a trace
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, leaves_nothing)
            client.close()
            assert holds([os.getpid()], peer, own) is False
    assert holds([os.getpid()], ("192.0.2.1", 1024), ("127.0.0.1", 1024)) is None
