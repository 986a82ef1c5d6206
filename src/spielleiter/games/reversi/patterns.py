"""The pattern tables that are shipped with the package; every flavour of the core loads them."""

from __future__ import annotations

from importlib import resources


def data() -> bytes:
    """The weights as training/reversi wrote them."""
    return resources.files(__package__).joinpath("patterns.bin").read_bytes()
