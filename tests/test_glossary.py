"""The glossary names places that exist, and each term once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "glossary.md"
TERM = re.compile(r"^\| ([^|`]+) \| ([^|]+) \| `([^`|]+)` \|$", re.MULTILINE)
TERMS = TERM.findall(PAGE.read_text("utf-8"))
DEFINITION = r"(?m)^(?:.*\b(?:class|def|struct|concept) )?{0}\b"


def is_defined(place: str) -> bool:
    """Whether `path` or `path:Name` exists."""
    path, _, name = place.partition(":")
    if not (ROOT / path).exists():
        return False
    if not name:
        return True
    return re.search(DEFINITION.format(name), (ROOT / path).read_text("utf-8")) is not None


@pytest.mark.parametrize(("term", "place"), [(term, place) for term, _, place in TERMS])
def test_a_term_is_defined_where_the_glossary_says(term: str, place: str) -> None:
    assert is_defined(place), f"{term}: {place}"


def test_no_term_stands_twice() -> None:
    terms = [term.lower() for term, _, _ in TERMS]
    assert len(terms) == len(set(terms)) > 40


def test_a_meaning_is_one_sentence() -> None:
    for term, meaning, _ in TERMS:
        assert re.fullmatch(r"[^.]*(?:\.[^ ][^.]*)*\.", meaning), (term, meaning)


ARCHITECTURE = ROOT / "docs" / "architecture.md"


def test_every_place_of_the_architecture_exists() -> None:
    text = ARCHITECTURE.read_text("utf-8")
    places = set(re.findall(r"`((?:src|core|viewer|tests)/[^`]*)`", text))
    assert len(places) > 20
    assert not [place for place in places if not (ROOT / place).exists()]
