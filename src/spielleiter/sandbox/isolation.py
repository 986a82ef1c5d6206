"""A world of its own for one program: users, processes, network and files.

What is left of the network is a loopback of its own. The game's port on it is a socket that we open
before the program starts and hand to the server outside: it accepts from there as from its own
port, and nothing has to be relayed. What is left of the files is the system's programs, read-only,
a folder for temporary files, and the program's own folder at its usual path: what it writes there
stays in memory, within its bound, and is gone afterwards.
"""

from __future__ import annotations

import array
import contextlib
import os
import re
import socket
import struct
from pathlib import Path
from typing import Any

from spielleiter.sandbox import linux

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store")
SETTINGS = (
    "alternatives", "ca-certificates", "fonts", "group", "hosts", "java*", "ld.so.*", "localtime",
    "mono", "nsswitch.conf", "os-release", "passwd", "python3*", "ssl/certs", "timezone",
)  # fmt: skip
"""Of /etc no more than programs need to start."""
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

Spec = dict[str, Any]


def enter(spec: Spec, control: socket.socket) -> None:
    """Leave the world that all share. Returns in the first process of the new one."""
    folders = _folders(spec)
    _leave()
    _raise_loopback()
    if spec["port"]:
        _open_door(spec, control)
    first = os.fork()
    if first != 0:
        control.close()
        _, status = os.waitpid(first, 0)
        os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
    linux.die_with_parent()
    linux.keep_to_oneself()
    _furnish(spec, folders)
    _limit_pids(spec["bounds"]["processes"])


def lock(spec: Spec) -> None:
    """The last door behind the program itself."""
    linux.give_up_privileges()
    writable = [each for each in (spec["folder"], *SCRATCH) if each and os.path.isdir(each)]
    linux.landlock(["/"], [*writable, *(f"/dev/{name}" for name in DEVICES)])


def _leave() -> None:
    user, group = os.getuid(), os.getgid()
    linux.unshare(_ALL)
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        Path("/proc/self", name).write_text(text)


# ------------------------------------------------------------------------------------------ network


def _raise_loopback() -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sH14x", b"lo", 0)
        answer = fcntl.ioctl(any_socket, _GET_FLAGS, request)
        (flags,) = struct.unpack("16xH14x", answer)
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sH14x", b"lo", flags | _UP))


def _open_door(spec: Spec, control: socket.socket) -> None:
    """A socket that listens in here and is accepted from outside."""
    with socket.create_server((spec["host"], spec["port"]), backlog=64) as door:
        descriptors = array.array("i", [door.fileno()])
        control.sendmsg([b"S"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])


# -------------------------------------------------------------------------------------------- files


def _folders(spec: Spec) -> list[str]:
    """What may be read, without repetition: a folder inside another is not mounted again."""
    wanted = [path for path in (*SYSTEM, *spec["readable"], *_settings()) if os.path.exists(path)]
    links = [path for path in wanted if os.path.realpath(path) != path]
    found: list[str] = []
    for path in sorted({os.path.realpath(path) for path in wanted}, key=len):
        if not any(path == each or path.startswith(f"{each}/") for each in found):
            found.append(path)
    return found + links


def _settings() -> list[str]:
    return [str(path) for pattern in SETTINGS for path in Path("/etc").glob(pattern)]


def _furnish(spec: Spec, folders: list[str]) -> None:
    """Build a new root in memory, with the old one below it until all is where it belongs."""
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
    _make_system()
    linux.unmount(_OLD)
    os.rmdir(_OLD)
    for path in (*SCRATCH, spec["cwd"]):
        os.makedirs(path, exist_ok=True)
    for path in SCRATCH:
        os.chmod(path, 0o1777)


def _show(path: str, real: str) -> None:
    """A file or folder of the old root at the same place in the new one, to be read."""
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
    """Its own folder: written to in memory, if the system can lay one over the other."""
    for each in (*_LAYERS, folder):
        os.makedirs(each, exist_ok=True)
    lower, upper, work = (_escaped(each) for each in (_OLD + folder, *_LAYERS))
    options = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
    try:
        linux.mount("own", folder, "overlay", linux.NO_SUID | linux.NO_DEVICES, options)
    except OSError:
        _bind(folder)
        linux.restrict(folder, linux.READ_ONLY | linux.NO_SUID | linux.NO_DEVICES)


def _escaped(path: str) -> str:
    return "".join(f"\\{letter}" if letter in "\\:," else letter for letter in path)


def _make_system() -> None:
    for name in DEVICES:
        _bind(f"/dev/{name}")
    os.symlink("/proc/self/fd", "/dev/fd")
    os.makedirs("/proc", exist_ok=True)
    linux.mount("proc", "/proc", "proc", linux.NO_SUID | linux.NO_DEVICES | linux.NO_EXEC)


def _limit_pids(processes: int) -> None:
    """Since Linux 6.14 every namespace has a highest process number of its own."""
    release = re.match(r"(\d+)\.(\d+)", os.uname().release)
    if release and (int(release[1]), int(release[2])) >= _OWN_PID_MAX_SINCE:
        with contextlib.suppress(OSError):
            most = max(_SMALLEST_PID_MAX, processes + 16)
            Path("/proc/sys/kernel/pid_max").write_text(str(most))
