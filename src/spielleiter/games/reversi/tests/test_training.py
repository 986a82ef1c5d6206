"""The READMEs of training/reversi work as written, at a tiny scale."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from tests.readmes import run_tiny, tiny_script

pytestmark = pytest.mark.native

SHIPPED = "src/spielleiter/games/reversi/patterns.bin"
SHIPPED_NETWORK = "src/spielleiter/games/reversi/map_network.bin"
TINY = {
    "reversi": {"train.sh OUT ": "train.sh OUT 0.02 ", SHIPPED: "made/patterns.bin"},
    "reversi/map_network": {
        "train.sh OUT ": "train.sh OUT 0.01 ",
        SHIPPED_NETWORK: "made/map_network.bin",
    },
}


@pytest.mark.parametrize("folder", TINY)
def test_the_readme_has_the_numbers_that_are_made_small(folder: str) -> None:
    """So that the test below, which needs torch and minutes, still fits the page."""
    assert tiny_script(folder, TINY[folder])


@pytest.mark.deep
@pytest.mark.parametrize(
    ("folder", "name"), [("reversi", SHIPPED), ("reversi/map_network", SHIPPED_NETWORK)]
)
def test_the_commands_of_the_readme_work(folder: str, name: str, tmp_path: Path) -> None:
    run_tiny(folder, TINY[folder], tmp_path)
    made, shipped = tmp_path / "made" / Path(name).name, tmp_path / name
    assert len(zlib.decompress(made.read_bytes())) == len(zlib.decompress(shipped.read_bytes()))
