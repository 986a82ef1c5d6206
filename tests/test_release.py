"""The version stands in one place, and what repeats it for readers agrees."""

from __future__ import annotations

import re
import tomllib
from importlib import metadata
from pathlib import Path

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
