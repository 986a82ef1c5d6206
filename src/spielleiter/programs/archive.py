"""Contest ZIPs: unpacked once into a read-only folder, and verified before every use."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from spielleiter.errors import UsageError

ZIP = ".zip"
SCRIPTS = (".sh", ".bat", ".cmd")
MOST_FILES, MOST_BYTES = 20_000, 1 << 30
"""What a ZIP may hold, unpacked."""
_CHUNK = 1 << 20
_DAMAGED = (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError)


@dataclass
class Unpacked:
    """A ZIP and the folder it was unpacked to."""

    archive: Path
    folder: Path
    _seen: str = ""

    def refresh(self) -> None:
        """Make sure that the folder has exactly the content of the ZIP.

        The bytes are compared unless no file was touched since the last time.
        """
        if self.folder.is_dir() and self._seen == _touched(self.folder):
            return
        if not _is_same(self.archive, self.folder):
            _remove(self.folder)
            _unpack_to(self.archive, self.folder)
        self._seen = _touched(self.folder)


def unpacked(archive: Path) -> Unpacked:
    """The folder of a ZIP; equal files share one folder."""
    name = hashlib.sha256(archive.read_bytes()).hexdigest()[:32]
    found = Unpacked(archive, cache() / name)
    found.refresh()
    return found


def cache() -> Path:
    """The folder that keeps unpacked players."""
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "spielleiter" / "players"


# ---------------------------------------------------------------------------------------- comparing


def _touched(folder: Path) -> str:
    """A value that changes with any change in the folder (ctime, which cannot be set)."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        now = path.lstat()
        found.update(
            f"{path} {now.st_mode} {now.st_size} {now.st_ctime_ns} {now.st_ino}\n".encode()
        )
    return found.hexdigest()


def _is_same(archive: Path, folder: Path) -> bool:
    """Whether a folder holds just what a ZIP holds, byte by byte."""
    if not folder.is_dir():
        return False
    with _opened(archive) as file:
        members = [each for each in file.infolist() if not each.is_dir()]
        wanted = {_target(archive, each, folder): each for each in members}
        there = {path for path in folder.rglob("*") if path.is_symlink() or not path.is_dir()}
        return wanted.keys() == there and all(
            path.lstat().st_size == each.file_size and _digest(file, each) == _sum(path)
            for path, each in wanted.items()
        )


def _digest(file: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    with file.open(member) as source:
        return _summed(source.read)


def _sum(path: Path) -> bytes:
    with path.open("rb") as source:
        return _summed(source.read)


def _summed(read: Callable[[int], bytes]) -> bytes:
    found = hashlib.sha256()
    while chunk := read(_CHUNK):
        found.update(chunk)
    return found.digest()


# ---------------------------------------------------------------------------------------- unpacking


@contextlib.contextmanager
def _opened(archive: Path) -> Iterator[zipfile.ZipFile]:
    try:
        with zipfile.ZipFile(archive) as file:
            yield file
    except _DAMAGED as problem:
        raise UsageError(f"{archive} is no ZIP that can be read: {problem}") from problem


def _unpack_to(archive: Path, folder: Path) -> None:
    """Unpack into a temporary folder and rename it."""
    folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with tempfile.TemporaryDirectory(dir=folder.parent) as fresh:
        _unpack(archive, Path(fresh) / "player")
        try:
            (Path(fresh) / "player").rename(folder)
        except OSError:
            if not folder.is_dir():  # else somebody else was faster
                raise
    _set_modes(folder, 0o555)


def _remove(folder: Path) -> None:
    if folder.is_dir():
        _set_modes(folder, 0o755)
        shutil.rmtree(folder)


def _set_modes(folder: Path, mode: int) -> None:
    """Make a folder and its subfolders read-only, or writable again."""
    for path in (folder, *(path for path in folder.rglob("*") if path.is_dir())):
        path.chmod(mode)


def _unpack(archive: Path, folder: Path) -> None:
    """Unpack all members; refuses paths outside the folder and too much data."""
    with _opened(archive) as file:
        members = file.infolist()
        if len(members) > MOST_FILES:
            raise UsageError(f"{archive} holds {len(members)} files; {MOST_FILES} may be")
        folder.mkdir()
        left = MOST_BYTES
        for member in members:
            left -= _unpack_member(archive, file, member, folder, left)


def _unpack_member(
    archive: Path, file: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, left: int
) -> int:
    """Write one member; returns its size."""
    target, mode = _target(archive, member, folder), member.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UsageError(f"{archive}: {member.filename!r} is neither a file nor a folder")
    if member.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    with file.open(member) as source, target.open("xb") as copy:
        written = _copied(archive, source, copy, left)
    target.chmod(0o555 if mode & 0o111 or target.suffix in SCRIPTS else 0o444)
    return written


def _copied(archive: Path, source: Any, copy: Any, left: int) -> int:
    written = 0
    while chunk := source.read(_CHUNK):
        written += len(chunk)
        if written > left:
            raise UsageError(f"{archive} is larger than {MOST_BYTES >> 20} MiB, unpacked")
        copy.write(chunk)
    return written


def _target(archive: Path, member: zipfile.ZipInfo, folder: Path) -> Path:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in member.filename:
        raise UsageError(f"{archive}: {member.filename!r} would lie outside of its folder")
    return folder / path
