"""The ports that a process listens at, as an attacker on the same machine finds them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from spielleiter.sandbox.connections import family


def listening_ports(process: int) -> Iterator[int]:
    """The ports that a process and those that it started listen at."""
    names = set[str]()
    for each in family(process):
        for file in Path(f"/proc/{each}/fd").glob("*"):
            with suppress(OSError):
                names.add(str(file.readlink()))
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        words = line.split()
        if words[3] == "0A" and f"socket:[{words[9]}]" in names:
            yield int(words[1].partition(":")[2], 16)
