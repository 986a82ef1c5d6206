"""Other people's libraries, each in a virtual environment of its own, measured in the same run."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

ENVIRONMENTS = Path(__file__).parents[1] / "build" / "peers"


def python(*packages: str) -> Path:
    """The interpreter of an environment with exactly these packages, made on first use."""
    names = [package.replace("==", "-").split("<")[0] for package in packages]
    folder = ENVIRONMENTS / "-".join(names)
    binary = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    ready = folder / "ready"
    if not ready.exists():
        venv.create(folder, with_pip=True, clear=True)
        quiet = ["-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
        subprocess.run([str(binary), *quiet, *packages], check=True)
        ready.touch()
    return binary


def run(interpreter: Path, script: Path, *arguments: str) -> dict[str, Any]:
    """Run a script of ours under a peer's interpreter; its last line is JSON."""
    result = subprocess.run(
        [str(interpreter), str(script), *arguments], capture_output=True, text=True, check=True
    )
    answer: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return answer
