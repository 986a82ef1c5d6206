"""The README of training/piranhas works as written, at a tiny scale."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from spielleiter import networks
from tests.readmes import ROOT, run_tiny, tiny_script

FOLDER = ROOT / "training" / "piranhas"
SIXTEENTHS = 16 * 400 / np.log(10)
TINY = {
    "-O3 -march=native": "-O1",
    "40000 4000 11 16": "6 60 11 1",
    "--steps 7000": "--steps 3",
    "--to $P/weights": "--to made",
}

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(not FOLDER.is_dir(), reason="training is not installed"),
]


def test_exported_weights_are_those_that_were_loaded(tmp_path: Path) -> None:
    """The NumPy part: the shipped network survives the way through export.py.

    Whatever was fitted for the last knot, it gets the numbers of the one before.
    """
    own = networks.load("piranhas-2026")["value"].parameters
    places = np.concatenate([own["places"] / SIXTEENTHS, np.zeros((300, 8))])
    places[:, -1] = 0
    out = own["out"].reshape(16, -1) * 255 / 256 / SIXTEENTHS
    out[[7, 15]] = 0
    np.savez(
        tmp_path / "net.npz",
        emb=own["rows"] / 255,
        b=own["bias"] / 255,
        out=out,
        psq=places,
        lin=np.zeros((6, 8)),
        bias=np.zeros(16),
    )
    program = [sys.executable, str(FOLDER / "export.py"), "net.npz", "2026", "a test", "--to", "."]
    subprocess.run(program, cwd=tmp_path, check=True)
    text = (tmp_path / "network-2026.inc").read_text("utf-8")
    numbers = re.findall(r"-?\d+", re.sub(r"//.*", "", text))
    shipped = np.concatenate([part.ravel() for part in own.values()])
    assert [int(number) for number in numbers] == shipped.astype(int).tolist()


def test_the_readme_has_the_numbers_that_are_made_small() -> None:
    """So that the test below, which needs torch and minutes, still fits the page."""
    assert tiny_script("piranhas", TINY)


@pytest.mark.deep
def test_the_commands_of_the_readme_work(tmp_path: Path) -> None:
    run_tiny("piranhas", TINY, tmp_path)
    assert (tmp_path / "made" / "network-2026.inc").is_file()
