"""Texts written letter by letter, each letter in the words of its place: boards as XML.

A state is most of what a server sends. Written natively, it does not depend on what is known of
boards seen before, and so not on whether that is still in the processor's cache.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any

Places = Sequence[Mapping[str, str]]


def spelling(places: Places) -> Callable[[str], str]:
    """Writes texts: the letter at each place as that place says; after the last comes the first.

    A letter that has no words at its place is a KeyError.
    """
    if _NATIVE is None:
        return partial(spelt, places)
    return partial(_NATIVE.spell, _NATIVE.prepare(tuple(map(dict, places))))


def spelt(places: Places, text: str) -> str:
    """The same, without native code."""
    return "".join([words[letter] for words, letter in zip(itertools.cycle(places), text)])


def _native() -> Any:
    try:
        return import_module("spielleiter._spelling")
    except ImportError:
        return None


_NATIVE = _native()
