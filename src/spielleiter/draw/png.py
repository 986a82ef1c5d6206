"""Any of our SVG pictures as PNG, for chats, slides and mail that cannot show SVG.

Drawing is done by resvg: one small wheel for Windows, Mac and Linux that needs nothing of the
system but a font for the texts.
"""

from __future__ import annotations

import functools

import resvg_py

from spielleiter.errors import UsageError

_LETTER = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><text y="8">{}</text></svg>'


def png(svg: str, scale: float = 1.0) -> bytes:
    """The picture as PNG, `scale` times as large as the SVG says."""
    if not 0 < scale <= 100:
        raise UsageError(f"a picture cannot be drawn {scale} times as large")
    return _drawn(svg, scale)


@functools.cache
def has_fonts() -> bool:
    """Whether this machine has a font at all; without one the texts of a picture stay empty."""
    return _drawn(_LETTER.format("M"), 1.0) != _drawn(_LETTER.format(""), 1.0)


def _drawn(svg: str, scale: float) -> bytes:
    try:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=scale))
    except ValueError as error:
        raise UsageError(f"this is no SVG picture: {error}") from error
