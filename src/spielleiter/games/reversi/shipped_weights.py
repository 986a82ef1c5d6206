"""The weights that are shipped with the package; every flavour of the core loads them."""

from __future__ import annotations

import zlib
from importlib import resources


def data(name: str) -> bytes:
    """The weights of that name, as training/reversi wrote them."""
    return zlib.decompress(resources.files(__package__).joinpath(f"{name}.bin").read_bytes())
