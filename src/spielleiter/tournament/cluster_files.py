"""Files of players on the machines of a cluster: they travel by their hash and are verified."""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from spielleiter.errors import MachineError

Wanted = Mapping[str, Path]
"""Files that somebody needs elsewhere: name, which begins with the SHA-256 → where it lies here."""
_DIGITS = 64


def name_of(hash_: str, path: Path) -> str:
    """What a file is called on other machines: its hash, and the ending that says what it is."""
    return hash_ + path.suffix


def keep(name: str, fetch: Callable[[], bytes]) -> Path:
    """The file of a name on this machine; fetched if it is not there, and compared with its hash.

    Raises MachineError if what came is something else, or cannot be kept.
    """
    path = _folder() / name
    if is_file_of(path, name[:_DIGITS]):
        return path
    data = fetch()
    if hashlib.sha256(data).hexdigest() != name[:_DIGITS]:
        raise MachineError(f"the file {name[:12]}… did not arrive as it was sent")
    try:
        _write(path, data)
    except OSError as problem:
        raise MachineError(f"the file {name[:12]}… cannot be kept here: {problem}") from problem
    return path


def located(path: Path, hash_: str) -> Path:
    """Where a file lies on this machine: there, or where `keep` has put it."""
    kept = _folder() / name_of(hash_, path)
    return kept if not path.is_file() and kept.is_file() else path


def is_file_of(path: Path, hash_: str) -> bool:
    """Whether there is a file with that content."""
    try:
        status = path.stat()
        return _hash(str(path), status.st_mtime_ns, status.st_size) == hash_
    except OSError:
        return False


@functools.lru_cache(4096)
def _hash(path: str, touched: int, size: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "spielleiter" / "versions"


def _write(path: Path, data: bytes) -> None:
    """As a whole or not at all, for nobody else to read."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(temporary, path)
