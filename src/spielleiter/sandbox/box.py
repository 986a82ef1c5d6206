"""Starts a program at a level of isolation, and controls it while it runs."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Protocol, Self

from spielleiter.errors import MachineError
from spielleiter.sandbox import scheduling
from spielleiter.sandbox.cgroup import ControlGroup
from spielleiter.sandbox.connections import Address, family, holds, session
from spielleiter.sandbox.forkserver import Forkserver
from spielleiter.sandbox.level import Bounds, Level
from spielleiter.sandbox.supervisor import DONE, END, FAILED, FREEZE, GONE, LISTENER, THAW

HOST = "127.0.0.1"
ENVIRONMENT = (
    "PATH", "LANG", "LANGUAGE", "TZ", "PYTHONPATH", "PYTHONIOENCODING", "VIRTUAL_ENV", "JAVA_HOME",
    "LD_LIBRARY_PATH", "DOTNET_ROOT", "NODE_PATH",
)  # fmt: skip
"""The environment variables that a program gets, besides `LC_*`."""
KEPT = 1 << 18
"""Bytes of a program's output that are kept."""
_BOOT = """
import sys, types
for name, *paths in (("spielleiter", sys.argv[2]), ("spielleiter.sandbox", *sys.argv[3:])):
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = paths
from spielleiter.sandbox.supervisor import main
main()
"""
"""Starts the supervisor without importing the whole package."""
_PLACES = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]
_NATIVE = "spielleiter.sandbox._supervisor"
_CHILDREN = f"/proc/{os.getpid()}/task/{os.getpid()}/children"
"""What a native supervisor needs of the kernel."""
_SET_UP, _THAWED, _FAREWELL, _KILLED = 30.0, 1.0, 1.0, 10.0


class SandboxFailed(MachineError):
    """A program was not started because its isolation failed."""


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """A program to start."""

    words: Sequence[str]
    folder: Path | None = None
    """Its own folder: the only files it sees, besides the system's."""
    readable: Sequence[Path] = ()
    """What else it has to see, such as the installation of its language."""
    port: int | None = None
    """The one port it may connect to."""
    files: Sequence[Path] = ()
    """Its own files, if their folder does not belong to it."""
    hidden: Sequence[Path] = ()
    """Files in its folder that do not belong to it."""
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Box:
    """Starts programs at a level. Survives pickling."""

    level: Level
    bounds: Bounds = field(default_factory=Bounds)
    groups: str | None = None
    """The folder of control groups, if the level needs them."""
    native: bool = True
    """Whether supervisors are native where that is possible; otherwise they run in Python."""

    def start(self, order: LaunchRequest) -> RunningProgram:
        """Start a program; if that fails, it has ended and its log has the reason."""
        if self.level is Level.NONE:
            return RunningProgram(_plain(order), self.bounds.output)
        group = None if self.groups is None else ControlGroup.make(Path(self.groups), self.bounds)
        try:
            has_listener = self.level >= Level.ISOLATED and order.port is not None
            started = self._kept(order, group)
            return RunningProgram(
                started, self.bounds.output, has_listener, group, is_apart=self._is_apart
            )
        except BaseException:
            if group is not None:
                group.end()
            raise

    def fork(
        self, order: LaunchRequest, server: Forkserver
    ) -> tuple[RunningProgram, socket.socket]:
        """Fork a player from a preloaded process; returns it and the socket to it.

        The server's function interprets the words of the request.
        """
        group = None if self.groups is None else ControlGroup.make(Path(self.groups), self.bounds)
        near, far = socket.socketpair()
        try:
            with far:
                started = self._forked(order, group, server, far)
            running = RunningProgram(
                started, self.bounds.output, group=group, is_apart=self._is_apart
            )
            return running, near
        except BaseException:
            near.close()
            if group is not None:
                group.end()
            raise

    @property
    def _is_apart(self) -> bool:
        """Whether programs cannot reach their supervisors."""
        return self.level >= Level.ISOLATED

    def _kept(self, order: LaunchRequest, group: ControlGroup | None) -> _Started:
        ours, theirs = socket.socketpair()
        log = _small_file()
        spec = self._spec(order, group) | {"control": theirs.fileno(), "line": None}
        with theirs:
            process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _BOOT, json.dumps(spec), *_PLACES, *_native()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=spec["environment"],
            )
        return _Started(process, log, ours)

    def _forked(
        self,
        order: LaunchRequest,
        group: ControlGroup | None,
        server: Forkserver,
        line: socket.socket,
    ) -> _Started:
        ours, theirs = socket.socketpair()
        log = _small_file()
        try:
            with theirs:
                spec = self._spec(order, group, server.environment)
                process = server.fork(spec, theirs, log, line, ours)
        except BaseException:
            ours.close()
            log.close()
            raise
        return _Started(process, log, ours)

    def _spec(
        self,
        order: LaunchRequest,
        group: ControlGroup | None,
        inherited: Mapping[str, str] | None = None,
    ) -> dict[str, Any]:
        """The specification for a supervisor; `inherited` is the environment, if it is known."""
        given = environment() if inherited is None else inherited
        return {
            "level": int(self.level),
            "words": list(order.words),
            "folder": _real(order.folder),
            "files": list(map(_absolute, order.files)),
            "hidden": [str(path.resolve()) for path in order.hidden],
            "readable": list(map(_absolute, order.readable)),
            "cwd": os.getcwd(),
            "host": HOST,
            "port": order.port if self.level >= Level.ISOLATED else None,
            "bounds": _as_dict(self.bounds),
            "cgroup": None if group is None else str(group.folder),
            "environment": {**given, **_home(self.level), **order.environment},
            "keep": KEPT,
            "native": self.native and bool(_native()),
        }


@dataclass(frozen=True, slots=True)
class _Started:
    process: Process | None
    log: IO[bytes]
    control: socket.socket | None = None


class Process(Protocol):
    """A started process, direct or forked."""

    @property
    def pid(self) -> int:
        """The number of the process, as the system knows it."""
        ...

    def poll(self) -> int | None:
        """None as long as it runs."""

    def wait(self, timeout: float | None = None) -> int:
        """Until it has ended; raises subprocess.TimeoutExpired."""


class RunningProgram:
    """A running program with all its descendants."""

    def __init__(
        self,
        started: _Started,
        output: int,
        has_listener: bool = False,
        group: ControlGroup | None = None,
        *,
        is_apart: bool = False,
    ) -> None:
        self._is_apart = is_apart
        self._process, self._log, self._control = started.process, started.log, started.control
        self._output, self._group, self._said = output, group, ""
        self._unheard = 0
        """Orders to unfreeze that its supervisor has not yet been heard to carry out."""
        self.output = b""
        """What it printed, once it has ended."""
        self.has_network = has_listener
        """Whether it has a network of its own, which nobody else reaches."""
        self.listener: socket.socket | None = None
        """Where it knocks, if it has a network of its own: a listening socket for the server."""
        if has_listener:
            self.listener = self._received_listener()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end(0.0)

    @property
    def pid(self) -> int | None:
        """The process that was started: the program, or its supervisor."""
        return None if self._process is None else self._process.pid

    @property
    def is_gone(self) -> bool:
        """Whether it and its descendants have ended, or never started."""
        return self._process is None or self._process.poll() is not None

    def check_supervisor(self) -> None:
        """Raise SandboxFailed if somebody else than the program killed its supervisor.

        To be called when the program is gone. Only where the two are apart can that not be its own
        doing; a control group without memory ends both of them, which is.
        """
        if not self._is_apart or self._control is None or self._log.closed:
            return
        ended = select.poll()
        ended.register(self._control, 0)  # of no event but that
        if not ended.poll(1000 * _FAREWELL) or (self._group and self._group.ran_out_of_memory):
            return
        with contextlib.suppress(OSError):
            if self._control.recv(64, socket.MSG_PEEK | socket.MSG_DONTWAIT).endswith(GONE):
                return
        raise SandboxFailed("the supervisor of a player was killed")

    def program_pid(self) -> int | None:
        """The program itself, at the end of the chain that a supervisor, if any, began."""
        process = self.pid
        with contextlib.suppress(OSError, ValueError):
            while process is not None and self._control is not None:
                children = scheduling.children(process)
                if len(children) != 1:
                    break
                (process,) = children
        return process

    def step_back(self, program: int | None) -> None:
        """Let other programs run first: all that is left for this one is to end.

        `program` is what `program_pid` found.
        """
        scheduling.step_back(program)

    def take_listener(self) -> socket.socket | None:
        """The listening socket; the caller must close it."""
        listener, self.listener = self.listener, None
        return listener

    def is_peer(self, peer: Address, own: Address) -> bool:
        """Whether it may be the process that connected from `peer` to `own`."""
        if self._control is None or self.pid is None:
            return True  # nothing keeps together what it starts
        return holds(family(self.pid), peer, own) is not False

    @property
    def printed(self) -> int:
        """How many bytes it has printed so far."""
        return 0 if self._log.closed else os.fstat(self._log.fileno()).st_size

    def check_output(self) -> None:
        """Kill a program without a supervisor that prints too much."""
        if self._control is None and os.fstat(self._log.fileno()).st_size > self._output:
            self._kill()

    def freeze(self) -> None:
        """Freeze it, if the level supports that."""
        if self._group is not None:
            self._group.freeze(True)
        else:
            self._tell(FREEZE)

    def thaw(self) -> None:
        """Unfreeze it; returns when it runs, and its supervisor watches it again."""
        self._order_thaw()
        self._wait_for_thaws()

    def thaw_soon(self) -> Callable[[], object] | None:
        """Unfreeze it; returns a function that waits until it runs, or None if it does."""
        runs = self._control is not None and scheduling.resume(self.pid)
        self._order_thaw()
        return self._wait_for_thaws if self._unheard and not runs else None

    def end(self, patience: float = 1.0) -> str:
        """Wait a moment for it to exit, then kill its process tree; returns its output."""
        if self._log.closed:
            return self._said
        if self._process is not None:
            _wait_for(self._process, patience)
            self._tell(END)
            self._wait_or_kill()
        if self._group is not None:
            self._group.end()
        for each in (self._control, self.listener):
            if each is not None:
                each.close()
        self._said = self._printed()
        return self._said

    # --------------------------------------------------------------------------------------- inside

    def _received_listener(self) -> socket.socket | None:
        assert self._control is not None
        self._control.settimeout(_SET_UP)
        try:
            said, descriptors, _, _ = socket.recv_fds(self._control, 1, 1)
        except OSError:
            said, descriptors = FAILED, []
        if said == LISTENER and descriptors:
            return socket.socket(fileno=descriptors[0])
        if said == b"" and not descriptors:
            said = FAILED
        reason = self.end(1.0).strip()
        raise SandboxFailed(reason or "the sandbox cannot be set up")

    def _tell(self, order: bytes) -> bool:
        if self._control is None:
            return False
        try:
            self._control.sendall(order)
        except OSError:
            return False
        return True

    def _order_thaw(self) -> None:
        if self._group is not None:
            self._group.freeze(False)
        elif self._tell(THAW):
            self._unheard += 1

    def _wait_for_thaws(self) -> None:
        """Until the supervisor has carried out every order to unfreeze, or a timeout."""
        if self._control is None or not self._unheard:
            return
        self._control.settimeout(_THAWED)
        with contextlib.suppress(OSError):
            while self._unheard and self._control.recv(1) == DONE:
                self._unheard -= 1

    def _wait_or_kill(self) -> None:
        assert self._process is not None
        if self._control is not None:
            _wait_for(self._process, _KILLED)
        self._kill()
        if self._process.wait() < 0 and self._control is not None:
            _end_session(self._process.pid)

    def _kill(self) -> None:
        if self._process is None or self._process.poll() is not None:
            return
        if os.name == "posix":
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        elif isinstance(self._process, subprocess.Popen):
            self._process.kill()

    def _printed(self) -> str:
        self._log.seek(0)
        text = self._log.read(KEPT + 1024)
        self._log.close()
        cut = self._control is None and len(text) > KEPT
        self.output = text[:KEPT] + "\n…".encode() if cut else text
        return self.output.decode(errors="replace")


def _wait_for(process: Process, patience: float) -> None:
    """Until a process has ended, or that many seconds; without waking up in between."""
    if isinstance(process, subprocess.Popen) and hasattr(os, "pidfd_open"):
        with contextlib.suppress(OSError), _pidfd(process.pid) as ended:
            poll = select.poll()
            poll.register(ended, select.POLLIN)
            poll.poll(1000 * patience)
            patience = 0.0
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(patience)


@contextlib.contextmanager
def _pidfd(process: int) -> Iterator[int]:
    """A descriptor of a child that has not been waited for."""
    descriptor = os.pidfd_open(process)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _end_session(leader: int) -> None:
    """Kill the remaining processes of a session whose supervisor was killed."""
    until = time.monotonic() + _KILLED
    while (left := session(leader)) and time.monotonic() < until:
        for process in left:
            with contextlib.suppress(OSError):
                os.kill(process, signal.SIGKILL)
        time.sleep(0.001)


@functools.cache
def _native() -> tuple[str, ...]:
    """The folder of the native supervisor, if this installation has one that runs here.

    One that was built from other sources than these is none.
    """
    if os.environ.get("SPIELLEITER_FLAVOUR") == "plain" or not os.path.exists(_CHILDREN):
        return ()
    try:
        module = import_module(_NATIVE)
    except ImportError:
        return ()
    fits = all(hasattr(module, name) for name in ("fork_into", "serve", "watch"))
    return (os.path.dirname(str(module.__file__)),) if fits else ()


def _small_file() -> IO[bytes]:
    """A file for what a supervisor lets through, in memory where that is possible."""
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("output"), "w+b")
    return tempfile.TemporaryFile()


def _plain(order: LaunchRequest) -> _Started:
    log = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as the program)
    group: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {}
    try:
        process = subprocess.Popen(
            list(order.words),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            env={**os.environ, **order.environment},
            **group,
        )
    except OSError as problem:
        log.write(f"{order.words[0]} cannot be started: {problem}\n".encode())
        return _Started(None, log)
    return _Started(process, log)


def _absolute(path: Path) -> str:
    """Most paths are absolute already; asking for it builds new ones, for every player."""
    text = str(path)
    return text if path.is_absolute() else str(path.absolute())


def _real(path: Path | None) -> str | None:
    return None if path is None else str(path.resolve())


def environment() -> dict[str, str]:
    """The environment for programs: no secrets, no personal settings."""
    return {
        name: value
        for name, value in os.environ.items()
        if name in ENVIRONMENT or name.startswith("LC_")
    }


def _home(level: Level) -> dict[str, str]:
    """Isolated programs get a writable home."""
    return {"HOME": "/tmp", "TMPDIR": "/tmp"} if level >= Level.ISOLATED else {}


@functools.cache
def _as_dict(bounds: Bounds) -> dict[str, Any]:
    return asdict(bounds)
