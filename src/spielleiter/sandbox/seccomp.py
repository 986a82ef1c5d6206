"""A filter for system calls that no player needs, as one small BPF program.

Everything that is not listed here is allowed: the other barriers (namespaces, Landlock, limits) do
not depend on this one. It blocks what they do not cover: interfaces with a long history of holes
(`io_uring`, `bpf`, `userfaultfd`, new user namespaces), ways to look into other processes
(`ptrace`), memory that belongs to no process (`memfd`, System V), and sockets that reach past the
network namespace (`vsock`).

Only the supervisor imports this. It is a small separate program, so nothing of ours is imported
here.
"""

from __future__ import annotations

import errno
import functools
import platform
import struct
from collections.abc import Iterable, Mapping
from typing import NamedTuple

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in `struct seccomp_data`
_ALLOW, _KILL, _ERRNO = 0x7FFF_0000, 0x8000_0000, 0x0005_0000
_X32 = 0x4000_0000
"""Numbers of the x32 interface, a second set of the same calls, begin here."""
_NEW_NAMESPACES = 0x7E02_0000
"""The flags of `clone` that make namespaces."""
_FAMILIES = (1, 2, 10, 16)
"""Local, IPv4 and IPv6 sockets, and netlink, by which libraries ask for network interfaces."""

_NOT_PERMITTED = (
    "ptrace", "process_vm_readv", "process_vm_writev", "kcmp", "pidfd_getfd", "perf_event_open",
    "bpf", "userfaultfd", "add_key", "request_key", "keyctl", "unshare", "setns", "mount",
    "umount2", "pivot_root", "chroot", "move_mount", "open_tree", "fsopen", "fsconfig", "fsmount",
    "fspick", "mount_setattr", "init_module", "finit_module", "delete_module", "kexec_load",
    "kexec_file_load", "reboot", "swapon", "swapoff", "syslog", "acct", "quotactl",
    "name_to_handle_at", "open_by_handle_at", "settimeofday", "clock_settime", "clock_adjtime",
    "adjtimex", "sethostname", "setdomainname", "fanotify_init", "shmget", "move_pages",
)  # fmt: skip
_NOT_THERE = (
    "io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "memfd_create",
    "memfd_secret",
)  # fmt: skip
"""Answered as by an older kernel, which libraries can handle."""

_SAME_EVERYWHERE = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "clone3": 435, "pidfd_getfd": 438, "mount_setattr": 442, "memfd_secret": 447,
}  # fmt: skip
_X86_64 = _SAME_EVERYWHERE | {
    "shmget": 29, "socket": 41, "clone": 56, "ptrace": 101, "syslog": 103, "pivot_root": 155,
    "adjtimex": 159, "chroot": 161, "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166,
    "swapon": 167, "swapoff": 168, "reboot": 169, "sethostname": 170, "setdomainname": 171,
    "init_module": 175, "delete_module": 176, "quotactl": 179, "clock_settime": 227,
    "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "unshare": 272,
    "move_pages": 279, "perf_event_open": 298, "fanotify_init": 300, "prlimit64": 302,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "clock_adjtime": 305, "setns": 308,
    "process_vm_readv": 310, "process_vm_writev": 311, "kcmp": 312, "finit_module": 313,
    "memfd_create": 319, "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip
_AARCH64 = _SAME_EVERYWHERE | {
    "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "quotactl": 60, "acct": 89,
    "unshare": 97, "kexec_load": 104, "init_module": 105, "delete_module": 106,
    "clock_settime": 112, "syslog": 116, "ptrace": 117, "reboot": 142, "sethostname": 161,
    "setdomainname": 162, "settimeofday": 170, "adjtimex": 171, "shmget": 194, "socket": 198,
    "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220, "swapon": 224, "swapoff": 225,
    "move_pages": 239, "perf_event_open": 241, "prlimit64": 261, "fanotify_init": 262,
    "name_to_handle_at": 264, "open_by_handle_at": 265, "clock_adjtime": 266, "setns": 268,
    "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273,
    "memfd_create": 279, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
}  # fmt: skip


class Machine(NamedTuple):
    """The numbers of the system calls on one kind of processor."""

    architecture: int
    """As the kernel names it to a filter."""
    numbers: Mapping[str, int]
    has_x32: bool = False


MACHINES = {
    "x86_64": Machine(0xC000_003E, _X86_64, has_x32=True),
    "aarch64": Machine(0xC000_00B7, _AARCH64),
}


@functools.cache
def program(machine: str | None = None) -> bytes | None:
    """The filter for a kind of processor, this one's by default; None where we know no numbers."""
    known = MACHINES.get(machine or platform.machine())
    return None if known is None else b"".join(_instructions(known))


def _instructions(machine: Machine) -> Iterable[bytes]:
    yield _load(_ARCHITECTURE)
    yield from _unless(machine.architecture, _return(_KILL))
    yield _load(_NUMBER)
    if machine.has_x32:
        yield _jump(_AT_LEAST, _X32, 0, 1)
        yield _refuse(errno.ENOSYS)
    for name in _NOT_PERMITTED:
        yield from _if(machine.numbers[name], _refuse(errno.EPERM))
    for name in _NOT_THERE:
        yield from _if(machine.numbers[name], _refuse(errno.ENOSYS))
    yield from _if(machine.numbers["socket"], *_only_families())
    yield from _if(machine.numbers["clone"], *_without_namespaces())
    yield from _if(machine.numbers["prlimit64"], *_only_of_itself())
    yield _return(_ALLOW)


def _only_families() -> Iterable[bytes]:
    yield _load(_FIRST_ARGUMENT)
    for family in _FAMILIES:
        yield from _if(family, _return(_ALLOW))
    yield _refuse(errno.EAFNOSUPPORT)


def _without_namespaces() -> Iterable[bytes]:
    yield _load(_FIRST_ARGUMENT)
    yield _jump(_ANY_BIT, _NEW_NAMESPACES, 0, 1)
    yield _refuse(errno.EPERM)
    yield _return(_ALLOW)


def _only_of_itself() -> Iterable[bytes]:
    """Forbid changing the limits of another process; 0 is the caller."""
    yield _load(_FIRST_ARGUMENT)
    yield from _if(0, _return(_ALLOW))
    yield _refuse(errno.EPERM)


def _if(value: int, *then: bytes) -> Iterable[bytes]:
    yield _jump(_EQUAL, value, 0, len(then))
    yield from then


def _unless(value: int, *then: bytes) -> Iterable[bytes]:
    yield _jump(_EQUAL, value, len(then), 0)
    yield from then


def _load(offset: int) -> bytes:
    return _jump(_LOAD, offset, 0, 0)


def _return(value: int) -> bytes:
    return _jump(_RETURN, value, 0, 0)


def _refuse(number: int) -> bytes:
    return _return(_ERRNO | number)


def _jump(code: int, value: int, if_true: int, if_false: int) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
