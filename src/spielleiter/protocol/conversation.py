"""Recorded conversations: what several clients and a server said to each other, byte by byte.

    # scenario: 10a-illegal-move
    # any remark
    === +0.152 [p1] C>S 44 bytes
    …exactly 44 bytes, then a newline that belongs to the recording…
    === +0.155 [p1] S>C EOF
    ### +0.813 a remark of the recorder

`C>S` is client to server, `S>C` server to client; other events (`EOF`, `RST`, …) carry no bytes.
Chunk boundaries have no meaning. A name that opens again is a new connection.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from spielleiter.errors import TextError

_EVENT = re.compile(rb"=== \+([0-9.]+) \[(.*?)\] (?:(OPEN)|(C>S|S>C) ([0-9]+) bytes|.*)")


@dataclass(frozen=True, slots=True)
class RecordedChunk:
    """Bytes of one connection in one direction."""

    at: float
    connection: str
    """The recorded name; if it opened again, with the count: `admin`, `admin 2`."""
    by_client: bool
    data: bytes


def read(recording: bytes) -> tuple[RecordedChunk, ...]:
    """The chunks of a recording, in time order."""
    chunks: list[RecordedChunk] = []
    openings: dict[str, int] = {}
    at = 0
    while at < len(recording):
        end = recording.find(b"\n", at)
        line, at = recording[at:end], end + 1
        if line.startswith(b"#"):
            continue
        if not (event := _EVENT.fullmatch(line)):
            raise TextError(f"no event of a recording at byte {at - len(line) - 1}: {line[:60]!r}")
        name = event[2].decode()
        if event[3] == b"OPEN":
            openings[name] = openings.get(name, 0) + 1
        if event[5]:
            data, at = recording[at : at + int(event[5])], at + int(event[5]) + 1
            called = name if openings.get(name, 1) < 2 else f"{name} {openings[name]}"
            chunks.append(RecordedChunk(float(event[1]), called, event[4] == b"C>S", data))
    return tuple(chunks)


def written(chunk: RecordedChunk) -> bytes:
    """The chunk as a recording has it."""
    direction = "C>S" if chunk.by_client else "S>C"
    head = f"=== +{chunk.at:.3f} [{chunk.connection}] {direction} {len(chunk.data)} bytes\n"
    return head.encode() + chunk.data + b"\n"


def streams(chunks: Iterable[RecordedChunk], *, by_client: bool) -> dict[str, bytes]:
    """All bytes of one direction, by connection."""
    found: dict[str, bytes] = {}
    for chunk in chunks:
        if chunk.by_client is by_client:
            found[chunk.connection] = found.get(chunk.connection, b"") + chunk.data
    return found
