"""Uploaded files, kept once under the hash of their content and never changed."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from spielleiter.errors import SpielleiterError, StoreError, UsageError
from spielleiter.store.private import private_folder

FOLDER = "bots"
"""Where uploads lie, in the data folder of an arena."""
LARGEST = 100 * 1024 * 1024
"""Bytes of an upload, unless the operator says otherwise."""
SUFFIXES = (".py", ".zip", ".jar", "")
"""What is started: a Python file, a ZIP, a Java archive, an executable."""
_NAME, _PART = "bot", ".part"
_READ, _RUN = 0o400, 0o500
LEAST_FREE = 512 * 1024 * 1024
"""Bytes that uploads leave free on the disk, for games and their records."""


FULL = "the files of your team take all the room it has: delete a bot that you no longer need"


class TooLarge(UsageError):
    """A file is larger than an upload may be."""


class TeamFull(UsageError):
    """A team keeps as many bytes as it may."""


class DiskFull(SpielleiterError):
    """An upload would fill the disk."""


@dataclass(frozen=True, slots=True)
class UploadedFile:
    """A file that is kept."""

    hash: str
    suffix: str
    size: int


class BotFiles:
    """A folder of uploads; paths are absolute, so programs in other folders can use them."""

    def __init__(self, folder: Path, largest: int = LARGEST) -> None:
        self.folder, self.largest = folder.absolute(), largest

    def receive(self, chunks: Iterable[bytes], name: str) -> UploadedFile:
        """Store an upload; raises TooLarge as soon as it exceeds the limit."""
        with self.begin(name) as receiving:
            for chunk in chunks:
                receiving.write(chunk)
            return receiving.keep()

    def begin(self, name: str, room: int | None = None) -> ReceivingFile:
        """Begin to receive a file of that name, for which there is so much room."""
        return ReceivingFile(private_folder(self.folder), suffix_of(name), self.largest, room)

    def path(self, file: str, suffix: str) -> Path:
        """The path of a file. Its folder holds nothing else; a sandboxed program sees only that."""
        return _place(self.folder, file, suffix)

    def erase(self, file: str, suffix: str) -> None:
        """Remove a file that nobody needs any more."""
        path = self.path(file, suffix)
        with suppress(FileNotFoundError):
            path.chmod(_READ | 0o200)  # Windows removes no file that is read-only
            path.unlink()
        with suppress(OSError):  # the same content may be kept with another ending
            path.parent.rmdir()

    def clean(self) -> None:
        """Remove partial files of interrupted uploads."""
        for part in self.folder.glob(f"*{_PART}"):
            with suppress(OSError):
                part.unlink()


class ReceivingFile:
    """A file being received; unless `keep` is called, it is removed."""

    def __init__(self, folder: Path, suffix: str, largest: int, room: int | None = None) -> None:
        self._folder, self._suffix, self._largest = folder, suffix, largest
        self._room = largest if room is None else room
        self._hash, self._size = hashlib.sha256(), 0
        handle, path = tempfile.mkstemp(_PART, dir=folder)
        self._file, self._path = os.fdopen(handle, "wb"), Path(path)

    def __enter__(self) -> ReceivingFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        with suppress(FileNotFoundError):
            self._path.unlink()

    def write(self, chunk: bytes) -> None:
        """The next bytes; raises TooLarge, TeamFull or DiskFull if they are too many."""
        self._size += len(chunk)
        if self._size > self._largest:
            raise TooLarge(f"an upload has at most {self._largest // 1024 // 1024} MB")
        if self._size > self._room:
            raise TeamFull(FULL)
        if shutil.disk_usage(self._folder).free - len(chunk) < LEAST_FREE:
            raise DiskFull("the disk of this arena is nearly full: tell its organisers")
        self._hash.update(chunk)
        try:
            self._file.write(chunk)
        except OSError as problem:
            raise StoreError(f"the file cannot be kept: {problem}") from problem

    def keep(self) -> UploadedFile:
        """Store the complete file under its hash, read-only."""
        if not self._size:
            raise UsageError("the file is empty")
        kept = UploadedFile(self._hash.hexdigest(), self._suffix, self._size)
        path = _place(self._folder, kept.hash, kept.suffix)
        try:
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            if not path.exists():
                private_folder(path.parent)
                self._path.chmod(_READ if self._suffix else _RUN)
                os.replace(self._path, path)
        except OSError as problem:
            raise StoreError(f"the file cannot be kept: {problem}") from problem
        return kept


def _place(folder: Path, file: str, suffix: str) -> Path:
    return folder / file / (_NAME + suffix)


def suffix_of(name: str) -> str:
    """The suffix of a file name; raises UsageError for kinds that cannot be started."""
    suffix = Path(name).suffix.lower()
    if suffix in SUFFIXES:
        return suffix
    if suffix in (".bin", ".exe", ".out", ".elf"):
        return ""
    raise UsageError(
        f"a bot is a .py file, a ZIP, a .jar or an executable without an ending, not {suffix}"
    )


def file_hash(path: Path) -> str:
    """The hash that a file is kept under."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
