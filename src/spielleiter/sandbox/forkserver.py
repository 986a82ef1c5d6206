"""A fork server: every player is a fresh process that need not import anything.

The server is a process that has imported what players need; it never reads a player's file. For
each player it forks, and the copy becomes a supervisor with its player (see `supervisor`). That
takes hundredths of a second instead of half a second.

The server ends when its socket is closed, so it does not outlive its parent.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import IO, Any

from spielleiter.errors import MachineError
from spielleiter.sandbox import supervisor

_BOOT = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from spielleiter.sandbox.forkserver import main
main()
"""
_START = 60.0
_LARGEST = 1 << 20
_HEADER, _MAGIC = "=8s6QII", b"limits"
"""What the native supervisor reads of a request: `Header` in `bind.cpp`."""
_CHUNK = 1 << 12

Received = tuple[bytes, Sequence[int], bool]
"""A request, its descriptors, and whether this is the player that it asked for."""


class Forkserver:
    """Forks players; `player` names a function as `module:function`.

    It is called once with `words` in the server, to load what players need, and returns the
    function that each player runs, with the words of its request and the socket to the referee.
    """

    def __init__(self, player: str, words: Sequence[str], environment: Mapping[str, str]) -> None:
        self.environment = dict(environment)
        """What players have in their environment, unless their request says otherwise."""
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._log = tempfile.TemporaryFile()  # noqa: SIM115  (open as long as the server)
        arguments = [_import_path(), player, list(words), theirs.fileno(), self.environment]
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-c", _BOOT, *map(json.dumps, arguments)],
                stdin=subprocess.DEVNULL,
                stdout=self._log,
                stderr=self._log,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                env=self.environment,
            )

    def fork(
        self,
        spec: dict[str, Any],
        control: socket.socket,
        log: IO[bytes],
        line: socket.socket,
        watched: socket.socket,
    ) -> Forked:
        """Fork a player with its supervisor; `watched` is our end of the control socket."""
        descriptors = [control.fileno(), log.fileno(), line.fileno()]
        self._ours.settimeout(_START)
        try:
            socket.send_fds(self._ours, [_request(spec)], descriptors)
            answer = self._ours.recv(64)
        except OSError as problem:
            raise MachineError(f"no player can be started: {self._said() or problem}") from None
        if not answer:
            raise MachineError(f"no player can be started: {self._said()}")
        return Forked(int(answer), watched, alone=spec["level"] >= supervisor.ISOLATED)

    def kill(self) -> None:
        """Kill a server that does not answer as it should."""
        self._process.kill()

    def close(self) -> None:
        """End the server; supervisors end running players that nobody controls any more."""
        self._ours.close()
        self._process.wait()
        self._log.close()

    def _said(self) -> str:
        self._log.seek(0)
        return self._log.read(_LARGEST).decode(errors="replace").strip()


class Forked:
    """A supervisor forked by the server: alive while its control socket is open.

    Its exit status is not known: 0 if no process can have survived it (it had its own pid
    namespace, or reported so), and -1 if one may have.
    """

    def __init__(self, pid: int, control: socket.socket, *, alone: bool) -> None:
        self.pid, self._control, self._alone = pid, control, alone
        self._status: int | None = None

    def poll(self) -> int | None:
        """None as long as it runs."""
        return self._is_over(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Until it has ended; raises subprocess.TimeoutExpired."""
        status = self._is_over(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("player", timeout or 0.0)
        return status

    def _is_over(self, patience: float | None) -> int | None:
        """The status, if the other end is closed within that time."""
        if self._status is None:
            poll = select.poll()
            poll.register(self._control, 0)  # of no event but that
            if poll.poll(None if patience is None else 1000 * patience):
                self._status = 0 if self._alone or self._said_farewell() else -1
        return self._status

    def _said_farewell(self) -> bool:
        try:
            said = self._control.recv(_CHUNK, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except OSError:
            return False
        return said.endswith(supervisor.GONE)


def _request(spec: dict[str, Any]) -> bytes:
    """A request for the server; one at `limits` begins with what the native supervisor needs."""
    if not spec["native"] or spec["level"] >= supervisor.ISOLATED:
        return json.dumps(spec).encode()
    text = json.dumps({name: spec[name] for name in ("words", "environment")}).encode()
    name, folder = (os.fsencode(each) for each in (spec["words"][0], spec["cwd"]))
    bounds = supervisor.native_bounds(spec)
    return struct.pack(_HEADER, _MAGIC, *bounds, len(name), len(folder)) + name + folder + text


def _import_path() -> list[str]:
    """Our import path without the working directory, which may hold players' files."""
    here = os.getcwd()
    return [str(Path(entry).absolute()) for entry in sys.path if entry and entry != here]


# --------------------------------------------------------------------------------------- the server


def main() -> None:
    """Load what players need, then fork one for every request, until the socket is closed."""
    from spielleiter.sandbox import isolation  # Linux has it

    player, words, descriptor, environment = (json.loads(word) for word in sys.argv[2:])
    server = socket.socket(fileno=descriptor)
    supervisor.set_environment(environment)  # without what Python has added
    module, _, name = player.partition(":")
    play = getattr(import_module(module), name)(*words)
    isolation.prepare()
    receive = _receiver(server)
    gc.collect()
    gc.freeze()  # what all copies share is not copied just because one of them collects garbage
    while True:
        request, descriptors, is_player = receive()
        if not request:
            return
        spec = json.loads(request)
        if is_player:
            server.detach()  # its number may be that of the player's line now
            supervisor.play_confined(spec, functools.partial(play, spec["words"]))
        isolation.folders_of(tuple(spec["readable"]))  # all copies know them then
        made = _copied(spec, descriptors, server, play)
        for each in descriptors:
            os.close(each)
        server.sendall(str(made).encode())


def _receiver(server: socket.socket) -> Callable[[], Received]:
    """Waits for the next request that Python has to deal with; native code does the others."""
    from spielleiter.sandbox import seccomp  # Linux has it

    supervisor.default_signals()  # as players need them
    try:
        serve = supervisor.native().serve
    except (ImportError, AttributeError):  # missing, or built from other sources
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the dead bury themselves
        for number in (signal.SIGINT, signal.SIGPIPE):
            signal.signal(number, signal.SIG_IGN)
        return functools.partial(_received, server)
    calls = seccomp.program() or b""  # empty for a processor whose calls we do not know
    return functools.partial(serve, server.fileno(), calls)


def _received(server: socket.socket) -> Received:
    request, descriptors, _, _ = socket.recv_fds(server, _LARGEST, 3)
    return request, descriptors, False


def _copied(
    spec: dict[str, Any],
    descriptors: Sequence[int],
    server: socket.socket,
    play: Callable[..., None],
) -> int:
    """A supervisor that begins in Python: a copy of this process."""
    made = _forked(spec)
    if made == 0:
        server.close()
        _become(spec, descriptors, play)
    return made


def _forked(spec: dict[str, Any]) -> int:
    """As `os.fork`; the copy is in its namespaces already where native code can do that."""
    from spielleiter.sandbox import isolation  # Linux has it

    if spec["native"] and spec["level"] >= supervisor.ISOLATED and not spec["cgroup"]:
        return isolation.fork_inside(spec, supervisor.native().fork_into)
    return os.fork()


def _become(spec: dict[str, Any], descriptors: Sequence[int], play: Callable[..., None]) -> None:
    """Become a supervisor in a new session, printing to the player's log."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    control, log, line = descriptors
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
    spec |= {"control": control, "line": line}
    status = 1
    with contextlib.suppress(SystemExit):
        supervisor.keep(spec, lambda: play(spec["words"]))
    os._exit(status)
