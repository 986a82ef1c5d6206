"""Namespaces for one program: its own users, processes, network and files.

Its network is a private loopback. The game's port on it is a socket that we open before the program
starts and pass to the server outside, which accepts on it directly; nothing is relayed. Its files
are the system's programs, read-only, a folder for temporary files, and the program's own folder at
its usual path: writes there stay in memory, within its limit, and are gone afterwards. A program
whose files share a folder with others gets copies of its own files only.

If we are root, the program also has another user id outside: one that nobody else has at the same
time. So it could not touch our files and processes even if it broke out.
"""

from __future__ import annotations

import array
import contextlib
import functools
import os
import re
import socket
import stat
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from spielleiter.sandbox import linux, seccomp

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store")
SETTINGS = (
    "alternatives", "ca-certificates", "fonts", "group", "hosts", "java*", "ld.so.*", "localtime",
    "mono", "nsswitch.conf", "os-release", "passwd", "python3*", "ssl/certs", "timezone",
)  # fmt: skip
"""The files of /etc that programs need to start."""
DEVICES = ("null", "zero", "full", "random", "urandom")
SCRATCH = ("/tmp", "/var/tmp", "/dev/shm")
_ALL = (
    linux.NEW_USER
    | linux.NEW_MOUNTS
    | linux.NEW_PID
    | linux.NEW_NET
    | linux.NEW_IPC
    | linux.NEW_UTS
)
_UP = 0x1
_GET_FLAGS, _SET_FLAGS = 0x8913, 0x8914
_OWN_PID_MAX_SINCE = (6, 14)
_SMALLEST_PID_MAX = 301
_STAGE, _OLD, _LAYERS = "/tmp", "/.old", ("/.written", "/.work")
_NOBODY = 65534
"""The user id that the program sees, if we are root."""
_NAMED, _UNNAMED = b"1", b"0"
_STRANGERS = 0x7000_0000
"""The first user id outside, far from ids of real users."""
_MOST_ENTRIES = 20_000
_CHUNK = 1 << 20

Spec = dict[str, Any]


def prepare() -> None:
    """Preparation shared by all programs, done once before forking."""
    import fcntl  # noqa: F401  (for `_raise_loopback`)

    seccomp.program()
    _settings()


def enter(spec: Spec, control: socket.socket) -> None:
    """Enter new namespaces; returns in their first process."""
    folders = folders_of(tuple(spec["readable"]))
    if "stranger" not in spec:
        _leave_and_fork(spec, control)
    elif not spec["stranger"]:
        _keep_name(*spec["name"])
    linux.forbid_inspection()
    _raise_loopback()
    if spec["port"]:
        _open_listener(spec, control)
    _furnish(spec, folders)
    _limit_pids(spec["bounds"]["processes"])


def fork_inside(spec: Spec, fork_into: Callable[[int], int]) -> int:
    """Fork the first process of new namespaces; what `enter` does with two processes more.

    `fork_into` is native. Returns like `os.fork`; the new process has to `enter`.
    """
    as_stranger, spec["name"] = _may_be_stranger(spec), (os.getuid(), os.getgid())
    near, far = socket.socketpair()
    with near, far:
        try:
            process = fork_into(_ALL)
        except OSError:
            return os.fork()  # it will say why in the log of its player
        if process == 0:
            near.close()  # so that nobody waits for a server that is gone
            spec["stranger"] = far.recv(1) == _NAMED
        else:
            is_named = as_stranger and _name(process) == 0
            near.send(_NAMED if is_named else _UNNAMED)
    return process


def lock(spec: Spec) -> None:
    """The last restrictions before the program starts."""
    linux.give_up_privileges()
    if spec["stranger"]:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)
        linux.allow_inspection()
    linux.drop_capabilities()
    writable = [each for each in (spec["folder"], *SCRATCH) if each and os.path.isdir(each)]
    linux.landlock(["/"], [*writable, *(f"/dev/{name}" for name in DEVICES)])
    filter_calls()


def filter_calls() -> None:
    """Block system calls that no player needs; raises OSError on an unknown processor."""
    program = seccomp.program()
    if program is None:
        raise OSError(f"seccomp: not known on {os.uname().machine}")
    linux.filter_calls(program)


# -------------------------------------------------------------------------------------------- users


def _leave_and_fork(spec: Spec, control: socket.socket) -> None:
    """Create namespaces; returns in their first process."""
    spec["stranger"] = _leave(_may_be_stranger(spec))
    first = os.fork()
    if first != 0:
        control.close()
        _, status = os.waitpid(first, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    linux.die_with_parent()


def _leave(as_stranger: bool) -> bool:
    """Create namespaces; whether the program can have another user id in them."""
    user, group = os.getuid(), os.getgid()
    named = _named_from_outside() if as_stranger else None
    linux.unshare(_ALL)
    if named is not None and named():
        return True
    _keep_name(user, group)
    return False


def _keep_name(user: int, group: int) -> None:
    """Have the same user id inside as outside."""
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        Path("/proc/self", name).write_text(text)


def _named_from_outside() -> Callable[[], bool]:
    """Prepare the user-id mapping, which only a process outside may write; returns a function that
    requests it."""
    own = os.getpid()
    waiting, ask = os.pipe()
    helper = os.fork()
    if helper == 0:
        os.close(ask)
        os.read(waiting, 1)
        os._exit(_name(own))

    def named() -> bool:
        os.write(ask, b"!")
        os.close(ask)
        os.close(waiting)
        return os.waitpid(helper, 0)[1] == 0

    return named


def _name(process: int) -> int:
    """Write the user-id mapping; returns the exit status."""
    text = f"0 0 1\n{_NOBODY} {_STRANGERS + process} 1"
    try:
        for kind in ("uid_map", "gid_map"):
            Path(f"/proc/{process}/{kind}").write_text(text)
    except OSError:  # in a container, perhaps, whose root is not everybody
        return 1
    return 0


def _may_be_stranger(spec: Spec) -> bool:
    """Whether the program can have a user id outside that nobody else has."""
    return os.getuid() == 0 and _is_public(spec)


def _is_public(spec: Spec) -> bool:
    """Whether another user can read the program's files."""
    return all(map(_is_readable, spec["readable"])) and (
        not spec["folder"] or all(map(_is_readable, _below(spec["folder"])))
    )


def _below(folder: str) -> Iterator[str]:
    count = 0
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            yield os.path.join(place, name)
        count += len(folders) + len(files)
        if count > _MOST_ENTRIES:
            return


def _is_readable(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return True  # a link to nowhere keeps nobody out
    needed = 0o005 if stat.S_ISDIR(mode) else 0o004
    return mode & needed == needed


# ------------------------------------------------------------------------------------------ network


def _raise_loopback() -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 0)
        answer = fcntl.ioctl(any_socket, _GET_FLAGS, request)
        (flags,) = struct.unpack("16xH14x", answer)
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))


def _open_listener(spec: Spec, control: socket.socket) -> None:
    """A socket that listens in here and is accepted from outside."""
    with socket.create_server((spec["host"], spec["port"]), backlog=64) as listener:
        descriptors = array.array("i", [listener.fileno()])
        control.sendmsg([b"S"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])


# -------------------------------------------------------------------------------------------- files


@functools.cache
def folders_of(readable: tuple[str, ...]) -> list[str]:
    """The readable folders without nested ones, which need no mount of their own."""
    wanted = [path for path in (*SYSTEM, *readable, *_settings()) if os.path.exists(path)]
    links = [path for path in wanted if os.path.realpath(path) != path]
    found: list[str] = []
    for path in sorted({os.path.realpath(path) for path in wanted}, key=len):
        if not any(path == each or path.startswith(f"{each}/") for each in found):
            found.append(path)
    return found + links


@functools.cache
def _settings() -> list[str]:
    return [str(path) for pattern in SETTINGS for path in Path("/etc").glob(pattern)]


def _furnish(spec: Spec, folders: list[str]) -> None:
    """Build a new root in memory, with the old one below it until all mounts are done."""
    real = {path: os.path.realpath(path) for path in folders}
    linux.mount("none", "/", None, linux.RECURSIVE | linux.PRIVATE)
    flags, disk = linux.NO_SUID | linux.NO_DEVICES, spec["bounds"]["disk"]
    linux.mount("sandbox", _STAGE, "tmpfs", flags, f"size={disk},mode=755,nr_inodes=65536")
    os.mkdir(_STAGE + _OLD)
    linux.change_root(_STAGE, _OLD[1:])
    for path in folders:
        _show(path, real[path])
    if spec["folder"]:
        _show_own(spec["folder"])
    for path in spec["files"]:
        _copy(path)
    _make_system()
    for path in spec["hidden"]:
        _hide(path)
    linux.unmount(_OLD)
    os.rmdir(_OLD)
    for path in (*SCRATCH, spec["cwd"]):
        os.makedirs(path, exist_ok=True)
    for path in SCRATCH:
        os.chmod(path, 0o1777)


def _show(path: str, real: str) -> None:
    """Mount a file or folder of the old root read-only at the same path."""
    if os.path.lexists(path):
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if path != real:
        os.symlink(real, path)
        return
    _bind(path)
    linux.restrict(path, linux.READ_ONLY | linux.NO_SUID | linux.NO_DEVICES)


def _bind(path: str) -> None:
    if os.path.isdir(_OLD + path):
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(path).touch()
    linux.mount(_OLD + path, path, None, linux.BIND | linux.RECURSIVE)


def _show_own(folder: str) -> None:
    """Mount its own folder, with writes in memory if overlays are supported."""
    for each in (*_LAYERS, folder):
        os.makedirs(each, exist_ok=True)
    os.chmod(_LAYERS[0], 0o777)  # the program may not be who we are, but may write here
    lower, upper, work = (_escaped(each) for each in (_OLD + folder, *_LAYERS))
    options = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
    try:
        linux.mount("own", folder, "overlay", linux.NO_SUID | linux.NO_DEVICES, options)
    except OSError:
        _bind(folder)
        linux.restrict(folder, linux.READ_ONLY | linux.NO_SUID | linux.NO_DEVICES)


def _copy(path: str) -> None:
    """Copy one file to its usual path, without its neighbours."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(_OLD + path, "rb") as source, open(path, "wb") as copy:
        while chunk := source.read(_CHUNK):
            copy.write(chunk)
    os.chmod(path, 0o755 if os.stat(_OLD + path).st_mode & 0o111 else 0o644)


def _hide(path: str) -> None:
    """Hide something in the program's folder that does not belong to it."""
    if os.path.isdir(path):
        linux.mount("hidden", path, "tmpfs", linux.READ_ONLY, "size=4k,mode=755")
    elif os.path.exists(path):
        linux.mount("/dev/null", path, None, linux.BIND)


def _escaped(path: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\:," else letter for letter in path)


def _make_system() -> None:
    for name in DEVICES:
        _bind(f"/dev/{name}")
    os.symlink("/proc/self/fd", "/dev/fd")
    os.makedirs("/proc", exist_ok=True)
    linux.mount("proc", "/proc", "proc", linux.NO_SUID | linux.NO_DEVICES | linux.NO_EXEC)


def _limit_pids(processes: int) -> None:
    """Limit process numbers; since Linux 6.14 every namespace has its own maximum."""
    release = re.match(r"(\d+)\.(\d+)", os.uname().release)
    if release and (int(release[1]), int(release[2])) >= _OWN_PID_MAX_SINCE:
        with contextlib.suppress(OSError):
            most = max(_SMALLEST_PID_MAX, processes + 16)
            Path("/proc/sys/kernel/pid_max").write_text(str(most))
