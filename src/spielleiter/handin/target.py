"""The platform that a packed bot runs on: its Python, and which wheels fit it.

A contest says which Python its machine has. An arena or a ladder starts bots with the Python that
it runs with itself. All of them run 64-bit Linux.
"""

from __future__ import annotations

import json
import platform
import re
import sys
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass

from spielleiter.errors import UsageError

PythonVersion = tuple[int, int]

HERE = "here"
CONTESTS: dict[str, PythonVersion] = {"software-challenge": (3, 12)}
"""Contests by name, and the Python of their machines."""
OWN = (HERE, "arena", "ladder")
"""Targets that start bots with the Python that runs here."""
FILE = "lib/packed.json"
"""The file in a ZIP that describes it."""
FIRST_STABLE: PythonVersion = (3, 12)
"""From here on native modules of the stable ABI run on every later Python."""
_VERSION = re.compile(r"(\d)\.(\d{1,2})")
_WHEEL = re.compile(r"[^-]+-[^-]+(?:-\d[^-]*)?-([^-]+)-([^-]+)-([^-]+)\.whl")
_MODULE = re.compile(r"\.(?:cpython-(\d)(\d+)-x86_64-linux-gnu|(abi3))\.so$")


@dataclass(frozen=True, slots=True)
class Target:
    """A machine that bots are packed for."""

    name: str
    python: PythonVersion

    @property
    def version(self) -> str:
        """`3.12`."""
        return f"{self.python[0]}.{self.python[1]}"

    def accepts(self, wheel: str) -> bool:
        """Whether a wheel of that name can be used there."""
        found = _WHEEL.fullmatch(wheel)
        if found is None:
            return False
        pythons, abis, systems = (tags.split(".") for tags in found.groups())
        return any(_is_linux(each) for each in systems) and any(
            self._runs(python, abi) for python in pythons for abi in abis
        )

    def _runs(self, python: str, abi: str) -> bool:
        if python in ("py3", f"py3{self.python[1]}"):
            return abi == "none"
        found = re.fullmatch(r"cp(\d)(\d+)", python)
        if found is None:
            return False
        built = (int(found[1]), int(found[2]))
        return built <= self.python if abi == "abi3" else built == self.python


def named(text: str) -> Target:
    """The target of a name, such as `software-challenge` or `arena`, or of a version: `3.11`."""
    if text in CONTESTS:
        return Target(text, CONTESTS[text])
    if text in OWN:
        return Target(text, sys.version_info[:2])
    if found := _VERSION.fullmatch(text):
        return Target(f"Python {text}", (int(found[1]), int(found[2])))
    known = ", ".join([*CONTESTS, *OWN])
    raise UsageError(f"{text!r} is no place to pack for: {known}, or a version such as 3.12")


def is_plain(wheel: str) -> bool:
    """Whether a wheel of that name holds nothing native."""
    return wheel.endswith("-none-any.whl")


def fitting(target: Target, names: Iterable[str]) -> list[str]:
    """Of wheels of one package those to take: native ones, or else plain ones."""
    accepted = sorted(name for name in names if target.accepts(name))
    return [name for name in accepted if not is_plain(name)] or accepted


def pythons(names: Iterable[str]) -> frozenset[str] | None:
    """The versions of Python that run all native modules of these files; None: any that is new.

    A module may be there for several versions; those of the stable ABI count from 3.12 on.
    """
    modules: dict[str, set[str]] = {}
    for name in names:
        if found := _MODULE.search(name):
            version = "3.12+" if found[3] else f"{found[1]}.{found[2]}"
            modules.setdefault(name[: found.start()], set()).add(version)
    if not modules:
        return None
    fixed = [versions for versions in modules.values() if "3.12+" not in versions]
    return frozenset.intersection(*map(frozenset, fixed)) if fixed else frozenset({"3.12+"})


def is_contest_system() -> bool:
    """Whether native modules that run here run on 64-bit Linux too."""
    return sys.platform == "linux" and platform.machine() == "x86_64"


def runs(target: Target, versions: frozenset[str] | None) -> bool:
    """Whether the target's Python is among the `pythons` of a ZIP."""
    if versions is None or target.version in versions:
        return True
    return "3.12+" in versions and target.python >= FIRST_STABLE


def described(target: Target, native: bool) -> bytes:
    """The requirements that a ZIP states."""
    needs = {"for": target.name, "python": target.version}
    needs |= {"system": "Linux x86-64"} if native else {"system": "any"}
    return (json.dumps(needs, indent=2) + "\n").encode()


def of_zip(archive: zipfile.ZipFile) -> Target | None:
    """What a ZIP was packed for; None if it does not say."""
    try:
        needs = json.loads(archive.read(FILE))
        version = _VERSION.fullmatch(needs["python"])
        return version and Target(str(needs["for"]), (int(version[1]), int(version[2])))
    except (KeyError, TypeError, ValueError, zipfile.BadZipFile, OSError, RuntimeError):
        return None


def _is_linux(system: str) -> bool:
    return system == "any" or ("linux" in system and system.endswith("x86_64"))
