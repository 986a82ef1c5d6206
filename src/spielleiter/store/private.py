"""Files and folders that only their owner may read: games, passwords and what players print."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from spielleiter.errors import StoreError

FOLDER, FILE = 0o700, 0o600


def private_folder(path: Path) -> Path:
    """The folder, made if there is none, and closed to everybody else."""
    try:
        path.mkdir(FOLDER, parents=True, exist_ok=True)
    except OSError as problem:
        raise StoreError(f"the folder {path} cannot be made: {problem}") from problem
    with suppress(OSError):  # it is somebody else's, who decides
        path.chmod(FOLDER)
    return path


def private_file(path: Path) -> None:
    """Make an empty file that only its owner may read, unless there is one."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE))


def write_private(path: Path, content: bytes) -> None:
    """Replace a file as a whole: a reader sees the old content or the new one."""
    part = path.with_name(path.name + ".part")
    with suppress(FileNotFoundError):
        part.unlink()
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), FILE)
    with os.fdopen(handle, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)
