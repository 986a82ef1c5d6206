"""Commands of a README, run as written but for the numbers that make them long."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def tiny_script(folder: str, tiny: Mapping[str, str]) -> str:
    """The first block of a README of training/ with small numbers."""
    page = ROOT / "training" / folder / "README.md"
    script: str = re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.S)[0]
    for written, small in tiny.items():
        assert written in script, f"{page}: {written}"
        script = script.replace(written, small)
    return script


def run_tiny(folder: str, tiny: Mapping[str, str], room: Path) -> None:
    """Run that block in a folder where the sources can be seen."""
    pytest.importorskip("torch", reason="the extra spielleiter[train] is missing")
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    script = tiny_script(folder, tiny)
    for name in ("training", "src", "core", "benchmarks"):
        (room / name).symlink_to(ROOT / name)
    (room / "made").mkdir()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    subprocess.run(["bash", "-e", "-c", script], cwd=room, check=True, env=environment)
