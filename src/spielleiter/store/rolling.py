"""A store of limited size that drops its oldest entries: for games of guests and clients.

Entries are chained in files of limited size. When all of them together are too large, or the disk
is nearly full, the oldest file is deleted; the rest can still be verified.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from spielleiter.store.entry import Entry
from spielleiter.store.private import private_folder
from spielleiter.store.store import Store, open_store

MEGABYTE = 1024 * 1024
_FILES = 8
"""Files that the room is divided into."""
_log = logging.getLogger("spielleiter.store")


class RollingStore:
    """Appends like a store; `forget` is called with the keys of the first kind that were
    deleted."""

    def __init__(
        self,
        folder: Path,
        first_kind: str,
        *,
        room: int = 256 * MEGABYTE,
        reserve: int = 256 * MEGABYTE,
        free: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free,
    ) -> None:
        self._folder, self._kind = private_folder(folder), first_kind
        self._room, self._reserve, self._free = room, reserve, free
        self._stores = {path: open_store(path) for path in sorted(folder.glob("*.db"))}
        self._is_full = False
        self.forget: Callable[[list[str]], None] = lambda keys: None

    def append(self, entries: Sequence[Entry]) -> None:
        """Append entries; on a full disk they are dropped."""
        if not self._has_room():
            if not self._is_full:
                _log.warning("%s: the disk is full, games of strangers are not kept", self._folder)
            self._is_full = True
            return
        self._is_full = False
        self._newest().append(entries)

    def read(self, *kinds: str) -> Iterator[Entry]:
        """All entries of some kinds, in the order they happened."""
        for store in list(self._stores.values()):
            yield from store.read(*kinds)

    def named(self, kind: str, keys: Sequence[str]) -> list[Entry]:
        """The entries of a kind with these keys, in the order they happened."""
        return [entry for store in list(self._stores.values()) for entry in store.named(kind, keys)]

    def numbered(self, kind: str, name: str) -> list[Entry]:
        """The entries of a kind with keys `name/0`, `name/1` …, in the order they happened."""
        return [
            each for store in list(self._stores.values()) for each in store.numbered(kind, name)
        ]

    def close(self) -> None:
        """Close all files."""
        for store in self._stores.values():
            store.close()

    def _newest(self) -> Store:
        last = max(self._stores, default=None)
        if last is None or _size(last) > self._room // _FILES:
            number = 1 if last is None else int(last.stem) + 1
            last = self._folder / f"{number:06}.db"
            self._stores[last] = open_store(last)
        return self._stores[last]

    def _has_room(self) -> bool:
        """Whether there is room, after deleting the oldest files if necessary."""
        while len(self._stores) > 1 and self._is_too_large():
            self._drop(min(self._stores))
        return self._free(self._folder) >= self._reserve

    def _is_too_large(self) -> bool:
        return (
            sum(map(_size, self._stores)) > self._room or self._free(self._folder) < self._reserve
        )

    def _drop(self, path: Path) -> None:
        store = self._stores.pop(path)
        keys = [entry.key for entry in store.read(self._kind)]
        store.close()
        for part in _parts(path):
            part.unlink(missing_ok=True)
        self.forget(keys)


def _parts(path: Path) -> list[Path]:
    return [path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")]


def _size(path: Path) -> int:
    return sum(part.stat().st_size for part in _parts(path) if part.exists())
