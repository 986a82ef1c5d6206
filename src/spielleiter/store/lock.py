"""A lock for a folder that only one process may use.

The system releases the lock when the process ends, even if it is killed. A file that was left
behind locks nobody out.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from spielleiter.errors import StoreError

LOCK = "arena.lock"
_BEYOND = 1 << 30
"""On Windows a byte beyond the content is locked, so that the holder's pid can be read."""


class FolderLock:
    """Held from `with` to its end; a second holder is refused with the number of the first."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._path = folder / LOCK
        self._handle = -1

    def __enter__(self) -> FolderLock:
        try:
            self._handle = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as problem:
            raise StoreError(f"{self._path} cannot be opened: {problem}") from problem
        try:
            _lock(self._handle)
        except OSError:
            holder = self._holder()
            self._close()
            raise StoreError(
                f"the folder {self._folder} is in use by another arena{holder}: "
                "close that one, or name another folder with --data"
            ) from None
        os.ftruncate(self._handle, 0)
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, str(os.getpid()).encode())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        with suppress(OSError):
            _unlock(self._handle)
        self._close()

    def _holder(self) -> str:
        with suppress(OSError):
            number = os.read(self._handle, 20)
            return f" (process {number.decode()})" if number.isdigit() else ""
        return ""

    def _close(self) -> None:
        os.close(self._handle)
        self._handle = -1


if sys.platform == "win32":
    import msvcrt

    def _lock(handle: int) -> None:
        os.lseek(handle, _BEYOND, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _unlock(handle: int) -> None:
        os.lseek(handle, _BEYOND, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)
