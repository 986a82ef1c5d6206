"""What a player's text names, if it is a program: what to start, and which files are its own.

A program is a command with places to fill in (`{port}` at least), a `.jar`, a start script, or a
contest ZIP with one of them inside. `outside` is somebody whom we do not start at all.
"""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import stat
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from spielleiter import bots
from spielleiter.errors import UsageError

SCRIPTS = (".sh", ".bat", ".cmd")
JAR, ZIP = ".jar", ".zip"
OUTSIDE = "outside"
MAIN = "start.sh"
"""What is started of a ZIP if nothing else is named."""
MOST_FILES, MOST_BYTES = 20_000, 1 << 30
"""What a ZIP may hold, unpacked."""
_LONG = ("--host", "{host}", "--port", "{port}", "--reservation", "{reservation}")
_OURS = (
    *(sys.executable, "-m", "spielleiter", "join", "{game}", "-h", "{host}", "-p", "{port}"),
    *("-r", "{reservation}", "--seed", "{seed}", "--authority", "{authority}"),
    *("--seconds", "{seconds}"),
)
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Program:
    """What to start for a player."""

    words: tuple[str, ...]
    folder: Path | None = None
    """Its own folder."""
    readable: tuple[Path, ...] = ()
    """What it needs besides: where its language is installed."""

    def filled(self, places: dict[str, str]) -> list[str]:
        """The command with its places filled in."""
        return [_filled(word, places) for word in self.words]


def is_outside(text: str) -> bool:
    """Whether the player comes from outside: `outside`, or `outside:Name`."""
    return text.partition(":")[0] == OUTSIDE


def is_program(text: str) -> bool:
    """Whether a text names somebody who connects to a server."""
    return "{port}" in text or is_outside(text) or is_file(text)


def is_file(text: str) -> bool:
    """Whether a text names the file of a program."""
    return _archive(text)[0].endswith((ZIP, JAR, *SCRIPTS)) or _is_executable(text)


def _is_executable(text: str) -> bool:
    path = Path(text)
    is_ours = text.partition(":")[0] in bots.names() or bots.FILE in text
    return not is_ours and path.is_file() and os.access(path, os.X_OK)


def program_name(text: str) -> str:
    """What to call a program: the file in its command that tells it from others."""
    if is_outside(text):
        return text.partition(":")[2] or OUTSIDE
    if "{port}" not in text:
        return Path(_archive(text)[0]).name
    words = [word for word in text.split() if "{" not in word and not word.startswith("-")]
    files = [word for word in words if word.endswith((bots.FILE, JAR, *SCRIPTS))]
    return Path((files or words or [text])[0]).name


def program(text: str) -> Program:
    """What to start for a text; a player of ours becomes a program that joins."""
    if not is_program(text):
        folder = (
            Path(text.partition(bots.FILE)[0] + bots.FILE).parent if bots.FILE in text else None
        )
        return Program((*_OURS, "--bot", text), folder, (*_installed(sys.executable), *_python()))
    words, own = _command(text)
    found = shutil.which(words[0])
    if found is None:
        raise UsageError(f"{text!r}: there is no program {words[0]!r} to start")
    return Program(words, own, (*_installed(found), *_python()))


def _command(text: str) -> tuple[tuple[str, ...], Path | None]:
    if "{port}" in text:
        words = tuple(shlex.split(text, posix=os.name == "posix"))
        return words, _own_folder(words)
    archive, main = _archive(text)
    if not Path(archive).is_file():
        raise UsageError(f"there is no file {archive!r} to start")
    if archive.endswith(ZIP):
        folder = unpacked(Path(archive))
        return _started(_main_file(folder, main, text)), folder
    path = Path(archive).resolve()
    return _started(path), path.parent


def _started(path: Path) -> tuple[str, ...]:
    if path.suffix == JAR:
        return ("java", "-jar", "-mx1500m", str(path), *_LONG)
    return (str(path), *_LONG)


def _filled(word: str, places: dict[str, str]) -> str:
    for place, value in places.items():
        word = word.replace(place, value)
    return word


# ----------------------------------------------------------------------------------- whose files


def _own_folder(words: tuple[str, ...]) -> Path | None:
    """Where the first file lies that a command names; whoever starts in a home gets none of it."""
    for word in (*words[1:], words[0]):
        path = Path(word)
        if "{" not in word and path.exists() and not _is_system(path):
            folder = (path if path.is_dir() else path.parent).resolve()
            return None if Path.home().is_relative_to(folder) else folder
    return None


def _installed(program: str) -> Iterator[Path]:
    """Where a program is installed: link by link, a `bin` together with the `lib` beside it."""
    path = Path(os.path.abspath(program))
    while True:
        prefix = path.parent.parent
        if not _is_system(path):
            whole = path.parent.name == "bin" and (prefix / "lib").is_dir()
            yield prefix if whole and not Path.home().is_relative_to(prefix) else path
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))


def _is_system(path: Path) -> bool:
    return str(path).startswith(("/usr/", "/bin/", "/sbin/", "/lib/", "/opt/"))


def _python() -> Iterator[Path]:
    """What this interpreter imports from, for players that import us; but not where we work."""
    here = Path.cwd()
    entries = {Path(entry) for entry in (*sys.path, sys.prefix, sys.base_prefix) if entry}
    yield Path(__file__).parents[2]
    yield from sorted(entry for entry in entries if entry.exists() and entry != here)


# ---------------------------------------------------------------------------------------------- ZIP


def _archive(text: str) -> tuple[str, str | None]:
    """The file, and what is to be started of it if it is a ZIP: `bot.zip:folder/run.sh`."""
    path, dot, rest = text.partition(ZIP)
    if dot and rest[:1] in ("", ":"):
        return path + dot, rest[1:] or None
    return text, None


def unpacked(archive: Path) -> Path:
    """The folder that a ZIP was unpacked to: once, since the same bytes are the same player."""
    name = hashlib.sha256(archive.read_bytes()).hexdigest()[:32]
    folder = _cache() / name
    if not folder.is_dir():
        _cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=_cache()) as fresh:
            _unpack(archive, Path(fresh) / "player")
            try:
                (Path(fresh) / "player").rename(folder)
            except OSError:
                if not folder.is_dir():  # else somebody else was faster
                    raise
    return folder


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".cache") / "spielleiter" / "players"


def _unpack(archive: Path, folder: Path) -> None:
    """Every member must stay in the folder; what is too large is noticed while it is written."""
    try:
        with zipfile.ZipFile(archive) as file:
            members = file.infolist()
            if len(members) > MOST_FILES:
                raise UsageError(f"{archive} holds {len(members)} files; {MOST_FILES} may be")
            folder.mkdir()
            left = MOST_BYTES
            for member in members:
                left -= _unpack_member(archive, file, member, folder, left)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError) as problem:
        raise UsageError(f"{archive} is no ZIP that can be read: {problem}") from problem


def _unpack_member(
    archive: Path, file: zipfile.ZipFile, member: zipfile.ZipInfo, folder: Path, left: int
) -> int:
    """Write one member; how many bytes that took."""
    target, mode = _target(archive, member, folder), member.external_attr >> 16
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise UsageError(f"{archive}: {member.filename!r} is neither a file nor a folder")
    if member.is_dir():
        target.mkdir(parents=True, exist_ok=True)
        return 0
    target.parent.mkdir(parents=True, exist_ok=True)
    written = 0
    with file.open(member) as source, target.open("xb") as copy:
        while chunk := source.read(_CHUNK):
            written += len(chunk)
            if written > left:
                raise UsageError(f"{archive} is larger than {MOST_BYTES >> 20} MiB, unpacked")
            copy.write(chunk)
    target.chmod(0o755 if mode & 0o111 or target.suffix in SCRIPTS else 0o644)
    return written


def _target(archive: Path, member: zipfile.ZipInfo, folder: Path) -> Path:
    path = PurePosixPath(member.filename.replace("\\", "/"))
    if path.is_absolute() or ".." in path.parts or ":" in member.filename:
        raise UsageError(f"{archive}: {member.filename!r} would lie outside of its folder")
    return folder / path


def _main_file(folder: Path, main: str | None, text: str) -> Path:
    """The file to start: the one named, `start.sh`, or the only script or `.jar`."""
    if main is not None:
        if not (folder / main).is_file() or ".." in Path(main).parts:
            raise UsageError(f"{text}: there is no {main!r} in it")
        return folder / main
    for candidates in (
        list(folder.rglob(MAIN)),
        [path for path in folder.rglob("*") if path.suffix in SCRIPTS],
        list(folder.rglob(f"*{JAR}")),
    ):
        nearest = sorted(candidates, key=lambda path: len(path.parts))
        if len(nearest) == 1 or (nearest and nearest[0].name == MAIN):
            return nearest[0]
    raise UsageError(f"{text}: name what is to be started of it, as {text}:{MAIN}")
