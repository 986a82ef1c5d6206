"""The supervisor: a small program that starts another one, watches it and ends it.

It runs between us and the player. All descendants of the player become its children, their output
goes through it, and it kills them all on request, when a limit is exceeded, or when our process
ends: then the control socket is closed, even after `kill -9`.

It runs without importing the package (see `box`), to start fast, or as a fork of a preloaded
process (see `forkserver`). It is controlled by one JSON object, and by single bytes on the control
socket.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import select
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterable
from importlib import import_module  # before its file is out of sight
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

if sys.platform != "win32":
    import resource  # before the files it comes from are out of sight

LIMITS, ISOLATED = 1, 2
END, FREEZE, THAW, DONE, LISTENER, FAILED, GONE = b"E", b"F", b"T", b"D", b"S", b"X", b"G"
"""Bytes on the control socket: the first three to the supervisor, the others from it."""
_WATCH, _SLOW = 0.05, 5.0
_CHUNK = 1 << 16
_LINUX = sys.platform == "linux"
_CANNOT_START = 127
_PAGE, _TICKS = (os.sysconf(name) if _LINUX else 1 for name in ("SC_PAGE_SIZE", "SC_CLK_TCK"))
_SHARED_PIECE = re.compile(
    rb"^([0-9a-f]+)-([0-9a-f]+) ...s \S+ \S+ (\d+) +(?:/dev/zero|/memfd:|/SYSV)", re.MULTILINE
)
"""A line of /proc/PID/maps: from, to, and the number that tells pieces apart."""

Spec = dict[str, Any]


def main() -> None:
    """Run the program specified by the JSON object in the first argument."""
    keep(json.loads(sys.argv[1]))


def keep(spec: Spec, play: Callable[[], None] | None = None) -> NoReturn:
    """Supervise the program of a spec to its end: a command or a function."""
    control = socket.socket(fileno=spec["control"])
    watch = native().watch if spec["native"] else None
    try:
        if spec["cgroup"]:
            _write(os.path.join(spec["cgroup"], "cgroup.procs"), "0")
        if spec["level"] >= ISOLATED:
            from spielleiter.sandbox import isolation

            isolation.enter(spec, control)
        elif _LINUX:
            from spielleiter.sandbox import linux

            linux.adopt_orphans()
    except OSError as problem:
        with contextlib.suppress(OSError):
            control.sendall(FAILED)
        _complain(f"the sandbox cannot be set up: {problem}")
        sys.exit(_CANNOT_START)
    if watch is not None:
        watch(control.detach(), spec["level"] >= ISOLATED, native_bounds(spec))
        _become(spec, play)  # its signals are set already
    sys.exit(Supervisor(spec, control, play).run())


def native() -> ModuleType:
    """The module that does the same without an interpreter; only some installations have it."""
    return import_module("spielleiter.sandbox._supervisor")


def native_bounds(spec: Spec) -> tuple[int, int, int, int, int, int]:
    """The limits, as the native supervisor takes them."""
    memory, cpu, processes, disk, output = (
        int(spec["bounds"][name]) for name in ("memory", "cpu", "processes", "disk", "output")
    )
    return memory, cpu, processes, disk, output, spec["keep"]


class Supervisor:
    """Supervises one program from start to end."""

    def __init__(
        self, spec: Spec, control: socket.socket, play: Callable[[], None] | None = None
    ) -> None:
        self._bounds, self._control = spec["bounds"], control
        self._keep = spec["keep"]
        self._others: Callable[[], Iterable[int]] = (
            _everybody if spec["level"] >= ISOLATED else _descendants
        )
        self._printed, self._status, self._slow = 0, 0, time.monotonic() + _WATCH
        self._frozen = False
        self._spent: dict[tuple[int, int], float] = {}
        """Process number and time of birth → the processor time it was last seen to have used."""
        self._as_seen: list[tuple[int, int, int | None]] = []
        self._shared_memory = 0
        self._output, theirs = os.pipe()
        self._woken, wake = os.pipe()
        os.set_blocking(wake, False)
        os.set_blocking(self._woken, False)
        signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        self._program = os.fork()
        if self._program == 0:
            signal.set_wakeup_fd(-1)
            _print_to(theirs)
            default_signals()
            _become(spec, play)
        os.close(theirs)
        if spec["line"] is not None:
            os.close(spec["line"])

    def run(self) -> int:
        """Run until all processes have ended; returns the program's exit status."""
        poll = select.poll()
        for each in (self._control.fileno(), self._output, self._woken):
            poll.register(each, select.POLLIN)
        while self._reap():
            ready = {descriptor for descriptor, _ in poll.poll(1000 * self._interval())}
            if self._woken in ready:
                os.read(self._woken, _CHUNK)
            if self._output in ready and not self._pass_on():
                poll.unregister(self._output)
            if self._control.fileno() in ready and not self._obey():
                break
            if (why := self._overstepped()) is not None:
                _complain(f"ended by the sandbox: {why}")
                break
        self._end_all()
        self._pass_on(last=True)
        if not self._reap():
            self._say(GONE)
        return self._status

    def _interval(self) -> float:
        """The interval between checks; longer while frozen."""
        return _SLOW if self._frozen else _WATCH

    # ---------------------------------------------------------------------------------- the program

    def _reap(self) -> bool:
        """Reap dead children; whether any process is left."""
        try:
            while True:
                process, status = os.waitpid(-1, os.WNOHANG)
                if process == 0:
                    return True
                if process == self._program:
                    self._status = _exit_status(status)
        except ChildProcessError:
            return False

    def _pass_on(self, last: bool = False) -> bool:
        """Pass on output up to a length; whether it may print more."""
        if last:
            os.set_blocking(self._output, False)
        try:
            text = os.read(self._output, _CHUNK)
        except BlockingIOError:
            return False
        before, self._printed = self._printed, self._printed + len(text)
        _print(text[: max(0, self._keep - before)])
        if before <= self._keep < self._printed:
            _print("\n…".encode())
        return self._pass_on(last=True) if last and text else bool(text)

    # ----------------------------------------------------------------------------------- the orders

    def _obey(self) -> bool:
        """Handle commands on the control socket; whether to go on."""
        try:
            orders = self._control.recv(64)
        except OSError:
            return False
        for order in orders:
            self._do(bytes([order]))
        return bool(orders) and END not in orders

    def _do(self, order: bytes) -> None:
        if order == FREEZE:
            self._frozen = True
            self._signal_all(signal.SIGSTOP)
        elif order == THAW:
            self._frozen = False
            self._signal_all(signal.SIGCONT)
            self._say(DONE)

    def _say(self, word: bytes) -> None:
        with contextlib.suppress(OSError):
            self._control.sendall(word)

    def _overstepped(self) -> str | None:
        """The limit that the processes exceed together, if any; cheap, since it runs often."""
        if self._printed > self._bounds["output"]:
            return f"it printed more than {_amount(self._bounds['output'])}"
        if not _LINUX or self._frozen or time.monotonic() < self._slow:
            return None
        self._slow = time.monotonic() + _WATCH
        return self._too_much(list(self._others()))

    def _too_much(self, there: list[int]) -> str | None:
        seen = [counted for process in there if (counted := _counted(process)) is not None]
        if sum(each.threads for each in seen) > self._bounds["processes"]:
            return f"more than {self._bounds['processes']} processes and threads"
        if self._takes_too_much_memory(seen):
            return f"more than {_amount(self._bounds['memory'])} of memory"
        self._spent |= {(each.process, each.born): each.seconds for each in seen}
        if max(sum(self._spent.values()), _spent_by_the_dead()) > self._bounds["cpu"]:
            return f"more than {self._bounds['cpu']} seconds of processor time"
        return None

    def _takes_too_much_memory(self, seen: list[ProcessSample]) -> bool:
        """Shared memory is only looked for where all mappings together are more than the limit."""
        most = int(self._bounds["memory"])
        if sum(each.mapped for each in seen) <= most:
            return False
        return sum(each.memory for each in seen) + self._shared(seen) > most

    def _shared(self, seen: list[ProcessSample]) -> int:
        """Bytes of shared memory; cached while no process has run."""
        as_seen = [(each.process, each.born, each.ran) for each in seen]
        if as_seen != self._as_seen or any(each.ran is None for each in seen):
            self._as_seen = as_seen
            self._shared_memory = _shared(each.process for each in seen)
        return self._shared_memory

    def _signal_all(self, number: int) -> None:
        if not _LINUX:
            with contextlib.suppress(OSError):
                os.killpg(self._program, number)
            return
        for process in self._others():
            with contextlib.suppress(OSError):
                os.kill(process, number)

    def _end_all(self) -> None:
        """Kill repeatedly until no process is left, to catch new ones."""
        until = time.monotonic() + _SLOW
        self._signal_all(signal.SIGKILL)
        while self._reap() and time.monotonic() < until:
            time.sleep(0.001)
            self._signal_all(signal.SIGKILL)


# ---------------------------------------------------------------------------------- the other side


def _print_to(output: int) -> None:
    """A process group of its own, still in the supervisor's session: so it can be found without the
    supervisor. It prints to the supervisor."""
    os.setpgid(0, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)


def _become(spec: Spec, play: Callable[[], None] | None) -> NoReturn:
    """Become the program: limited, with empty input."""
    try:
        os.chdir(spec["cwd"])
        _limit(spec)
        _confine(spec)
        if play is not None:
            _play(spec, play)
        os.closerange(3, 1 << 10)
        os.execvpe(spec["words"][0], spec["words"], spec["environment"])
    except OSError as problem:
        _complain(f"{spec['words'][0]} cannot be started: {problem}")
    os._exit(_CANNOT_START)


def default_signals() -> None:
    """Signals end a program, as the system has it."""
    # Python ignores the last two, and the ignoring is inherited.
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGCHLD", "SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)


def _confine(spec: Spec) -> None:
    """Apply the restrictions of the level."""
    if spec["level"] >= ISOLATED:
        from spielleiter.sandbox import isolation

        isolation.lock(spec)
    elif _LINUX:
        from spielleiter.sandbox import isolation, linux

        linux.give_up_privileges()
        linux.scope_signals()
        with contextlib.suppress(OSError):  # a processor whose calls we do not know
            isolation.filter_calls()


def _play(spec: Spec, play: Callable[[], None]) -> NoReturn:
    """Become a player without exec; its socket to the referee is descriptor 3."""
    os.dup2(spec["line"], 3)
    os.closerange(4, 1 << 10)
    play_confined(spec, play)


def play_confined(spec: Spec, play: Callable[[], None]) -> NoReturn:
    """Become a player in a process that is confined already; so it is by the native supervisor."""
    set_environment(spec["environment"])
    play()
    os._exit(0)


def set_environment(wanted: dict[str, str]) -> None:
    """These variables and no others; mostly they are so, and every change copies pages."""
    if os.environ != wanted:
        os.environ.clear()
        os.environ.update(wanted)


def _limit(spec: Spec) -> None:
    """Set the system's resource limits."""
    bounds = spec["bounds"]
    wanted = {
        "RLIMIT_CORE": 0,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_DATA": bounds["memory"],
        "RLIMIT_FSIZE": bounds["disk"],
        "RLIMIT_CPU": bounds["cpu"],
    }
    if spec["level"] >= ISOLATED:
        wanted["RLIMIT_NPROC"] = bounds["processes"]
    elif os.getuid() != 0:  # root has no such limit
        wanted["RLIMIT_NPROC"] = bounds["processes"] + _threads_now()
    for name, most in wanted.items():
        number = getattr(resource, name, None)
        if number is None:
            continue
        _, hard = resource.getrlimit(number)
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(number, (most, most))


def _threads_now() -> int:
    """Threads of this user so far, which count against the same limit."""
    if not _LINUX:
        return 1 << 10
    own, found = os.getuid(), 0
    for process in _pids():
        with contextlib.suppress(OSError):
            if os.stat(f"/proc/{process}").st_uid == own and (counted := _counted(process)):
                found += counted.threads
    return found


# ------------------------------------------------------------------------------------ who is there


def _pids() -> list[int]:
    return [int(name) for name in os.listdir("/proc") if name.isdecimal()]


def _everybody() -> list[int]:
    """All other processes in the supervisor's own pid namespace."""
    return [process for process in _pids() if process != 1]


def _descendants() -> list[int]:
    """The descendants of the supervisor, without a pid namespace."""
    try:
        return _children_of(os.getpid())
    except FileNotFoundError:
        return _descendants_by_parents()


def _children_of(process: int) -> list[int]:
    """All descendants, from the kernel's lists of children."""
    found: list[int] = []
    for thread in os.listdir(f"/proc/{process}/task"):
        found += map(int, _read(f"/proc/{process}/task/{thread}/children").split())
    for child in list(found):
        with contextlib.suppress(OSError):  # it has just died, and left its children to us
            found += _children_of(child)
    return found


def _descendants_by_parents() -> list[int]:
    parents = {process: parent for process in _pids() if (parent := _parent(process))}
    found, young = set[int](), {os.getpid()}
    while young:
        young = {process for process, parent in parents.items() if parent in young} - found
        found |= young
    return list(found)


def _parent(process: int) -> int | None:
    try:
        return int(_read(f"/proc/{process}/stat").rpartition(b")")[2].split()[1])
    except OSError:
        return None


class ProcessSample(NamedTuple):
    """What one process uses."""

    process: int
    born: int
    """Start time in ticks since boot, since process numbers are reused."""
    threads: int
    mapped: int
    """Bytes of all its mappings, used or not."""
    memory: int
    """Private bytes; shared memory is counted separately."""
    seconds: float
    """Processor time."""
    ran: int | None
    """The same in nanoseconds; None if unknown or with several threads."""


def _counted(process: int) -> ProcessSample | None:
    """The usage of a process; None if it has just died."""
    try:
        words = _read(f"/proc/{process}/stat").rpartition(b")")[2].split()
        mapped, resident, shared = map(int, _read(f"/proc/{process}/statm").split()[:3])
        ticks, threads, born = int(words[11]) + int(words[12]), int(words[17]), int(words[19])
    except (OSError, ValueError, IndexError):
        return None
    size, memory = mapped * _PAGE, (resident - shared) * _PAGE
    ran = _ran(process) if threads == 1 else None
    return ProcessSample(process, born, threads, size, memory, ticks / _TICKS, ran)


def _ran(process: int) -> int | None:
    """Nanoseconds for which the main thread of a process has run."""
    try:
        return int(_read(f"/proc/{process}/schedstat").split()[0])
    except (OSError, ValueError, IndexError):
        return None


def _shared(processes: Iterable[int]) -> int:
    """Bytes of anonymous shared memory, each mapping once.

    The whole mapping counts, not only its touched pages: a dead process may have touched them.
    """
    pieces: dict[bytes, int] = {}
    for process in processes:
        with contextlib.suppress(OSError):
            text = _read(f"/proc/{process}/maps")
            for begin, end, inode in _SHARED_PIECE.findall(text):
                pieces[inode] = max(pieces.get(inode, 0), int(end, 16) - int(begin, 16))
    return sum(pieces.values())


def _spent_by_the_dead() -> float:
    """Processor time of reaped processes and their descendants."""
    times = os.times()
    return times.children_user + times.children_system


# ------------------------------------------------------------------------------------------- small


def _exit_status(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _read(path: str) -> bytes:
    """Read a kernel file with few system calls, since many are read often."""
    file, pieces = os.open(path, os.O_RDONLY), [b""]
    try:
        while piece := os.read(file, _CHUNK):
            pieces.append(piece)
    finally:
        os.close(file)
    return b"".join(pieces)


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def _print(text: bytes) -> None:
    with contextlib.suppress(OSError):
        os.write(1, text)


def _complain(text: str) -> None:
    _print(f"{text}\n".encode())


def _amount(count: int) -> str:
    return f"{count / 1e9:.3g} GB" if count >= 1e8 else f"{count / 1e6:.3g} MB"
