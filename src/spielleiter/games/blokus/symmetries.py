"""The turns of the board that leave the rules as they are: all of them."""

from __future__ import annotations

SYMMETRIES = ("mirror", "flip", "transpose")
