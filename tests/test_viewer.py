"""The pages of the arena: their unit tests, and what can be said about them without a browser."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.system import missing

ROOT = Path(__file__).parents[1]
VIEWER = ROOT / "viewer"
PAGES = ROOT / "src" / "spielleiter" / "web" / "pages"
MOST_SCRIPT = 200_000
"""Bytes of JavaScript, compressed, for all pages together."""


def built() -> Path:
    """The pages as `make` built them."""
    if not (PAGES / "index.html").exists():
        missing("the pages are not built: run `make` or `python viewer/build.py`")
    return PAGES


def test_the_unit_tests_of_the_viewer_pass() -> None:
    built()
    done = subprocess.run(
        [sys.executable, VIEWER / "build.py", "test"], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_all_scripts_together_are_small() -> None:
    scripts = list(built().rglob("*.js"))
    size = sum(len(gzip.compress(script.read_bytes())) for script in scripts)
    assert scripts
    assert size <= MOST_SCRIPT


def test_pages_without_a_server_neither_hold_nor_ask_for_texts_of_other_pages() -> None:
    config = (VIEWER / "vite.offline.config.js").read_text("utf-8")
    [kept] = re.findall(r'^const HERE = "([a-z|]+)";$', config, re.MULTILINE)
    texts = (VIEWER / "src" / "model" / "texts" / "en.ts").read_text("utf-8")
    sections = set(re.findall(r'^ {2}"([a-z-]+)\.', texts, re.MULTILINE))
    player = (built() / "offline" / "player.js").read_text("utf-8")
    named = {each for each in sections if re.search(rf"""["'`]{each}\.""", player)}
    assert named == set(kept.split("|"))


def test_pages_hold_nothing_that_a_strict_policy_forbids() -> None:
    """No inline script or style, and no address of anybody else's."""
    page = (built() / "index.html").read_text("utf-8")
    assert re.findall(r"<script(?![^>]*\bsrc=)[^>]*>", page) == []
    assert "<style" not in page
    assert " style=" not in page
    assert re.findall(r'(?:src|href)="(?:https?:)?//[^"]*"', page) == []


@pytest.mark.parametrize("folder", ["model", "board", "pages"])
def test_only_one_file_of_the_viewer_talks_to_the_server(folder: str) -> None:
    for path in (VIEWER / "src" / folder).rglob("*.*"):
        found = re.search(
            r"(?<![#.\w])fetch\(|\bnew (EventSource|WebSocket)\(", path.read_text("utf-8")
        )
        assert found is None, f"{path.name} has {found and found.group()!r}: that is for api.ts"


def test_the_model_of_the_viewer_knows_neither_pages_nor_documents() -> None:
    for path in (VIEWER / "src" / "model").rglob("*.ts"):
        text = path.read_text("utf-8")
        assert not re.search(r'from "\.\./(\.\./)?(api|board|pages|router|language)', text), path
        assert not re.search(r"\b(document|window|localStorage)\.", text), path


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((VIEWER / "package-lock.json").read_text("utf-8"))
    assert not [name for name, package in lock["packages"].items() if "resolved" in package]


def test_every_refusal_of_the_server_has_words_in_both_languages() -> None:
    """But `refused`, whose reason is the message itself."""
    codes: set[str] = set()
    for path in (ROOT / "src" / "spielleiter" / "web").glob("*.py"):
        source = path.read_text("utf-8")
        codes |= set(re.findall(r'refusal\(\s*\d{3},\s*"([a-z-]+)"', source))
        codes |= set(re.findall(r'\(\w+, \d{3}, "([a-z-]+)"\)', source))
    assert len(codes) > 50
    for language in ("en", "de"):
        texts = (VIEWER / "src" / "model" / "texts" / f"{language}.ts").read_text("utf-8")
        assert codes - {"refused"} <= set(re.findall(r'"error\.([a-z-]+)"', texts)), language
