"""Backs up a running arena into one ZIP and verifies it.

SQLite databases are copied with SQLite's backup API, each as a consistent snapshot. People, teams
and bots are written as rows, so that a backup of PostgreSQL can be restored into a file and vice
versa. The copy of the ladder is always a SQLite file.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import sqlite3
import tempfile
import time
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from sqlalchemy import insert, select

from spielleiter.accounts import schema
from spielleiter.accounts.database import FILE, AccountsDatabase, open_database
from spielleiter.accounts.files import FOLDER
from spielleiter.errors import SpielleiterError, StoreError, UsageError
from spielleiter.ladder.arena_ladder import FILE as LADDER
from spielleiter.ladder.copying import copy_ladder, has_ladder
from spielleiter.store import open_store
from spielleiter.store.lock import LOCK, FolderLock
from spielleiter.store.private import private_folder

MANIFEST, ROWS = "backup.json", "accounts.json"
FORMAT = 1
_CHUNK = 1 << 20
_LEFT_OUT = (LOCK, "unlock")
_ENDINGS = ("-wal", "-shm", "-journal", ".part")
_SQLITE = b"SQLite format 3\x00"
_UNREADABLE = (
    *(OSError, zipfile.BadZipFile, sqlite3.Error, SpielleiterError, EOFError, NotImplementedError),
    *(KeyError, ValueError, TypeError, AttributeError, IndexError, RecursionError, zlib.error),
)
"""Exceptions when reading a damaged ZIP."""


@dataclass(frozen=True, slots=True)
class BackupSummary:
    """What a backup holds."""

    files: int
    rows: int
    size: int
    """Bytes of the ZIP."""


def back_up(data: Path, target: Path, database: str | None = None) -> BackupSummary:
    """Copy an arena into a new ZIP and verify it; raises StoreError if that fails."""
    if not data.is_dir():
        raise UsageError(f"{data} is no data folder of an arena: name it with --data")
    if target.exists():
        raise UsageError(f"{target} exists already")
    part = target.with_name(target.name + ".part")
    try:
        summary = _write(data, part, database)
        if problems := list(check_backup(part)):
            raise StoreError(f"the backup is not sound: {problems[0]}")
        part.rename(target)
    finally:
        part.unlink(missing_ok=True)
    return summary


def _write(data: Path, part: Path, database: str | None) -> BackupSummary:
    rows = _rows(database or data / FILE)
    sums: dict[str, str] = {}
    with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as archive:
        part.chmod(0o600)
        for path in _files(data):
            name = path.relative_to(data).as_posix()
            with contextlib.suppress(FileNotFoundError), _copied(path) as source:
                sums[name] = _add(archive, name, source)
        with _ladder(data, database) as copy:
            if copy is not None:
                sums[LADDER] = _add(archive, LADDER, copy)
        _add_text(archive, ROWS, rows, sums)
        manifest = {"format": FORMAT, "made": time.time(), "files": sums}
        archive.writestr(MANIFEST, json.dumps(manifest, indent=1))
    count = sum(len(each) for each in rows.values())
    return BackupSummary(len(sums) - 1, count, part.stat().st_size)


def _files(data: Path) -> Iterator[Path]:
    for path in sorted(data.rglob("*")):
        if path.is_file() and not path.is_symlink() and not _is_ours(path.name):
            yield path


def _is_ours(name: str) -> bool:
    """Whether a file of the data folder is left out because it is generated."""
    return name in (*_LEFT_OUT, FILE) or name.endswith(_ENDINGS)


@contextlib.contextmanager
def _copied(path: Path) -> Iterator[IO[bytes]]:
    """The content of a file; of a database a consistent snapshot."""
    with path.open("rb") as source:
        if source.read(len(_SQLITE)) != _SQLITE:
            source.seek(0)
            yield source
            return
    with tempfile.TemporaryDirectory() as room:
        copy = Path(room) / "copy.db"
        with (
            contextlib.closing(
                sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
            ) as old,
            contextlib.closing(sqlite3.connect(copy)) as new,
        ):
            old.backup(new)
        with copy.open("rb") as source:
            yield source


@contextlib.contextmanager
def _ladder(data: Path, database: str | None) -> Iterator[IO[bytes] | None]:
    """A copy of the ladder, if it lies in a database of its own and not in the data folder."""
    if database is None or (data / LADDER).exists() or not has_ladder(database):
        yield None
        return
    with tempfile.TemporaryDirectory() as room:
        copy_ladder(database, Path(room) / LADDER)
        with _copied(Path(room) / LADDER) as source:
            yield source


def _add(archive: zipfile.ZipFile, name: str, source: IO[bytes]) -> str:
    found = hashlib.sha256()
    with archive.open(name, "w", force_zip64=True) as target:
        while chunk := source.read(_CHUNK):
            found.update(chunk)
            target.write(chunk)
    return found.hexdigest()


def _add_text(archive: zipfile.ZipFile, name: str, value: Any, sums: dict[str, str]) -> None:
    text = json.dumps(value, ensure_ascii=False).encode()
    archive.writestr(name, text)
    sums[name] = hashlib.sha256(text).hexdigest()


def _rows(where: str | Path) -> dict[str, list[dict[str, Any]]]:
    database = open_database(where)
    try:
        with database.reading() as connection:
            return {
                table.name: [dict(row._mapping) for row in connection.execute(select(table))]
                for table in schema.metadata.sorted_tables
            }
    finally:
        database.close()


# ---------------------------------------------------------------------------------------- checking


def check_backup(file: Path) -> Iterator[str]:
    """What is wrong with a backup: sums of files, chains of records, bots without their file."""
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = json.loads(archive.read(MANIFEST))
            yield from _wrong_sums(archive, manifest)
            yield from _broken_chains(archive, manifest)
            yield from _missing_bots(archive, manifest)
    except _UNREADABLE as problem:
        yield f"{file} is no backup that can be read: {problem}"


def _wrong_sums(archive: zipfile.ZipFile, manifest: Any) -> Iterator[str]:
    if any(_is_ours(PurePosixPath(name).name) for name in manifest["files"]):
        yield "it holds files that no backup has"
    if manifest["format"] != FORMAT:
        yield f"it is of format {manifest['format']}: a newer Spielleiter reads it"
    for name, wanted in manifest["files"].items():
        with archive.open(name) as source:
            if _sum(source) != wanted:
                yield f"{name} is not what was written"


def _sum(source: IO[bytes]) -> str:
    found = hashlib.sha256()
    while chunk := source.read(_CHUNK):
        found.update(chunk)
    return found.hexdigest()


def _broken_chains(archive: zipfile.ZipFile, manifest: Any) -> Iterator[str]:
    for name in manifest["files"]:
        if not name.endswith(".db"):
            continue
        with tempfile.TemporaryDirectory() as room:
            if archive.getinfo(name).file_size > shutil.disk_usage(room).free // 2:
                yield f"{name} is larger than the disk with {room} has room for"
                continue
            copy = Path(archive.extract(name, room))
            if not _is_record(copy):
                continue
            store = open_store(copy)
            try:
                yield from (f"{name}: {each}" for each in store.check())
            finally:
                store.close()


def _is_record(path: Path) -> bool:
    with contextlib.closing(sqlite3.connect(path)) as database:
        query = "select count(*) from sqlite_master where type = 'table' and name = 'event'"
        return bool(database.execute(query).fetchone()[0])


def _missing_bots(archive: zipfile.ZipFile, manifest: Any) -> Iterator[str]:
    there = {PurePosixPath(name).parts[1] for name in manifest["files"] if _is_bot(name)}
    for version in json.loads(archive.read(ROWS))["version"]:
        if version["file"] and version["file"] not in there:
            yield f"the file of version {version['id']} is missing"


def _is_bot(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return len(parts) == 3 and parts[0] == FOLDER


# --------------------------------------------------------------------------------------- restoring


def restore(file: Path, data: Path, database: str | None = None) -> int:
    """Restore a backup into an empty data folder, verified before and after; returns the number of
    files."""
    if problems := list(check_backup(file)):
        raise StoreError(f"nothing was restored: {problems[0]}")
    if data.exists() and any(data.iterdir()):
        raise UsageError(f"{data} is not empty: restore into a new folder")
    with FolderLock(private_folder(data)), zipfile.ZipFile(file) as archive:
        names = [name for name in json.loads(archive.read(MANIFEST))["files"] if name != ROWS]
        _check_room(archive, data)
        for name in names:
            _extract(archive, name, data)
        _insert(json.loads(archive.read(ROWS)), open_database(database or data / FILE))
        if database is not None and (data / LADDER).exists():
            copy_ladder(data / LADDER, database)
            for ending in ("", *_ENDINGS):
                (data / f"{LADDER}{ending}").unlink(missing_ok=True)
    return len(names)


def _check_room(archive: zipfile.ZipFile, data: Path) -> None:
    """Raise UsageError if the unpacked backup does not fit on the disk."""
    size, free = sum(each.file_size for each in archive.infolist()), shutil.disk_usage(data).free
    if size > free // 2:
        raise UsageError(f"the backup needs {size:,} bytes of the disk, which has {free:,} left")


def _extract(archive: zipfile.ZipFile, name: str, data: Path) -> None:
    path = data / PurePosixPath(name)
    if not path.resolve().is_relative_to(data.resolve()):
        raise StoreError(f"{name!r} leads out of the data folder")
    private_folder(path.parent)
    try:
        with archive.open(name) as source, path.open("xb") as target:
            shutil.copyfileobj(source, target, _CHUNK)
    except OSError as problem:
        raise StoreError(f"{name[:80]!r} cannot be written: {problem.strerror}") from problem
    is_bot = _is_bot(name)
    path.chmod((0o400 if path.suffix else 0o500) if is_bot else 0o600)


def _insert(rows: dict[str, list[dict[str, Any]]], database: AccountsDatabase) -> None:
    try:
        with database.writing() as writing:
            for table in schema.metadata.sorted_tables:
                if writing.execute(select(table).limit(1)).first() is not None:
                    raise UsageError(f"{database.address} is not empty: restore into a new one")
                if rows[table.name]:
                    writing.execute(insert(table), rows[table.name])
            database.restart_numbers(writing)
    finally:
        database.close()
