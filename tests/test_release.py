"""The version stands in one place, and what repeats it for readers agrees."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
VERSION: str = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def test_the_installed_version_is_the_one_of_the_project() -> None:
    assert metadata.version("spielleiter") == VERSION


def test_the_citation_names_the_version() -> None:
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_changelog_begins_with_the_version_or_with_what_is_unreleased() -> None:
    headings = re.findall(r"^## \[(.+?)\](.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)
    assert headings[0][0] in (VERSION, "Unreleased")
    dates = {version: rest for version, rest in headings if version != "Unreleased"}
    assert re.fullmatch(r" – \d{4}-\d{2}-\d{2}", dates[VERSION])


def test_a_line_of_the_changelog_is_a_line() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    for entry in re.split(r"^- ", text, flags=re.M)[1:]:
        assert len(entry.split("\n\n")[0]) < 360, entry[:80]


def test_no_file_of_the_package_repeats_the_version() -> None:
    for path in (ROOT / "src" / "spielleiter").rglob("*.py"):
        assert f'"{VERSION}"' not in path.read_text("utf-8"), path


@pytest.mark.deep
def test_the_source_distribution_holds_the_sources_and_nothing_built(tmp_path: Path) -> None:
    make = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", make, str(tmp_path)], cwd=ROOT, check=True)
    (file,) = tmp_path.glob("spielleiter-*.tar.gz")
    assert file.stat().st_size < 12_000_000
    with tarfile.open(file) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {"CMakeLists.txt", "LICENSE", "README.md", "pyproject.toml", "viewer/build.py"} <= {
        *names
    }
    assert any(name.endswith("/bind.cpp") for name in names)
    built = ("build/", ".venv/", "viewer/node_modules/", "src/spielleiter/web/pages/", ".git/")
    assert not [name for name in names if name.startswith(built)]
    assert not [name for name in names if name.endswith((".so", ".pyd", ".pyc", ".db"))]
