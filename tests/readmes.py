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


def run_tiny(folder: str, tiny: Mapping[str, str], room: Path) -> None:
    """Run the first block of a README of training/ in a folder where the sources can be seen."""
    pytest.importorskip("torch", reason="the extra spielleiter[train] is missing")
    if shutil.which("g++") is None:
        pytest.skip("no g++")
    page = ROOT / "training" / folder / "README.md"
    script = re.findall(r"```sh\n(.*?)```", page.read_text("utf-8"), re.S)[0]
    for written, small in tiny.items():
        assert written in script, f"{page}: {written}"
        script = script.replace(written, small)
    for name in ("training", "src", "core"):
        (room / name).symlink_to(ROOT / name)
    (room / "made").mkdir()
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path}
    subprocess.run(["bash", "-e", "-c", script], cwd=room, check=True, env=environment)
