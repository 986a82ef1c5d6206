"""Programs as players: what to start for a player's text, and which files belong to it.

A program is a command with placeholders (`{port}` at least), a `.jar`, a start script, or a contest
ZIP with one of them inside. An external engine (`ugi:./mybot`) is not a program in this sense: a
process of ours drives it. `outside` is a player that somebody else starts.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

from spielleiter import bots
from spielleiter.engines import EngineCommand, engine_command, is_engine
from spielleiter.errors import UsageError
from spielleiter.game import Game
from spielleiter.programs.archive import SCRIPTS, ZIP, Unpacked, unpacked
from spielleiter.programs.own_files import OwnFiles, own_files
from spielleiter.programs.settings import Setting
from spielleiter.sandbox import LaunchRequest

JAR = ".jar"
OUTSIDE = "outside"
MAIN = "start.sh"
"""The default file to start in a ZIP."""
CONTEST = ("--host", "{host}", "--port", "{port}", "--reservation", "{reservation}")
"""The options for programs of the contest."""
COURSE = ("-i", "{host}", "-p", "{port}")
"""The options for programs of the course, whose protocol is binary."""
_OURS = (
    *(sys.executable, "-m", "spielleiter", "join", "{game}", "-h", "{host}", "-p", "{port}"),
    *("-r", "{reservation}", "--seed", "{seed}", "--authority", "{authority}"),
    *("--seconds", "{seconds}"),
)


@dataclass(frozen=True, slots=True)
class Program:
    """What to start for a player."""

    words: tuple[str, ...]
    own: OwnFiles = field(default_factory=OwnFiles)
    """The files that are its own."""
    readable: tuple[Path, ...] = ()
    """Other files it needs, such as the installation of its language."""
    unpacked: Unpacked | None = None
    """The ZIP that it came in."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that it gets besides the usual ones."""

    def filled(self, places: dict[str, str]) -> list[str]:
        """The command with its placeholders filled in."""
        return [_filled(word, places) for word in self.words]

    def order(self, places: dict[str, str]) -> LaunchRequest:
        """The launch request for the sandbox, with verified files."""
        if self.unpacked is not None:
            self.unpacked.refresh()
        own, port = self.own, places.get("{port}")
        words = self.filled(places)
        to_port = None if port is None else int(port)
        return LaunchRequest(
            words,
            own.folder,
            self.readable,
            to_port,
            own.files,
            own.hidden,
            environment=self.environment,
        )


def is_outside(text: str) -> bool:
    """Whether the player comes from outside: `outside`, or `outside:Name`."""
    return text.partition(":")[0] == OUTSIDE


def is_program(text: str) -> bool:
    """Whether a text names a program that connects to a server."""
    if is_engine(text):
        return False
    return "{port}" in text or is_outside(text) or is_file(text)


def is_apart(text: str) -> bool:
    """Whether a text names a player that is not built in and needs its own process."""
    return is_engine(text) or python_file(text) is not None


def is_file(text: str) -> bool:
    """Whether a text names the file of a program."""
    if is_engine(text):
        return False
    return _archive(text)[0].endswith((ZIP, JAR, *SCRIPTS)) or _is_executable(text)


def _is_executable(text: str) -> bool:
    path = Path(text)
    is_ours = bots.FILE in text or text.partition(":")[0] in bots.names()
    return not is_ours and path.is_file() and os.access(path, os.X_OK)


def python_file(text: str) -> Path | None:
    """The Python file that a text names a player of, if it does."""
    path, dot, rest = text.partition(bots.FILE)
    is_named = dot and rest[:1] in ("", ":") and not is_program(text) and not is_engine(text)
    return Path(path + dot) if is_named else None


def program_name(text: str) -> str:
    """A short name for a program: the file in its command."""
    if is_outside(text):
        return text.partition(":")[2] or OUTSIDE
    if is_engine(text):
        command = engine_command(text).words
        return (_named_file(command) or Path(command[0])).absolute().name
    if "{port}" not in text:
        return Path(_archive(text)[0]).name
    words = [word for word in text.split() if "{" not in word and not word.startswith("-")]
    files = [word for word in words if word.endswith((bots.FILE, JAR, *SCRIPTS))]
    return Path((files or words or [text])[0]).name


def start_options(game: Game) -> tuple[str, ...]:
    """The command-line options for a program of that game."""
    known = find_spec(f"{game.folder}.wire") is not None
    return COURSE if known and not hasattr(game.part("wire"), "wire") else CONTEST


def program(text: str, setting: Setting | None = None, told: tuple[str, ...] = CONTEST) -> Program:
    """The program for a text; a built-in player becomes `spielleiter join`.

    `told` are the options of a file that is started: see `start_options`.
    """
    setting = setting or Setting()
    if is_engine(text):
        engine = engine_program(text, setting)
        return Program((*_OURS, "--bot", engine.text), engine.own, engine.readable)
    if not is_program(text):
        file = python_file(text)
        own = OwnFiles() if file is None else own_files(file, setting)
        return Program((*_OURS, "--bot", text), own, python_folders())
    archive, main = _archive(text)
    if "{port}" not in text and archive.endswith(ZIP):
        zipped = unpacked(_existing(archive))
        words = _started(main_file(zipped.folder, main, text), told)
        return Program(words, OwnFiles(zipped.folder), _installation(words[0], text), zipped)
    words, own = _command(text, setting, told)
    readable = _installation(words[0], text)
    if not words[0].endswith(SCRIPTS):
        return Program(words, own, readable)
    # The start script of a bot that is not packed: it imports what the Python here has installed.
    python = {"PYTHON": os.environ.get("PYTHON") or sys.executable}
    return Program(words, own, (*readable, *python_folders()), environment=python)


@dataclass(frozen=True, slots=True)
class EngineProgram:
    """An external engine, and what it may see."""

    text: str
    """Its text, with an absolute path."""
    own: OwnFiles
    readable: tuple[Path, ...]


def engine_program(text: str, setting: Setting) -> EngineProgram:
    """The command of an external engine, with absolute paths."""
    command = engine_command(text)
    first = command.words[0]
    if Path(first).is_file():
        first = str(Path(first).absolute())
    words = (first, *command.words[1:])
    file = _named_file(words)
    own = OwnFiles() if file is None else own_files(file, setting)
    named = EngineCommand(command.protocol, command.options, words).text()
    return EngineProgram(named, own, _installation(first, text))


def _installation(word: str, text: str) -> tuple[Path, ...]:
    found = shutil.which(word)
    if found is None:
        raise UsageError(f"{text!r}: there is no program {word!r} to start")
    return (*_installed(found), *_python())


def _existing(file: str) -> Path:
    if not Path(file).is_file():
        raise UsageError(f"there is no file {file!r} to start")
    return Path(file)


def player_files(texts: Iterable[str | None]) -> Iterator[Path]:
    """The files that players' texts name."""
    for text in filter(None, texts):
        if (file := python_file(text)) is not None:
            yield file
        elif is_engine(text):
            yield from filter(None, [_named_file(engine_command(text).words)])
        elif "{port}" in text:
            words = shlex.split(text, posix=os.name == "posix")
            yield from filter(None, [_named_file(words)])
        elif is_file(text):
            yield Path(_archive(text)[0])


def _command(
    text: str, setting: Setting, told: tuple[str, ...]
) -> tuple[tuple[str, ...], OwnFiles]:
    if "{port}" in text:
        words = tuple(shlex.split(text, posix=os.name == "posix"))
        file = _named_file(words)
        return words, OwnFiles() if file is None else own_files(file, setting)
    path = _existing(text).resolve()
    return _started(path, told), own_files(path, setting)


def _started(path: Path, told: tuple[str, ...]) -> tuple[str, ...]:
    if path.suffix == JAR:
        return ("java", "-jar", "-mx1500m", str(path), *told)
    return (str(path), *told)


def _filled(word: str, places: dict[str, str]) -> str:
    for place, value in places.items():
        word = word.replace(place, value)
    return word


# ----------------------------------------------------------------------------------- whose files


def _named_file(words: Sequence[str]) -> Path | None:
    """The first file or folder that a command names, if it is not the system's."""
    for word in (*words[1:], words[0]):
        path = Path(word)
        if "{" not in word and path.exists() and not _is_system(path):
            return path
    return None


def _installed(program: str) -> Iterator[Path]:
    """The folders where a program is installed, following links; a `bin` with its `lib`.

    The shims of a version manager are scripts that need the whole of it.
    """
    path = Path(os.path.abspath(program))
    while True:
        prefix = path.parent.parent
        if not _is_system(path):
            is_bin = path.parent.name == "bin" and (prefix / "lib").is_dir()
            whole = is_bin or path.parent.name == "shims"
            yield prefix if whole and not Path.home().is_relative_to(prefix) else path
        if not path.is_symlink():
            return
        path = Path(os.path.normpath(path.parent / path.readlink()))


def _is_system(path: Path) -> bool:
    return str(path).startswith(("/usr/", "/bin/", "/sbin/", "/lib/", "/opt/"))


def python_folders() -> tuple[Path, ...]:
    """Where this Python is installed, and what it imports from."""
    return (*_installed(sys.executable), *_python())


def _python() -> Iterator[Path]:
    """The import folders of this interpreter, except the working directory."""
    here = Path.cwd()
    entries = {Path(entry) for entry in (*sys.path, sys.prefix, sys.base_prefix) if entry}
    yield Path(__file__).parents[2]
    yield from sorted(entry for entry in entries if entry.exists() and entry != here)


# ---------------------------------------------------------------------------------------------- ZIP


def _archive(text: str) -> tuple[str, str | None]:
    """The file, and the member to start if it is a ZIP: `bot.zip:folder/run.sh`."""
    path, dot, rest = text.partition(ZIP)
    if dot and rest[:1] in ("", ":"):
        return path + dot, rest[1:] or None
    return text, None


def main_file(folder: Path, main: str | None, text: str) -> Path:
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
