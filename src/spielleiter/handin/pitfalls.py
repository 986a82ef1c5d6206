"""What goes wrong with ZIPs, and is noticed only on the day of the contest.

Found without starting anything: levels of folders, rights, line ends, names, paths of one's own
machine, things that need a network.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from spielleiter.client.finding import Finding, fine, note, problem
from spielleiter.handin import target as targets
from spielleiter.handin.imports import missing
from spielleiter.handin.package import LARGEST
from spielleiter.handin.target import Target

MAIN_FILES = (".sh", ".jar")
_UNPACKED = 1 << 30
_LONGEST = 200
_MOST_FILES = 20_000
_END, _LAST = b"PK\x05\x06", 1 << 16
"""What the end of a ZIP begins with, and how long that end is at most."""
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
_ADVICE_PACK = "`spielleiter pack` makes a ZIP without this"


def look(
    data: bytes, main: str | None = None, largest: int = LARGEST, target: Target | None = None
) -> list[Finding]:
    """Everything about a ZIP that can be seen without starting it; `main` is its main file.

    Without a target it is judged by what it says that it was packed for.
    """
    if _directory(data) > _MOST_FILES * _LONGEST:
        advice = "leave out what is not needed"
        return [problem("ZIP", f"it holds more than {_MOST_FILES:,} files", advice)]
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            broken = _damaged(archive)
            return broken or list(_looked(archive, len(data), main, largest, target))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        return [problem("ZIP", f"it cannot be read: {error}", "build it again")]


def main_file(archive: zipfile.ZipFile, main: str | None = None) -> str | None:
    """The file the contest starts: the one named, or the only script or jar at the top."""
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    if main is not None:
        return main if main in names else None
    top = [name for name in names if "/" not in name and name.endswith(MAIN_FILES)]
    return "start.sh" if "start.sh" in top else top[0] if len(top) == 1 else None


def _directory(data: bytes) -> int:
    """Bytes of the list of files at the end: a long one is not read at all."""
    at = data.rfind(_END, max(0, len(data) - _LAST))
    size = data[at + 12 : at + 16]
    return int.from_bytes(size, "little") if at >= 0 and len(size) == 4 else 0


def _damaged(archive: zipfile.ZipFile) -> list[Finding]:
    if any(info.flag_bits & _ENCRYPTED for info in archive.infolist()):
        return [problem("ZIP", "it is encrypted", "the contest has no password: pack without one")]
    if sum(info.file_size for info in archive.infolist()) > _UNPACKED:
        return [problem("size", "unpacked it has more than 1 GB", "leave out what is not needed")]
    bad = archive.testzip()
    return [problem("ZIP", f"{bad} is damaged in it", "build it again")] if bad else []


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
    yield fine("main file", f"{start} (choose it in the contest's form)")
    if start.endswith(".jar"):
        yield from _jar(archive.read(start), start)
    else:
        yield from _script(archive.getinfo(start), archive.read(start))
    yield from _paths(archive)
    names = [info.filename for info in archive.infolist()]
    yield from _native(names, target or targets.of_zip(archive))
    yield from _imports(archive)


def _size(size: int, largest: int) -> Iterator[Finding]:
    text = f"{size / 2**20:.1f} MB"
    if size > largest:
        advice = f"at most {largest / 2**20:.0f} MB: leave out what is not needed"
        yield problem("size", text, advice)
    else:
        yield fine("size", text)


def _no_start(archive: zipfile.ZipFile, main: str | None) -> Finding:
    names = [info.filename for info in archive.infolist() if not info.is_dir()]
    if main is not None:
        return problem("main file", f"there is no {main} in it", "name a file that is")
    deep = [name for name in names if "/" in name and name.endswith(("start.sh", *MAIN_FILES))]
    top = [name for name in names if "/" not in name and name.endswith(MAIN_FILES)]
    if top:
        return problem("main file", f"which one: {', '.join(top)}?", "say it with --main FILE")
    if deep:
        advice = "pack what is in the folder, not the folder: start.sh has to be at the top"
        return problem("main file", f"it lies one level too deep: {deep[0]}", advice)
    advice = "add a start.sh that starts your bot; `spielleiter new` makes one"
    return problem("main file", "there is no start script and no .jar in it", advice)


def _script(info: zipfile.ZipInfo, data: bytes) -> Iterator[Finding]:
    """The contest wants a shell script with an interpreter line, UTF-8, LF."""
    name, found = info.filename, False
    checks = [
        (
            data.startswith(_BOM),
            "begins with a byte order mark: Linux finds no interpreter",
            "save it as UTF-8 without BOM",
        ),
        (
            b"\r" in data,
            "has line ends of Windows: Linux looks for an interpreter called 'sh\\r'",
            "save it with LF, or let `spielleiter pack` do it",
        ),
        (
            not data.removeprefix(_BOM).startswith(b"#!"),
            "has no interpreter line",
            "begin it with #!/bin/sh",
        ),
        (not _is_utf8(data), "is not UTF-8", "save it as UTF-8"),
        (
            info.create_system != 3 or not (info.external_attr >> 16) & 0o100,
            "has no right to be executed",
            "chmod +x before packing, or let `spielleiter pack` do it: it works on Windows too",
        ),
        (
            bool(_NETWORK.search(data.decode("utf-8", "replace"))),
            "needs a network, and the contest's machine has none",
            "put what it needs into the ZIP: `spielleiter pack` does",
        ),
    ]
    for wrong, what, advice in checks:
        if wrong:
            found = True
            yield problem("start script", f"{name} {what}", advice)
    if not found:
        yield fine("start script", "interpreter line, LF, UTF-8, executable")


def _jar(data: bytes, name: str) -> Iterator[Finding]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode("utf-8", "replace")
    except (zipfile.BadZipFile, KeyError):
        yield problem("jar", f"{name} is no jar with a manifest", "build it again")
        return
    if "Main-Class:" not in manifest:
        advice = "say Main-Class in its manifest: it is started with java -jar"
        yield problem("jar", f"{name} does not say where it starts", advice)
    else:
        yield fine("jar", f"{name} says where it starts")


def _names(archive: zipfile.ZipFile) -> Iterator[Finding]:
    names = [info.filename for info in archive.infolist()]
    twice = [name for name, count in Counter(map(str.lower, names)).items() if count > 1]
    if twice:
        advice = "give every file a name of its own, not only in capitals"
        yield problem("file names", f"{twice[0]} is there twice", advice)
    for name in names:
        if wrong := _wrong_name(name):
            yield problem("file names", f"{name!r} {wrong}", _ADVICE_PACK)
    odd = [name for name in names if not name.isascii() or " " in name]
    if odd:
        advice = "use plain letters, digits, - and _: scripts and old unpackers stumble over others"
        yield note("file names", f"{odd[0]!r} has odd characters", advice)
    links = [info.filename for info in archive.infolist() if info.external_attr >> 28 == 0o12]
    if links:
        yield problem("file names", f"{links[0]} is a link", "put the file itself into the ZIP")


def _wrong_name(name: str) -> str | None:
    if "\\" in name:
        return "has backslashes: on Linux that is no folder"
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in PurePosixPath(name).parts:
        return "leads out of its folder"
    if any(ord(letter) < 32 for letter in name):
        return "has characters that nobody sees"
    return "is very long" if len(name) > _LONGEST else None


def _junk(archive: zipfile.ZipFile) -> Iterator[Finding]:
    sizes: Counter[str] = Counter()
    for info in archive.infolist():
        for part in PurePosixPath(info.filename).parts:
            if part in _JUNK or part == ".DS_Store":
                sizes[part] += info.compress_size
                break
    for part, size in sizes.items():
        yield note("junk", f"{part}: {size / 2**20:.1f} MB for nothing", _ADVICE_PACK)


def _paths(archive: zipfile.ZipFile) -> Iterator[Finding]:
    """Paths of one's own machine in the files at the top: there they do not exist."""
    for info in archive.infolist():
        name = info.filename
        if "/" in name or not name.endswith((".sh", ".py", ".toml", ".json", ".cfg", ".ini")):
            continue
        text = archive.read(info).decode("utf-8", "replace")
        if found := _OWN_PATH.search(text):
            advice = "name it relative to the start script's own folder"
            yield problem("paths", f"{name} names {found[1]}, a path of your machine", advice)


def _native(names: Sequence[str], target: Target | None) -> Iterator[Finding]:
    """Native modules are for one system, and most of them for one version of Python."""
    foreign = [name for name in names if _FOREIGN.search(name)]
    if foreign:
        advice = "pack wheels for 64-bit Linux: `spielleiter pack` takes those"
        yield problem("native modules", f"{foreign[0]} is for another system", advice)
    versions = targets.pythons(names)
    if versions is not None and not versions:
        advice = "build or take all of them for one version of Python"
        yield problem("native modules", "no version of Python has all of them", advice)
    elif target is not None:
        yield _python(target, versions)
    elif versions is not None:
        shown = " or ".join(sorted(versions)).replace("+", " or newer")
        yield note("native modules", f"for Python {shown}", "choose that version in the contest")


def _python(target: Target, versions: frozenset[str] | None) -> Finding:
    if targets.runs(target, versions):
        return fine("python", f"runs on Python {target.version}, as {target.name} has it")
    built = " or ".join(sorted(versions or ())).replace("+", " or newer")
    text = f"built for Python {built}, and {target.name} runs Python {target.version}"
    return problem("python", text, "pack it for there: `spielleiter pack --for`")


def _imports(archive: zipfile.ZipFile) -> Iterator[Finding]:
    """What the bot imports and nobody put in: the contest's machine has nothing but Python."""
    for file, module in missing(archive):
        advice = f"name it under `dependencies` in pyproject.toml: `spielleiter pack` adds {module}"
        yield problem("imports", f"{file} needs {module}, which is not in the ZIP", advice)


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
