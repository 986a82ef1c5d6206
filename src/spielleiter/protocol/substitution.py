"""Replaces every character of a text by a string that depends on its place: boards as XML.

A state is most of what a server sends. Native code writes it from a small table; strings kept from
earlier boards would rarely be in the processor's cache.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

Places = Sequence[Mapping[str, str]]
"""For each place of a text the replacements of characters; after the last place comes the first."""


def substitution(places: Places) -> Callable[[str], str]:
    """A function that replaces the characters of a text; KeyError: one has no replacement."""
    if _NATIVE is None:
        return partial(substituted, places)
    return partial(_NATIVE.substitute, _NATIVE.prepare(tuple(map(dict, places))))


def substituted(places: Places, text: str) -> str:
    """The same, without native code."""
    return "".join([words[letter] for words, letter in zip(itertools.cycle(places), text)])


def _native() -> Any:
    try:
        return import_module("spielleiter._substitution")
    except ImportError:
        return None


_NATIVE = _native()
