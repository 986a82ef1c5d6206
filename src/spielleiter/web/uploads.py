"""Uploaded files: unpacked within limits, and stored under the hash of their content."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import zlib
from contextlib import suppress
from pathlib import Path

from spielleiter.errors import StoreError, TextError
from spielleiter.store.private import private_folder, write_private

LARGEST = 4 * 1024 * 1024
"""Bytes of a file as it is sent."""
UNPACKED = 24 * 1024 * 1024
"""Bytes of what is in it."""
_MOST_PARTS = 100
_MAGIC = b"\x1f\x8b"
_SUFFIX = ".gz"
_NAME = re.compile(r"[0-9a-f]{20}")


def unpacked(data: bytes, most: int = UNPACKED) -> bytes:
    """The content of a file, gzip or not; raises TextError if it is damaged or far too large."""
    if not data.startswith(_MAGIC):
        _check(len(data), most)
        return data
    content, rest, parts = bytearray(), data, 0
    while rest.startswith(_MAGIC):  # a file may hold several parts
        parts += 1
        if parts > _MOST_PARTS:  # each copies what follows it
            raise TextError(f"this gzip file has more than {_MOST_PARTS} parts")
        engine = zlib.decompressobj(wbits=31)
        try:
            content += engine.decompress(rest, most + 1 - len(content))
        except zlib.error as problem:
            raise TextError(f"this gzip file is damaged: {problem}") from problem
        _check(len(content), most)
        if not engine.eof:
            raise TextError("this gzip file ends too early")
        rest = engine.unused_data
    return bytes(content)


def _check(size: int, most: int) -> None:
    if size > most:
        raise TextError(f"there is more in this file than {most // 1024 // 1024} MB")


class Uploads:
    """A folder of files. Equal files are stored once; beyond the limits the oldest are deleted."""

    def __init__(self, folder: Path, *, files: int = 500, room: int = 200 * 1024 * 1024) -> None:
        self._folder, self._files, self._room = folder, files, room

    def keep(self, content: bytes) -> str:
        """Store unpacked content; returns its name."""
        name = hashlib.sha256(content).hexdigest()[:20]
        path = self._path(name)
        try:
            private_folder(self._folder)
            if not path.exists():
                write_private(path, gzip.compress(content, 6, mtime=0))
            os.utime(path)
            self._make_room()
        except OSError as problem:
            raise StoreError(f"the file cannot be kept: {problem}") from problem
        return name

    def get(self, name: str) -> bytes | None:
        """The content of that name, if it is still there."""
        if _NAME.fullmatch(name) is None:
            return None
        try:
            return gzip.decompress(self._path(name).read_bytes())
        except FileNotFoundError:
            return None
        except (OSError, EOFError, zlib.error) as problem:
            raise StoreError(f"the file cannot be read: {problem}") from problem

    def _path(self, name: str) -> Path:
        return self._folder / (name + _SUFFIX)

    def _make_room(self) -> None:
        kept = sorted(self._folder.glob("*" + _SUFFIX), key=lambda each: -each.stat().st_mtime)
        size = 0
        for at, path in enumerate(kept):
            size += path.stat().st_size
            if at and (at >= self._files or size > self._room):
                with suppress(OSError):
                    path.unlink()
