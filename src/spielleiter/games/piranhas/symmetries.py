"""The symmetries of the board: the rules are the same after every rotation and reflection."""

from __future__ import annotations

SYMMETRIES = ("mirror", "flip", "transpose")
