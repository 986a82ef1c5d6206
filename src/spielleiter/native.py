"""Which build of a game's core runs here.

A game's native module may be built in several flavours of the same code: `portable` runs on any
processor, `v3` uses what x86-64 processors since about 2013 have. The best one that is installed
and runs is taken. Where none does, the game is played by the rules in plain Python, the flavour
`plain`. The environment variable SPIELLEITER_FLAVOUR asks for a certain one.
"""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from spielleiter import plain
from spielleiter.errors import UnknownName, UsageError

PLAIN = "plain"
_ASKED = "SPIELLEITER_FLAVOUR"
_FIRST_STABLE = (3, 12)
_STABLE = "Python 3.12 and later"
"""The file tags of modules of the stable ABI."""
_missing: dict[str, str] = {}
"""Packages that fall back to plain Python, and why."""


def core(package: str) -> ModuleType:
    """The module of a game's package, in the best flavour that runs here."""
    failure = ""
    for flavour in wanted():
        name = f"{package}.{module_name(flavour)}"
        if flavour != PLAIN and _is_there(name):
            try:
                return import_module(name)
            except ImportError as error:
                failure = f"its native module cannot be loaded ({error})"
    reason = failure or _why_not(package)
    if PLAIN not in wanted() or not plain.is_there(package):
        raise UsageError(f"{package} cannot be played here: {reason}")
    if _ASKED not in os.environ:
        _missing[package] = reason
    return plain.module(package)


def _is_there(name: str) -> bool:
    """Whether this Python has a module of that name; 3.11 would also accept those of later ones."""
    spec = find_spec(name)
    stable = spec is not None and ".abi3." in (spec.origin or "")
    return spec is not None and (sys.version_info >= _FIRST_STABLE or not stable)


def is_plain(module: ModuleType) -> bool:
    """Whether a game's module is plain Python: right, but slow."""
    return module.__name__.endswith(f".{plain.NAME}")


def notice() -> str | None:
    """One sentence where games are played in plain Python because nothing faster runs here."""
    if not _missing:
        return None
    names = ", ".join(sorted(package.rpartition(".")[2] for package in _missing))
    reason = next(iter(_missing.values()))
    return (
        f"{names}: plain Python, because {reason}. Everything works but the strong engines: "
        "built-in players of a level are weaker than it says."
    )


def _why_not(package: str) -> str:
    here = f"Python {sys.version_info.major}.{sys.version_info.minor} on {sys.platform}"
    machine = platform.machine()
    if built := _built_for(package):
        return (
            f"it was built for {', '.join(built)}, and this is {here} ({machine}): "
            "start it with the Python it was packed for, or pack it anew"
        )
    if (Path(__file__).parent / "not_compiled").exists():
        return (
            f"its native modules did not compile when it was installed for {here} ({machine}): "
            "'pip install --verbose .' in the project's folder shows why"
        )
    return (
        f"it has no native module for {here} ({machine}): install a wheel for this system, or "
        "build it with 'pip install .' in the project's folder"
    )


def _built_for(package: str) -> list[str]:
    """The interpreters and systems that native modules of a package are there for."""
    spec = find_spec(package)
    places = [] if spec is None else spec.submodule_search_locations or []
    files = (path for place in places for path in Path(place).glob("_core*.*"))
    ends = (path.name.split(".")[1:-1] for path in files if path.suffix in (".so", ".pyd"))
    return sorted({_STABLE if end == ["abi3"] else ".".join(end) for end in ends if end})


def wanted() -> tuple[str, ...]:
    """The flavours to try, best first."""
    asked = os.environ.get(_ASKED)
    if asked is None:
        return flavours()
    if asked not in flavours():
        raise UnknownName("flavour that runs on this processor", asked, flavours())
    return (asked,)


def flavours() -> tuple[str, ...]:
    """All flavours that this processor can run, best first."""
    cpu = _cpu()
    return ("portable", PLAIN) if cpu is None else (*cpu.flavours(), PLAIN)


def is_built() -> bool:
    """Whether this installation has native modules for the Python that runs."""
    return _cpu() is not None


def _cpu() -> ModuleType | None:
    try:
        return import_module("spielleiter._cpu")
    except ImportError:
        return None


def thaw(package: str, name: str, state: object) -> Any:
    """Unpickle a value in the flavour that runs here, whichever wrote it."""
    kind = getattr(core(package), name)
    value = kind.__new__(kind)
    value.__setstate__(state)
    return value


def module_name(flavour: str) -> str:
    """`_core` for the portable flavour, `_core_v3` for v3, `_plain` for plain Python."""
    if flavour == PLAIN:
        return plain.NAME
    return "_core" if flavour == "portable" else f"_core_{flavour}"
