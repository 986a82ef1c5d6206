"""Stores uploaded by visitors: read in a separate process and rewritten as our own.

The uploaded file is never opened here. A reader in another process prints its games; each is
checked and written into a new store. The file is deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import tempfile
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated, Any, BinaryIO

from pydantic import BaseModel, ConfigDict, Field, FiniteFloat, ValidationError

from spielleiter import games
from spielleiter.errors import SpielleiterError, StoreError, TextError
from spielleiter.store import Entry, open_store
from spielleiter.store.private import private_folder
from spielleiter.tournament.record import from_text
from spielleiter.web.file_maker import FilesBusy
from spielleiter.web.match_stores import GAME, MatchStore

LARGEST = 64 * 1024 * 1024
"""Bytes of a file as it is sent."""
_SECONDS = 40.0
"""How long the reader may take."""
_SUFFIX, _NAME = ".db", re.compile(r"dropped-[0-9a-f]{20}")
_OPEN, _AT_THE_SAME_TIME = 6, 8
"""Most open stores and simultaneous uploads."""
_TITLE, _LONGEST_TITLE = "title", 80
_AT_ONCE = 500
_LONGEST_KEY = 200

Text = Annotated[str, Field(max_length=300)]
Count = Annotated[int, Field(ge=-(2**53), le=2**53)]
SeatNumber = Annotated[int, Field(ge=0, lt=8)]


class _EntryShape(BaseModel):
    """The shape of a game's entry, with the types that other parts rely on."""

    model_config = ConfigDict(strict=True, extra="ignore")

    key: Text
    players: Annotated[list[Text], Field(min_length=1, max_length=8)]
    seed: int
    options: Annotated[list[Annotated[list[Text], Field(min_length=2, max_length=2)]], Field()]
    edition: Text
    authority: Text
    start: Annotated[str, Field(max_length=20_000)]
    moves: Annotated[list[Text], Field(max_length=10_000)]
    spent: list[FiniteFloat | int]
    seats: list[SeatNumber]
    ranks: Annotated[list[Count], Field(max_length=8)]
    scores: Annotated[list[Count], Field(max_length=8)]
    reason: Text
    log: str
    sandbox: Text = ""


class StoreTooLarge(SpielleiterError):
    """The upload is too large."""


class UploadedStores:
    """A folder of such stores, each stored once; beyond the limits the oldest are deleted."""

    def __init__(
        self,
        folder: Path,
        reader: Sequence[str],
        *,
        stores: int = 50,
        room: int = 500 * 1024 * 1024,
    ) -> None:
        """`reader` is a command that takes a file's name and prints its games."""
        self._folder, self._reader = folder, tuple(reader)
        self._stores, self._room, self._receiving = stores, room, 0
        self._open: OrderedDict[str, MatchStore] = OrderedDict()
        self._lock = threading.Lock()

    async def receive(self, stream: AsyncIterator[bytes]) -> Path:
        """Receive a file as a stream; raises StoreTooLarge. The caller removes it."""
        if self._receiving >= _AT_THE_SAME_TIME:
            raise FilesBusy("too many stores are sent at the same time: try again in a moment")
        private_folder(self._folder)
        handle, name = tempfile.mkstemp(suffix=".sent", dir=self._folder)
        self._receiving += 1
        try:
            with os.fdopen(handle, "wb") as file:
                await _written(file, stream)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise
        finally:
            self._receiving -= 1
        return Path(name)

    def keep(self, sent: Path, title: str) -> str:
        """Store the games of a file under a new name; raises TextError if it has none."""
        title = "".join(letter for letter in title if letter.isprintable())[:_LONGEST_TITLE]
        with sent.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256")
        digest.update(title.encode("utf-8", "replace"))
        name = f"dropped-{digest.hexdigest()[:20]}"
        path = self._path(name)
        if not path.exists():
            self._write(path, title, sent)
        with suppress(OSError):
            os.utime(path)
        self._make_room()
        return name

    def get(self, name: str) -> MatchStore | None:
        """The store of that name, if it is still there."""
        if _NAME.fullmatch(name) is None:
            return None
        with self._lock:
            store = self._open.pop(name, None)
            if store is None and not self._path(name).exists():
                return None
            self._open[name] = store or self._opened(name)
            while len(self._open) > _OPEN:
                self._open.popitem(last=False)[1].close()
            return self._open[name]

    def close(self) -> None:
        """Close all stores."""
        with self._lock:
            while self._open:
                self._open.popitem()[1].close()

    # -------------------------------------------------------------------------------------- inside

    def _write(self, path: Path, title: str, sent: Path) -> None:
        part = path.with_suffix(f".{os.urandom(4).hex()}.part")
        found = 0
        try:
            with closing(open_store(part)) as store:
                store.append([Entry(_TITLE, _TITLE, title)])
                for some in self._batches(sent):
                    store.append(some)
                    found += len(some)
            if not found:
                raise TextError("there are no games in this store")
            os.replace(part, path)
        finally:
            for suffix in ("", "-wal", "-shm"):
                Path(f"{part}{suffix}").unlink(missing_ok=True)

    def _batches(self, sent: Path) -> Iterator[list[Entry]]:
        some: list[Entry] = []
        seen: set[str] = set()
        for line in self._lines(sent):
            entry = checked_entry(line)
            if entry is None or entry.key in seen:
                continue
            seen.add(entry.key)
            some.append(entry)
            if len(some) == _AT_ONCE:
                yield some
                some = []
        if some:
            yield some

    def _lines(self, sent: Path) -> list[bytes]:
        """The lines of the reader; raises TextError with its last line if it fails."""
        command = [*self._reader, str(sent)]
        with tempfile.TemporaryFile(dir=self._folder) as printed:
            try:
                done = subprocess.run(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    stderr=subprocess.PIPE,
                    timeout=_SECONDS,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                raise TextError("reading this store takes too long") from None
            except OSError as problem:
                raise StoreError(f"the store cannot be read: {problem}") from problem
            if done.returncode:
                said = done.stderr.decode(errors="replace").strip().splitlines()
                why = said[-1][:200] if done.returncode == 1 and said else "it is damaged"
                raise TextError(f"this file cannot be opened: {why}")
            printed.seek(0)
            return printed.read(2 * LARGEST).splitlines()

    def _opened(self, name: str) -> MatchStore:
        store = open_store(self._path(name))
        title = next((entry.data for entry in store.read(_TITLE)), "")
        return MatchStore(title or name, store)

    def _path(self, name: str) -> Path:
        return self._folder / (name + _SUFFIX)

    def _make_room(self) -> None:
        kept = sorted(self._folder.glob(f"*{_SUFFIX}"), key=lambda each: -each.stat().st_mtime)
        size = 0
        for at, path in enumerate(kept):
            size += path.stat().st_size
            if at and (at >= self._stores or size > self._room):
                self._remove(path)

    def _remove(self, path: Path) -> None:
        with self._lock:
            if (store := self._open.pop(path.stem, None)) is not None:
                store.close()
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    Path(f"{path}{suffix}").unlink(missing_ok=True)


async def _written(file: BinaryIO, stream: AsyncIterator[bytes]) -> None:
    size = 0
    async for chunk in stream:
        size += len(chunk)
        if size > LARGEST:
            raise StoreTooLarge(f"at most {LARGEST // 1024 // 1024} MB")
        file.write(chunk)


def checked_entry(line: bytes) -> Entry | None:
    """The entry in a line of the reader; None if it is not a valid game."""
    try:
        kind, key, data = json.loads(line)
        shape = _EntryShape.model_validate_json(data)
        entry = from_text(data)
        entry.record.game(games.load_recorded)
    except (ValueError, TypeError, RecursionError, ValidationError, SpielleiterError):
        return None
    fits = len(shape.players) == len(shape.ranks) == len(shape.scores)
    whole = len(shape.moves) == len(shape.seats) == len(shape.spent)
    if kind != GAME or not isinstance(key, str) or len(key) > _LONGEST_KEY or not (fits and whole):
        return None
    return Entry(GAME, key, _plain(data))


def _plain(data: str) -> str:
    """The text without lone surrogates, which databases reject."""
    parsed: Any = json.loads(data)
    text = json.dumps(parsed, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace").decode()
