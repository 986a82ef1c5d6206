"""The contest's ZIP: the bot, its start script as the contest wants it, and all that it imports.

The contest's machine has no network, and files written there do not survive a game. So packages are
unpacked into `lib/`, ready to be imported, instead of being installed. The same input gives the
same bytes on every system: sorted names, a fixed date and fixed permissions.
"""

from __future__ import annotations

import hashlib
import io
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from spielleiter import games
from spielleiter.errors import UsageError
from spielleiter.handin import target as targets
from spielleiter.handin.project import Project
from spielleiter.handin.target import Target

LARGEST = 100 * 2**20
LIBRARY = "lib"
_OURS = "spielleiter"
_DATE = (1980, 1, 1, 0, 0, 0)
_JUNK = {"__pycache__", "node_modules", "venv", "env", "build", "dist", "matches", "tests"}
_JUNK_FILES = (".pyc", ".pyo", ".zip", ".db", ".db-wal", ".db-shm", ".orig", ".log", ".egg-info")
_JUNK_NAMES = {"Thumbs.db", "desktop.ini"}
_ORGANISERS = {
    "cli", "envs", "handin", "programs", "sandbox", "server", "service", "store", "tournament",
    "tuning.py", "web",
}  # fmt: skip
_SOURCES = (".hpp", ".cpp", ".pyi", ".pyc")
_NATIVE = (".so", ".pyd", ".dylib")
TWIN = b"spielleiter twin"
"""What is written into a native module that was compiled quickly, for tests (CMakeLists.txt)."""
_UNNEEDED = {"__pycache__", "facts", "tests", "commands", "kit"}
_PLATFORMS = ("manylinux2014_x86_64", "manylinux_2_17_x86_64", "manylinux_2_28_x86_64")

Files = dict[str, bytes]


@dataclass(frozen=True, slots=True)
class Packed:
    """A ZIP that was built."""

    file: Path
    size: int
    files: int
    digest: str
    notes: tuple[str, ...]
    """Remarks on what was added or corrected."""


def pack(
    project: Project,
    output: Path,
    wheels: Path | None = None,
    largest: int = LARGEST,
    target: Target | None = None,
) -> Packed:
    """Build the ZIP of a project for a target; by default the one that the project names."""
    goal, notes = target or targets.named(project.target), [""]
    files = _own(project, notes)
    if project.start not in files:
        text = f"{project.folder} has no {project.start}: the contest needs a script to start"
        raise UsageError(text)
    if any(_package(each) == _OURS for each in project.dependencies):
        files |= _ourselves(project, goal, wheels, notes)
    files |= _wheels(project, goal, wheels, notes)
    if project.dependencies:
        native = any(map(_is_native, files))
        files[targets.FILE] = targets.described(goal, native)
        notes[0] = f"for {goal.name}: choose Python {goal.version} there"
    data = zipped(files, {project.start, *_executable(project)})
    if len(data) > largest:
        raise UsageError(_too_large(files, len(data), largest))
    output.write_bytes(data)
    digest = hashlib.sha256(data).hexdigest()
    return Packed(output, len(data), len(files), digest, tuple(filter(None, notes)))


def zipped(files: Files, executable: set[str]) -> bytes:
    """A ZIP that depends on names and contents alone."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            info = zipfile.ZipInfo(name, _DATE)
            info.create_system = 3  # UNIX, wherever we are: else there are no rights
            mode = 0o755 if name in executable or name.endswith(".sh") else 0o644
            info.external_attr = (0o100000 | mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, files[name], compresslevel=9)
    return out.getvalue()


# ----------------------------------------------------------------------------------- the bot itself


def _own(project: Project, notes: list[str]) -> Files:
    """The files of the folder without junk; scripts with the line ends that the contest wants."""
    files: Files = {}
    for path in _wanted(project.folder):
        name = path.relative_to(project.folder).as_posix()
        data = path.read_bytes()
        if name.endswith(".sh"):
            fixed = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
            if fixed != data:
                notes.append(f"{name}: line ends and first bytes are now those of Linux")
            data = fixed
        files[name] = data
    return files


def _executable(project: Project) -> Iterator[str]:
    """Whether a file of the bot is executable, such as a compiled program."""
    for path in _wanted(project.folder):
        if os.access(path, os.X_OK):
            yield path.relative_to(project.folder).as_posix()


def _wanted(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.iterdir()):
        if _is_junk(path):
            continue
        if path.is_symlink():
            raise UsageError(f"{path} is a link: put the file itself there")
        if path.is_dir():
            yield from _wanted(path)
        else:
            yield path


def _is_junk(path: Path) -> bool:
    if path.name.startswith(".") or path.name.endswith(_JUNK_FILES) or path.name in _JUNK_NAMES:
        return True
    return path.is_dir() and (path.name in _JUNK or (path / "pyvenv.cfg").exists())


# ------------------------------------------------------------------------------------ what it needs


def _ourselves(project: Project, target: Target, wheels: Path | None, notes: list[str]) -> Files:
    """This package: from wheels for the target, as installed here, or without native modules.

    Without native modules everything works but the strong engines, on every Python and system.
    """
    own = None if project.game is None else games.load(project.game).folder.rpartition(".")[2]
    if wheels is not None and (given := sorted(wheels.glob(f"{_OURS}-*.whl"))):
        return _from_wheels(own, target, given, notes)
    files = _installed(own)
    built = targets.pythons(files)
    if targets.is_contest_system() and built is not None and targets.runs(target, built):
        notes.append(f"{_OURS} as installed here{narrow(files)}")
        return files
    notes.append(
        f"{_OURS} in plain Python, without its strong engines: for these give its wheel for "
        f"Python {target.version} on 64-bit Linux in a folder with --wheels FOLDER"
    )
    return {name: data for name, data in files.items() if not _is_native(name)}


def narrow(files: Files) -> str:
    """A warning if this installation was built for one kind of processor, or for tests."""
    native = [name for name in files if _is_native(name)]
    if not any(Path(name).name.partition(".")[0] == "_core" for name in native):
        return ", for processors such as this one: `make build` first"
    if any(TWIN in files[name] for name in native):
        return ", slow on processors without AVX2: `make build` first"
    return ""


def _is_native(name: str) -> bool:
    return name.endswith(_NATIVE)


def _from_wheels(own: str | None, target: Target, given: list[Path], notes: list[str]) -> Files:
    chosen = targets.fitting(target, [each.name for each in given])
    if not chosen:
        have = ", ".join(each.name for each in given)
        raise UsageError(
            f"{target.name} runs Python {target.version} on 64-bit Linux, and no wheel fits: {have}"
        )
    notes.append(f"{_OURS} from {', '.join(chosen)}")
    found: Files = {}
    for wheel in given:
        found |= _unpacked(wheel) if wheel.name in chosen else {}
    return {name: data for name, data in found.items() if _is_players(Path(name), own)}


def _installed(own: str | None) -> Files:
    return {
        f"{LIBRARY}/{_OURS}/{path.relative_to(root).as_posix()}": path.read_bytes()
        for root in map(Path, sys.modules[_OURS].__path__)
        for path in sorted(root.rglob("*"))
        if path.is_file() and _is_players(Path(LIBRARY, _OURS, path.relative_to(root)), own)
    }


def _is_players(path: Path, own: str | None) -> bool:
    """Whether a player needs this file of ours: no sources, organisers' parts or other games."""
    parts = path.parts[2:]  # after lib/spielleiter
    if not parts or path.parts[1] != _OURS:
        return True
    unneeded = parts[0] in _ORGANISERS or not _UNNEEDED.isdisjoint(parts)
    other = own is not None and parts[0] == "games" and len(parts) > 2 and parts[1] != own
    return not (unneeded or other or path.name.endswith(_SOURCES))


def _wheels(project: Project, target: Target, wheels: Path | None, notes: list[str]) -> Files:
    """All other packages the project names, for the contest's machine, with what they need."""
    needs = [each for each in project.dependencies if _package(each) != _OURS]
    if not needs:
        return {}
    files: Files = {}
    with tempfile.TemporaryDirectory() as folder:
        _download(needs, target, Path(folder), wheels)
        for wheel in sorted(Path(folder).glob("*.whl")):
            notes.append(f"{LIBRARY}/: {wheel.name}")
            files |= _unpacked(wheel)
    return files


def _download(needs: list[str], target: Target, folder: Path, wheels: Path | None) -> None:
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    words += ["--only-binary=:all:", "--implementation=cp", f"--python-version={target.version}"]
    words += [f"--platform={each}" for each in _PLATFORMS] + ["--dest", str(folder)]
    words += ["--no-index", f"--find-links={wheels}"] if wheels else []
    done = subprocess.run([*words, *needs], capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise UsageError(f"pip finds no wheels of {', '.join(needs)}: {said[-1] if said else ''}")


def _unpacked(wheel: Path) -> Files:
    """The installed files of a wheel, without programs and headers."""
    files: Files = {}
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            inner = re.fullmatch(r"[^/]+\.data/(purelib|platlib)/(.+)", info.filename)
            other = re.match(r"[^/]+\.data/", info.filename)
            if not info.is_dir() and (inner or not other):
                files[f"{LIBRARY}/{inner[2] if inner else info.filename}"] = archive.read(info)
    return files


def _package(requirement: str) -> str:
    name = re.match(r"\s*([A-Za-z0-9._-]+)", requirement)
    return re.sub(r"[-_.]+", "-", name[1]).lower() if name else ""


def _too_large(files: Files, size: int, largest: int) -> str:
    first = sorted(files, key=lambda name: len(files[name]), reverse=True)[:3]
    shown = ", ".join(f"{name} ({len(files[name]) / 2**20:.1f} MB)" for name in first)
    have, may = size / 2**20, largest / 2**20
    return f"the ZIP would have {have:.1f} MB, and {may:.1f} are allowed; the largest: {shown}"
