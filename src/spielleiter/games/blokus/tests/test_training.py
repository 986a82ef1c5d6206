"""The README of training/blokus works as written, at a tiny scale."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.readmes import run_tiny, tiny_script

pytestmark = pytest.mark.native

TINY = {
    "-O3 -march=native": "-O1",
    "120 100 800 1 16": "4 4 8 1 1",
    "120 48 500 2 16": "4 4 8 2 1",
    "60 48 500 3 16": "4 4 8 3 1",
    "--minutes 1.2": "--minutes 0.02",
    "$BLOKUS/weights/": "made/",
    "6 90 15 96 1000 3": "2 4 1 4 8 3",
    "$PROGRAMS/settings 500 16 0.5s 1": "$PROGRAMS/settings 8 1 0.01s 1",
    "$PROGRAMS/match 20 10 0.06s 7": "$PROGRAMS/match 5 1 0.01s 7",
}


def test_the_readme_has_the_numbers_that_are_made_small() -> None:
    """So that the test below, which needs torch and minutes, still fits the page."""
    assert tiny_script("blokus", TINY)


@pytest.mark.deep
def test_the_commands_of_the_readme_work(tmp_path: Path) -> None:
    run_tiny("blokus", TINY, tmp_path)
    assert (tmp_path / "made" / "policy.inc").is_file()
    assert (tmp_path / "reliability.svg").is_file()
