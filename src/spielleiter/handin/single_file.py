"""Looks at an upload that is a single file: a jar that is none, a program for another system."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from pathlib import Path

from spielleiter.client.finding import Finding, Severity, found
from spielleiter.errors import UsageError
from spielleiter.handin import pitfalls

_HEAD = 4096
_MACHINES = {"x86_64": 62, "AMD64": 62, "aarch64": 183, "arm64": 183, "riscv64": 243}
"""What processors are called by the system, and by the header of a program for Linux."""
_APPLE = {
    bytes.fromhex(each) for each in ("cafebabe", "feedface", "feedfacf", "cefaedfe", "cffaedfe")
}


def look(file: Path) -> list[Finding]:
    """What keeps a jar or a program from being started here; nothing about a Python file."""
    try:
        if file.suffix == ".jar":
            return list(pitfalls.look_jar(file.read_bytes(), file.name))
        if file.suffix:
            return []
        with file.open("rb") as opened:
            return list(_program(opened.read(_HEAD)))
    except OSError as error:
        raise UsageError(f"{file.name} cannot be read: {error}") from error


def _program(head: bytes) -> Iterator[Finding]:
    problem = _foreign(head)
    if problem is not None:
        yield found(Severity.PROBLEM, "program", f"program.{problem}")


def _foreign(head: bytes) -> str | None:
    """Why a file is no program for this machine."""
    if head.startswith(b"#!"):
        return "line-ends" if b"\r" in head.partition(b"\n")[0] else None
    if head.startswith(b"\x7fELF"):
        order = "big" if head[5:6] == b"\x02" else "little"
        made_for = int.from_bytes(head[18:20], order)  # type: ignore[arg-type]
        return None if made_for == _MACHINES.get(platform.machine(), made_for) else "processor"
    if head.startswith(b"MZ"):
        return "windows"
    return "apple" if head[:4] in _APPLE else "unknown"
