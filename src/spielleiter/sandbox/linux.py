"""The system calls of Linux that Python does not offer, as functions that raise OSError.

The supervisor imports this. It is a small separate program, so nothing of ours is imported here.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
from collections.abc import Iterable

NEW_USER, NEW_PID, NEW_NET = 0x1000_0000, 0x2000_0000, 0x4000_0000
NEW_MOUNTS, NEW_IPC, NEW_UTS = 0x0002_0000, 0x0800_0000, 0x0400_0000
BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 0x4_0000
READ_ONLY, NO_SUID, NO_DEVICES, NO_EXEC = 0x1, 0x2, 0x4, 0x8
_DETACH = 2
_MOUNT_SETATTR, _LANDLOCK = 442, 444
_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41, "riscv64": 41}
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_PDEATHSIG, _DUMPABLE, _SECCOMP, _CAPBSET_DROP, _SUBREAPER, _NO_NEW_PRIVS = 1, 4, 22, 24, 36, 38
_FILTER = 2
_CAPABILITIES_V3 = 0x2008_0522

_EXECUTE, _WRITE, _READ, _LIST, _TRUNCATE, _IOCTL = 1 << 0, 1 << 1, 1 << 2, 1 << 3, 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL
_FIRST_RIGHTS = (1 << 13) - 1
_RIGHTS_SINCE = {2: 1 << 13, 3: _TRUNCATE, 5: _IOCTL}
_SCOPES_SINCE, _SCOPES = 6, 0b11  # no abstract sockets and no signals to the outside
_VERSION = 1

_libc = ctypes.CDLL(None, use_errno=True)


def _checked(what: str, result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def _call(number: int, *arguments: object) -> int:
    whole = [ctypes.c_long(each) if isinstance(each, int) else each for each in arguments]
    return int(_libc.syscall(ctypes.c_long(number), *whole))


# ------------------------------------------------------------------------------------------ process


def unshare(flags: int) -> None:
    """Leave the namespaces of those kinds for new ones."""
    _checked("unshare", _libc.unshare(flags))


def adopt_orphans() -> None:
    """Become the parent of all descendants whose own parent dies."""
    _checked("prctl", _libc.prctl(_SUBREAPER, 1, 0, 0, 0))


def die_with_parent() -> None:
    """Be killed when the parent dies."""
    _checked("prctl", _libc.prctl(_PDEATHSIG, 9, 0, 0, 0))


def forbid_inspection() -> None:
    """Forbid processes of the same user to inspect or trace this one."""
    _checked("prctl", _libc.prctl(_DUMPABLE, 0, 0, 0, 0))


def allow_inspection() -> None:
    """Allow a privileged supervisor to inspect a process that has changed its user."""
    _checked("prctl", _libc.prctl(_DUMPABLE, 1, 0, 0, 0))


def give_up_privileges() -> None:
    """Give up all capabilities, and make set-user-id programs ineffective."""
    number = 0
    while _libc.prctl(_CAPBSET_DROP, number, 0, 0, 0) == 0:
        number += 1
    _checked("prctl", _libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0))


def drop_capabilities() -> None:
    """Give up the capabilities held now: a process that starts no other program keeps them."""
    header = struct.pack("Ii", _CAPABILITIES_V3, 0)
    _checked("capset", _libc.capset(header, bytes(24)))


def filter_calls(program: bytes) -> None:
    """From here on this process and its children make only the calls that a filter allows."""
    code = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(code))
    _checked("seccomp", _libc.prctl(_SECCOMP, _FILTER, filter_, 0, 0))


# ------------------------------------------------------------------------------------------- mounts


def mount(source: str, target: str, kind: str | None, flags: int = 0, options: str = "") -> None:
    """Mount something somewhere."""
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    result = _libc.mount(*words, ctypes.c_ulong(flags), options.encode() or None)
    _checked(f"mount {target}", result)


def restrict(target: str, flags: int) -> None:
    """Make a mount and all below it read-only, without devices, or the like."""
    attributes = struct.pack("QQQQ", flags, 0, 0, 0)
    path = os.fsencode(target)
    result = _call(_MOUNT_SETATTR, _AT_FDCWD, path, _AT_RECURSIVE, attributes, len(attributes))
    _checked(f"restrict {target}", result)


def change_root(folder: str, before: str) -> None:
    """Make a mounted folder the root; what was the root before is mounted in a folder below it."""
    number = _PIVOT_ROOT.get(platform.machine())
    if number is None:
        raise OSError(38, f"pivot_root: not known on {platform.machine()}")
    os.chdir(folder)
    _checked("pivot_root", _call(number, b".", os.fsencode(before)))
    os.chdir("/")


def unmount(folder: str) -> None:
    """Detach a mount."""
    _checked(f"umount {folder}", _libc.umount2(os.fsencode(folder), _DETACH))


# ----------------------------------------------------------------------------------------- Landlock


def landlock_version() -> int:
    """Which Landlock the kernel has; 0: none."""
    return max(0, _call(_LANDLOCK, None, 0, _VERSION))


def scope_signals() -> bool:
    """From here on signals and abstract sockets reach only what this process starts.

    Whether the kernel can do that.
    """
    if landlock_version() < _SCOPES_SINCE:
        return False
    rules = _checked("Landlock", _call(_LANDLOCK, struct.pack("QQQ", 0, 0, _SCOPES), 24, 0))
    _checked("Landlock", _call(_LANDLOCK + 2, rules, 0))
    os.close(rules)
    return True


def landlock(readable: Iterable[str], writable: Iterable[str]) -> None:
    """From here on this process and its children read and write below these paths only."""
    version = landlock_version()
    handled = _FIRST_RIGHTS
    for since, right in _RIGHTS_SINCE.items():
        handled |= right if version >= since else 0
    scopes = _SCOPES if version >= _SCOPES_SINCE else 0
    attributes = struct.pack("QQQ", handled, 0, scopes)
    size = 24 if version >= _SCOPES_SINCE else 16 if version >= 4 else 8
    rules = _checked("Landlock", _call(_LANDLOCK, attributes, size, 0))
    for path in readable:
        _allow(rules, path, (_EXECUTE | _READ | _LIST) & handled)
    for path in writable:
        _allow(rules, path, handled)
    _checked("Landlock", _call(_LANDLOCK + 2, rules, 0))
    os.close(rules)


def _allow(rules: int, path: str, rights: int) -> None:
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)  # type: ignore[attr-defined,unused-ignore]
    if not os.path.isdir(path):
        rights &= _OF_FILES
    rule = struct.pack("=Qi", rights, place)
    _checked(f"Landlock {path}", _call(_LANDLOCK + 1, rules, 1, rule, 0))
    os.close(place)
