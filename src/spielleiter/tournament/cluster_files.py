"""Files of players on the machines of a cluster, identified and verified by their hashes."""

from __future__ import annotations

import functools
import hashlib
import os
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from spielleiter.errors import MachineError

Wanted = Mapping[str, Path]
"""Files needed elsewhere: name, which begins with the SHA-256 → path on this machine."""
_DIGITS = 64


def name_of(hash_: str, path: Path) -> str:
    """The name of a file on other machines: its hash and suffix."""
    return hash_ + path.suffix


def keep(name: str, fetch: Callable[[], bytes]) -> Path:
    """The file of a name on this machine, fetched if missing, and verified.

    Raises MachineError if the content is wrong or cannot be stored.
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
    """The path of a file on this machine: there, or where `keep` has put it."""
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
    """Write a private file atomically."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    os.replace(temporary, path)
