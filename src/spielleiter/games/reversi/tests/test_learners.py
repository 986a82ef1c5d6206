"""The learners of examples/learning run, are as short as they promise, and draw a curve."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[5] / "examples" / "learning"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="examples are not installed")


def run(name: str, room: Path, *words: str) -> None:
    out = room / "curve.svg"
    program = [sys.executable, str(FOLDER / name), *words, "--out", str(out)]
    subprocess.run(program, cwd=room, check=True)
    assert out.read_text("utf-8").count("<polyline") >= 6, "five lines of the grid, and the curve"


@pytest.mark.parametrize(("name", "lines"), [("tabular.py", 150), ("ppo.py", 150)])
def test_a_learner_is_short_and_its_curve_is_shown(name: str, lines: int) -> None:
    assert len((FOLDER / name).read_text("utf-8").splitlines()) < lines
    assert (FOLDER / name).with_suffix(".svg").is_file()


def test_the_table_learns(tmp_path: Path) -> None:
    pytest.importorskip("gymnasium", reason="the extra spielleiter[envs] is missing")
    run("tabular.py", tmp_path, "--games", "50", "--measured", "5")


@pytest.mark.deep
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("ppo.py", ["--updates", "1", "--measured", "4"]),
    ],
)
def test_learners_in_torch_run(name: str, words: list[str], tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="the extra spielleiter[train] is missing")
    run(name, tmp_path, *words)
