"""The README of training/reversi works as written, at a tiny scale."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from tests.readmes import run_tiny, tiny_script

pytestmark = pytest.mark.native

SHIPPED = "src/spielleiter/games/reversi/patterns.bin"
TINY = {"train.sh OUT ": "train.sh OUT 0.02 ", SHIPPED: "made/patterns.bin"}


def test_the_readme_has_the_numbers_that_are_made_small() -> None:
    """So that the test below, which needs torch and minutes, still fits the page."""
    assert tiny_script("reversi", TINY)


@pytest.mark.deep
def test_the_commands_of_the_readme_work(tmp_path: Path) -> None:
    run_tiny("reversi", TINY, tmp_path)
    made, shipped = tmp_path / "made" / "patterns.bin", tmp_path / SHIPPED
    assert len(zlib.decompress(made.read_bytes())) == len(zlib.decompress(shipped.read_bytes()))
