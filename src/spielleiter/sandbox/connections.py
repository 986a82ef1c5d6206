"""Finds the process at the other end of a local connection, on Linux."""

from __future__ import annotations

import contextlib
import os
import struct
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address
from pathlib import Path

Address = tuple[str, int]
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_LOCAL, _REMOTE, _INODE = 1, 2, 9
"""Columns of the tables."""


def holds(processes: Iterable[int], peer: Address, own: Address) -> bool | None:
    """Whether one of these processes connected from `peer` to `own`.

    None if that is unknown, as for a connection from another machine. Who is on this machine and in
    no table any more has gone: a stranger may have connected and ended before anybody looked.
    """
    inode = _inode(peer, own)
    if inode is None:
        is_gone = _host(peer).is_loopback and Path(_TABLES[0]).exists()
        return False if is_gone else None
    try:
        return any(_has_open(each, f"socket:[{inode}]") for each in processes)
    except PermissionError:
        return None


def family(process: int) -> Iterator[int]:
    """A process and its living descendants."""
    waiting = [process]
    while waiting:
        yield (each := waiting.pop())
        for task in Path(f"/proc/{each}/task").glob("*/children"):
            with contextlib.suppress(OSError):  # it has ended meanwhile
                waiting += map(int, task.read_text().split())


def session(leader: int) -> list[int]:
    """The running processes of a session, without zombies."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError):
            state, _, _, session = entry.read_text().rpartition(")")[2].split()[:4]
            if int(session) == leader and state not in "ZX":
                found.append(int(entry.parent.name))
    return found


def _has_open(process: int, name: str) -> bool:
    try:
        files = os.listdir(f"/proc/{process}/fd")
    except (FileNotFoundError, ProcessLookupError):
        return False
    for file in files:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if os.readlink(f"/proc/{process}/fd/{file}") == name:
                return True
    return False


def _inode(peer: Address, own: Address) -> str | None:
    """The inode of the connected socket; an IPv6 socket may carry IPv4."""
    ends = _end(peer), _end(own)
    for table in _TABLES:
        with contextlib.suppress(OSError), Path(table).open() as lines:
            for line in lines:
                if ends[0] not in line or ends[1] not in line:
                    continue
                words = line.split()
                if words[_LOCAL].endswith(ends[0]) and words[_REMOTE].endswith(ends[1]):
                    return words[_INODE]
    return None


def _end(address: Address) -> str:
    """An address as in the tables: the host in words of hexadecimal memory order."""
    packed = _host(address).packed
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return f"{''.join(f'{word:08X}' for word in words)}:{address[1]:04X}"


def _host(address: Address) -> IPv4Address | IPv6Address:
    found = ip_address(address[0])
    return found.ipv4_mapped or found if isinstance(found, IPv6Address) else found
