"""Times and sizes as people write them."""

from __future__ import annotations

import re

from spielleiter.errors import UsageError

_UNITS = {"": 1.0, "s": 1.0, "ms": 0.001, "min": 60.0}
_SIZES = {"": 1.0, "B": 1.0, "kB": 1e3, "MB": 1e6, "GB": 1e9}


def seconds(text: str) -> float:
    """The seconds that a text such as `2s`, `500ms` or `1.5` means."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(ms|s|min|)", text.strip())
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"{text!r} is no time: write it like 2s, 500ms or 1min")
    return float(found[1]) * _UNITS[found[2]]


def size(text: str) -> int:
    """The bytes that a text such as `1.5GB` or `64MB` means."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(B|kB|MB|GB|)", text.strip())
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"{text!r} is no size: write it like 1.5GB or 64MB")
    return int(float(found[1]) * _SIZES[found[2]])
