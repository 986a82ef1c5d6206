"""Everything in C++ that is not private has a comment that Doxygen understands."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

from tests.system import install, missing

DOCS = Path(__file__).parents[1] / "docs"
EVERYTHING = """
INPUT = ../core ../src/spielleiter/games ../examples
RECURSIVE = YES
FILE_PATTERNS = *.hpp *.cpp
EXCLUDE_PATTERNS = */tests/* */bind.cpp */cpu.cpp */annotation.cpp */fuzz.cpp
EXTRACT_LOCAL_CLASSES = NO
"""


def test_doxygen_has_nothing_to_complain_about(tmp_path: Path) -> None:
    if shutil.which("doxygen") is None:
        install("doxygen")
    if shutil.which("doxygen") is None:
        missing("Doxygen: apt-get install doxygen")
    pages = (DOCS / "Doxyfile").read_text("utf-8")
    settings = f'{pages}{EVERYTHING}OUTPUT_DIRECTORY = "{tmp_path}"\n'
    done = subprocess.run(
        ["doxygen", "-"], input=settings, cwd=DOCS, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
