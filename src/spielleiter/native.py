"""Which build of a game's core runs here.

A game's native module may be built in several flavours of the same code: `portable` runs on any
processor, `v3` uses what x86-64 processors since about 2013 have. The best one that is installed
and runs is taken; the environment variable SPIELLEITER_FLAVOUR asks for a certain one.
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

from spielleiter import _cpu
from spielleiter.errors import UnknownName, UsageError


def core(package: str) -> ModuleType:
    """The native module of a game's package, in the best flavour that runs here."""
    for flavour in wanted():
        name = f"{package}.{module_name(flavour)}"
        if find_spec(name) is not None:
            return import_module(name)
    if built := _built_for(package):
        here = f"Python {sys.version_info.major}.{sys.version_info.minor} on {sys.platform}"
        raise UsageError(
            f"{package} was built for {', '.join(built)}, and this is {here} "
            f"({platform.machine()}): start it with the Python it was packed for, or pack it anew"
        )
    raise UsageError(
        f"{package} has no native module in the flavours {', '.join(wanted())}: "
        "build it with 'pip install .' in the project's folder"
    )


def _built_for(package: str) -> list[str]:
    """The interpreters and systems that native modules of a package are there for."""
    spec = find_spec(package)
    places = [] if spec is None else spec.submodule_search_locations or []
    files = (path for place in places for path in Path(place).glob("_core*.*"))
    ends = (path.name.split(".")[1:-1] for path in files if path.suffix in (".so", ".pyd"))
    return sorted({".".join(end) for end in ends if end})


def wanted() -> tuple[str, ...]:
    """The flavours to try, best first."""
    asked = os.environ.get("SPIELLEITER_FLAVOUR")
    if asked is None:
        return _cpu.flavours()
    if asked not in _cpu.flavours():
        raise UnknownName("flavour that runs on this processor", asked, _cpu.flavours())
    return (asked,)


def thaw(package: str, name: str, state: object) -> Any:
    """A native value out of its pickle, in the flavour that runs here, whichever wrote it."""
    kind = getattr(core(package), name)
    value = kind.__new__(kind)
    value.__setstate__(state)
    return value


def module_name(flavour: str) -> str:
    """`_core` for the portable flavour, `_core_v3` for v3."""
    return "_core" if flavour == "portable" else f"_core_{flavour}"
