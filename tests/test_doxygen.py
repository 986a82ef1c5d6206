"""Everything in C++ that is not private has a comment that Doxygen understands."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.system import install, missing

DOCS = Path(__file__).parents[1] / "docs"


def test_doxygen_has_nothing_to_complain_about(tmp_path: Path) -> None:
    if shutil.which("doxygen") is None:
        install("doxygen")
    if shutil.which("doxygen") is None:
        missing("Doxygen: apt-get install doxygen")
    settings = (DOCS / "Doxyfile").read_text("utf-8") + f'\nOUTPUT_DIRECTORY = "{tmp_path}"\n'
    done = subprocess.run(
        ["doxygen", "-"], input=settings, cwd=DOCS, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
