"""Finds problems of ZIPs that would show only on the day of the contest.

It starts nothing and looks at folder levels, permissions, line ends, names, paths of one's own
machine, and things that need a network.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from pathlib import PurePosixPath

from spielleiter.client.finding import Finding, Severity, found
from spielleiter.handin import target as targets
from spielleiter.handin.imports import missing
from spielleiter.handin.package import LARGEST
from spielleiter.handin.target import Target

MAIN_FILES = (".sh", ".jar")
_UNPACKED = 1 << 30
_LONGEST = 200
_MOST_FILES = 20_000
_END, _LAST = b"PK\x05\x06", 1 << 16
"""The signature of a ZIP's end record, and its largest size."""
_BOM = b"\xef\xbb\xbf"
_ENCRYPTED = 0x1
_JUNK = ("__pycache__", ".git", ".venv", "venv", "node_modules", ".idea", ".vscode", "__MACOSX")
_OWN_PATH = re.compile(
    r"""(?<![\w.$}{/])(/(?:home|Users|root|mnt|media|Volumes|work|tmp)/[^\s"':;,)]+"""
    r"""|(?<![\w])[A-Za-z]:\\\\?[^\s"']+)"""
)
_NETWORK = re.compile(
    r"^\s*[^#\n]*\b(pip3? install(?!.*--no-index)|curl|wget|apt(-get)? install)", re.M
)
_FOREIGN = re.compile(r"\.(pyd|dylib)$|[-_](darwin|win32|aarch64-linux-gnu)\.so$")
_FINE, _NOTE, _PROBLEM = Severity.FINE, Severity.NOTE, Severity.PROBLEM


def look(
    data: bytes, main: str | None = None, largest: int = LARGEST, target: Target | None = None
) -> list[Finding]:
    """All findings about a ZIP without starting it; `main` is its main file.

    Without a target it is judged by the one it names itself.
    """
    if _directory(data) > _MOST_FILES * _LONGEST:
        return [found(_PROBLEM, "ZIP", "zip.many-files", most=str(_MOST_FILES))]
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            broken = _damaged(archive)
            return broken or list(_looked(archive, len(data), main, largest, target))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        return [found(_PROBLEM, "ZIP", "zip.unreadable", problem=str(error))]


def main_file(archive: zipfile.ZipFile, main: str | None = None) -> str | None:
    """The file the contest starts: the one named, or the only script or jar at the top."""
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    if main is not None:
        return main if main in names else None
    top = [name for name in names if "/" not in name and name.endswith(MAIN_FILES)]
    return "start.sh" if "start.sh" in top else top[0] if len(top) == 1 else None


def _directory(data: bytes) -> int:
    """The size of the central directory; an oversized one is not read."""
    at = data.rfind(_END, max(0, len(data) - _LAST))
    size = data[at + 12 : at + 16]
    return int.from_bytes(size, "little") if at >= 0 and len(size) == 4 else 0


def _damaged(archive: zipfile.ZipFile) -> list[Finding]:
    if any(info.flag_bits & _ENCRYPTED for info in archive.infolist()):
        return [found(_PROBLEM, "ZIP", "zip.encrypted")]
    if sum(info.file_size for info in archive.infolist()) > _UNPACKED:
        return [found(_PROBLEM, "size", "size.unpacked")]
    bad = archive.testzip()
    return [found(_PROBLEM, "ZIP", "zip.damaged", file=bad)] if bad else []


def _looked(
    archive: zipfile.ZipFile, size: int, main: str | None, largest: int, target: Target | None
) -> Iterator[Finding]:
    yield from _size(size, largest)
    yield from _names(archive)
    yield from _junk(archive)
    start = main_file(archive, main)
    if start is None:
        yield _no_start(archive, main)
        return
    yield found(_FINE, "main file", "main.found", file=start)
    if start.endswith(".jar"):
        yield from look_jar(archive.read(start), start)
    else:
        yield from _script(archive.getinfo(start), archive.read(start))
    yield from _paths(archive)
    names = [info.filename for info in archive.infolist()]
    yield from _native(names, target or targets.of_zip(archive))
    yield from _imports(archive)


def _size(size: int, largest: int) -> Iterator[Finding]:
    values = {"megabytes": f"{size / 2**20:.1f}", "most": f"{largest / 2**20:.0f}"}
    if size > largest:
        yield found(_PROBLEM, "size", "size.over", **values)
    else:
        yield found(_FINE, "size", "size.fine", **values)


def _no_start(archive: zipfile.ZipFile, main: str | None) -> Finding:
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    if main is not None:
        return found(_PROBLEM, "main file", "main.missing", file=main)
    deep = [name for name in names if "/" in name and name.endswith(("start.sh", *MAIN_FILES))]
    top = [name for name in names if "/" not in name and name.endswith(MAIN_FILES)]
    if top:
        return found(_PROBLEM, "main file", "main.many", files=", ".join(top))
    if deep:
        return found(_PROBLEM, "main file", "main.deep", file=deep[0])
    return found(_PROBLEM, "main file", "main.none")


def _script(info: zipfile.ZipInfo, data: bytes) -> Iterator[Finding]:
    """The contest wants a shell script with an interpreter line, UTF-8, LF."""
    is_executable = info.create_system == 3 and bool((info.external_attr >> 16) & 0o100)
    checks = {
        "bom": data.startswith(_BOM),
        "line-ends": b"\r" in data,
        "interpreter": not data.removeprefix(_BOM).startswith(b"#!"),
        "encoding": not _is_utf8(data),
        "rights": not is_executable,
        "network": bool(_NETWORK.search(data.decode("utf-8", "replace"))),
    }
    wrong = [key for key, is_wrong in checks.items() if is_wrong]
    for key in wrong:
        yield found(_PROBLEM, "start script", f"script.{key}", file=info.filename)
    if not wrong:
        yield found(_FINE, "start script", "script.fine")


def look_jar(data: bytes, name: str) -> Iterator[Finding]:
    """Whether a jar can be started."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    except (zipfile.BadZipFile, KeyError):
        yield found(_PROBLEM, "jar", "jar.broken", file=name)
        return
    if "Main-Class:" not in manifest:
        yield found(_PROBLEM, "jar", "jar.no-main", file=name)
    else:
        yield found(_FINE, "jar", "jar.fine", file=name)


def _names(archive: zipfile.ZipFile) -> Iterator[Finding]:
    names = [info.filename for info in archive.infolist()]
    twice = [name for name, count in Counter(map(str.lower, names)).items() if count > 1]
    if twice:
        yield found(_PROBLEM, "file names", "names.twice", file=twice[0])
    for name in names:
        if wrong := _wrong_name(name):
            yield found(_PROBLEM, "file names", f"names.{wrong}", file=repr(name))
    odd = [name for name in names if not name.isascii() or " " in name]
    if odd:
        yield found(_NOTE, "file names", "names.odd", file=repr(odd[0]))
    links = [info.filename for info in archive.infolist() if info.external_attr >> 28 == 0o12]
    if links:
        yield found(_PROBLEM, "file names", "names.link", file=links[0])


def _wrong_name(name: str) -> str | None:
    if "\\" in name:
        return "backslashes"
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in PurePosixPath(name).parts:
        return "outside"
    if any(ord(letter) < 32 for letter in name):
        return "invisible"
    return "long" if len(name) > _LONGEST else None


def _junk(archive: zipfile.ZipFile) -> Iterator[Finding]:
    sizes: Counter[str] = Counter()
    for info in archive.infolist():
        for part in PurePosixPath(info.filename).parts:
            if part in _JUNK or part == ".DS_Store":
                sizes[part] += info.compress_size
                break
    for part, size in sizes.items():
        yield found(_NOTE, "junk", "junk", file=part, megabytes=f"{size / 2**20:.1f}")


def _paths(archive: zipfile.ZipFile) -> Iterator[Finding]:
    """Paths of one's own machine in top-level files."""
    for info in archive.infolist():
        name = info.filename
        if "/" in name or not name.endswith((".sh", ".py", ".toml", ".json", ".cfg", ".ini")):
            continue
        text = archive.read(info).decode("utf-8", "replace")
        if path := _OWN_PATH.search(text):
            yield found(_PROBLEM, "paths", "paths", file=name, path=path[1])


def _native(names: Sequence[str], target: Target | None) -> Iterator[Finding]:
    """Native modules are for one system, and most of them for one version of Python."""
    foreign = [name for name in names if _FOREIGN.search(name)]
    if foreign:
        yield found(_PROBLEM, "native modules", "native.foreign", file=foreign[0])
    versions = targets.pythons(names)
    if versions is not None and not versions:
        yield found(_PROBLEM, "native modules", "native.mixed")
    elif target is not None:
        yield _python(target, versions)
    elif versions is not None:
        yield found(_NOTE, "native modules", "native.versions", versions=_shown(versions))


def _python(target: Target, versions: frozenset[str] | None) -> Finding:
    values = {"version": target.version, "target": target.name}
    if targets.runs(target, versions):
        return found(_FINE, "python", "python.fine", **values)
    return found(_PROBLEM, "python", "python.other", built=_shown(versions or ()), **values)


def _shown(versions: Collection[str]) -> str:
    """Versions as text: `3.11, 3.12+`."""
    return ", ".join(sorted(versions))


def _imports(archive: zipfile.ZipFile) -> Iterator[Finding]:
    """Imported packages that the ZIP lacks: the contest's machine has only plain Python."""
    for file, module in missing(archive):
        yield found(_PROBLEM, "imports", "imports", file=file, module=module)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
