"""A player that tells the referee how it is held: the same, whoever supervises it."""

from __future__ import annotations

import json
import os
import resource
import signal
import socket
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

LINE = 3
STATUS = (
    "NoNewPrivs",
    "Seccomp",
    "Seccomp_filters",
    "CapBnd",
    "CapEff",
    "SigBlk",
    "SigIgn",
    "SigCgt",
    "Uid",
    "Gid",
    "Groups",
)
SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGCHLD", "SIGPIPE", "SIGXFSZ")


def prepare() -> Callable[[Sequence[str]], None]:
    """What each player runs."""
    return _tell


def _tell(words: Sequence[str]) -> None:
    print("I am told", *words, flush=True)
    with socket.socket(fileno=LINE) as line:
        line.sendall(json.dumps(_told()).encode())


def _told() -> dict[str, Any]:
    status = Path("/proc/self/status").read_text().splitlines()
    limits = [name for name in dir(resource) if name.startswith("RLIMIT_")]
    return {
        "status": [line for line in status if line.partition(":")[0] in STATUS],
        "users": len(Path("/proc/self/uid_map").read_text().splitlines()),
        "limits": {name: resource.getrlimit(getattr(resource, name)) for name in limits},
        "signals": [str(signal.getsignal(getattr(signal, name))) for name in SIGNALS],
        "environment": dict(os.environ),
        "folder": os.getcwd(),
        "open": [each for each in os.listdir("/proc/self/fd") if _is_open(int(each))],
        "leads its group": os.getpgrp() == os.getpid(),
        "in the supervisor's session": os.getsid(0) == os.getppid(),
    }


def _is_open(descriptor: int) -> bool:
    """Not the one that the list itself was read by."""
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True
