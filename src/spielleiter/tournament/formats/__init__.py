"""The formats of contests: each module here is one, called as its file with `-` for `_`.

See `docs/contributor/add-a-contest-format.md` for how to add one.
"""

from __future__ import annotations

import pkgutil
from importlib import import_module

from spielleiter.errors import UnknownName
from spielleiter.tournament.format import ContestFormat


def names() -> tuple[str, ...]:
    """All formats there are."""
    return tuple(sorted(each.name.replace("_", "-") for each in pkgutil.iter_modules(__path__)))


def load(name: str) -> ContestFormat:
    """The format of that name."""
    if name not in names():
        raise UnknownName("format", name, names())
    module = import_module(f"{__name__}.{name.replace('-', '_')}")
    found: ContestFormat = module.FORMAT
    return found
